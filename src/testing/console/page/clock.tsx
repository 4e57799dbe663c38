import { useEffect, useState } from 'preact/hooks'

import { Act, Form, Select, textOf } from './actions.js'
import { clockTime, span } from './format.js'
import { AdvanceTo, jobLabel } from './home.js'
import { clockOffset, overview } from './state.js'

const TICK_MS = 250

const STEPS = [
  ['+1 min', { minutes: 1 }],
  ['+1 h', { hours: 1 }],
  ['+1 day', { days: 1 }],
  ['+1 week', { days: 7 }],
] as const

const UNITS = ['seconds', 'minutes', 'hours', 'days'] as const

/** The fake's clock, the buttons that advance it, and the next planned step. */
export function Clock() {
  return (
    <section class="clock" aria-label="The fake's clock">
      <Face />
      <div class="steps">
        {STEPS.map(([label, body]) => (
          <Act
            key={label}
            small
            label={label}
            command={{ path: '/clock/advance', body, done: `Clock: ${label}` }}
          />
        ))}
        <Advance />
      </div>
    </section>
  )
}

function Face() {
  const [, setTick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  const { clock, now: iso, next } = overview.value
  const now = clock === 'stopped' ? Date.parse(iso) : Date.now() + clockOffset.value
  const { day, time } = clockTime(now)
  const wait = next === null ? 0 : Date.parse(next.dueAt) - now
  return (
    <>
      <div id="clock">
        <span class="time">{time}</span>
        <span class="day">
          {day}{' '}
          <span class="zone" title="All times are UTC, as in the API">
            UTC
          </span>
          <span class="muted state"> · {clock}</span>
        </span>
      </div>
      <div class="next">
        {next === null || wait <= 0 ? (
          <span class="muted">No planned events</span>
        ) : (
          <>
            <span class="muted">
              In {span(wait)}: {jobLabel(next.kind)}
            </span>
            <AdvanceTo milliseconds={wait} />
          </>
        )}
      </div>
    </>
  )
}

function Advance() {
  const command = (fields: FormData) => {
    const amount = Number(fields.get('amount'))
    const unit = textOf(fields, 'unit')
    return { path: '/clock/advance', body: { [unit]: amount }, done: `Clock: +${amount} ${unit}` }
  }
  return (
    <Form name="advance" class="advance" command={command}>
      <input type="number" name="amount" defaultValue="15" min={1} aria-label="Amount" />
      <Select bare label="Unit" name="unit" options={UNITS.map((unit) => [unit, unit])} selected="minutes" />
      <button type="submit" class="button small">
        Advance
      </button>
    </Form>
  )
}
