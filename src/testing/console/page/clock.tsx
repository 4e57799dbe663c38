import { useEffect, useState } from 'preact/hooks'

import { clockTime } from '../format.js'
import type { Button } from '../view.js'
import { Buttons } from './buttons.js'
import { AdvanceTo } from './page.js'
import { clockOffset, overview } from './state.js'

const TICK_MS = 250
const STEPS = [
  ['+1 min', { minutes: 1 }],
  ['+1 h', { hours: 1 }],
  ['+1 day', { days: 1 }],
  ['+1 week', { days: 7 }],
] as const
const ADVANCE = { method: 'POST', path: '/clock/advance' } as const
const AMOUNTS = ['minutes', 'hours', 'days', 'seconds', 'milliseconds']

const BUTTONS: readonly Button[] = [
  ...STEPS.map(([label, body]) => ({ ...ADVANCE, label, body, done: `Clock: ${label}` })),
  { ...ADVANCE, label: 'Advance', fields: Object.fromEntries(AMOUNTS.map((name) => [name, 'integer'])) },
]

/** The fake's clock, the buttons that advance it, and the next planned step. */
export function Clock() {
  const { next } = overview.value
  return (
    <section class="clock row" aria-label="The fake's clock">
      <Face />
      <div class="row">
        <Buttons of={BUTTONS} />
      </div>
      <div class="next row muted">
        {next === null ? (
          'No planned events'
        ) : (
          <>
            {next.title} <AdvanceTo iso={next.at} />
          </>
        )}
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
  const { clock, now } = overview.value
  const { day, time } = clockTime(clock === 'stopped' ? Date.parse(now) : Date.now() + clockOffset.value)
  return (
    <div id="clock">
      <b>{time}</b>
      <small>
        {day}{' '}
        <span class="zone" title="All times are UTC, as in the API">
          UTC
        </span>
        <span class="muted state"> · {clock}</span>
      </small>
    </div>
  )
}
