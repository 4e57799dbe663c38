import { useState } from 'preact/hooks'

import type { showFaults } from '../overview.js'
import { Act, Check, Form, Input, Select, Submit, textOf } from './actions.js'
import { useRead } from './control.js'
import { labelOf, number, plural, span } from './format.js'
import { Block, Empty } from './parts.js'
import { choices, route } from './state.js'

type FaultsView = ReturnType<typeof showFaults>
type Numbers = Readonly<Record<string, number>>

/** Numbers that the user enters for a fault, with their labels and initial values. */
const SETTINGS: Readonly<Record<string, readonly [label: string, start: string]>> = {
  status: ['Status', '503'],
  retryAfter: ['Retry-After (seconds)', ''],
  latencyMs: ['Milliseconds', '2000'],
  bytes: ['Bytes per write', '16'],
  everyMs: ['Interval (milliseconds)', '50'],
}

/** Kinds of request faults: the label, the numbers that the user enters, and the fault. */
const KINDS: Readonly<
  Record<string, readonly [label: string, settings: readonly string[], fault: (numbers: Numbers) => object]>
> = {
  status: ['Error status', ['status', 'retryAfter'], (numbers) => numbers],
  lost: ['Lost response', [], () => ({ loseResponse: true })],
  gateway: ['Request carried out, then 502', [], () => ({ loseResponse: true, status: 502 })],
  latency: ['Late response', ['latencyMs'], (numbers) => numbers],
  reset: ['Connection reset at once', [], () => ({ reset: 'before' })],
  'reset-mid-body': ['Connection reset after half the body', [], () => ({ reset: 'mid-body' })],
  truncate: ['Connection closed after half the body', [], () => ({ truncate: true })],
  'stall-headers': ['No response', [], () => ({ stall: 'headers' })],
  'stall-body': ['No data after half the body', [], () => ({ stall: 'body' })],
  drip: ['Slow body', ['bytes', 'everyMs'], (drip) => ({ drip })],
  'malformed-http': ['Response that is not HTTP', [], () => ({ malformed: 'http' })],
  'malformed-json': ['Incomplete JSON', [], () => ({ malformed: 'json' })],
}

const DELIVERY_KINDS = [
  ['bad-signature', 'Invalid signature'],
  ['duplicate', 'Duplicate'],
  ['reorder', 'Sent after the next event of the entity'],
  ['lost', 'Every attempt lost'],
] as const

export function Faults() {
  const { data } = useRead<FaultsView>('/console/faults')
  if (data === undefined) return null
  return (
    <div class="columns">
      <div>
        <Block title="Add a fault">
          <FaultForm key={route.value.id} chosen={route.value.id} />
        </Block>
        <Block title="Add a delivery fault">
          <DeliveryFaultForm />
        </Block>
        <Block title="Limit requests">
          <QuotaForm quota={data.quota} />
        </Block>
      </div>
      <div>
        <Block title="Pending faults">
          <Pending faults={data.faults} />
        </Block>
        <Block title="Pending delivery faults">
          <PendingDeliveries faults={data.deliveryFaults} />
        </Block>
        <div class="action-bar">
          <Act
            label="Remove all faults"
            tone="bad"
            title="Also removes delivery faults and the request limit"
            command={{ method: 'DELETE', path: '/faults', done: 'Faults removed' }}
          />
          {data.deliveryFaults.length === 0 ? null : (
            <Act
              label="Remove delivery faults"
              command={{ method: 'DELETE', path: '/deliveries/faults', done: 'Delivery faults removed' }}
            />
          )}
        </div>
      </div>
    </div>
  )
}

function FaultForm({ chosen }: { chosen: string }) {
  const { routes } = choices.value
  const [kind, setKind] = useState('status')
  const [, settings, make] = KINDS[kind] ?? ['', [], () => ({})]
  const offered = ['', '*', ...routes].includes(chosen) ? routes : [chosen, ...routes]
  const command = (fields: FormData) => {
    const given = settings.filter((name) => textOf(fields, name) !== '')
    const numbers = Object.fromEntries(given.map((name) => [name, Number(fields.get(name))]))
    const times = fields.has('always') ? null : Number(fields.get('times'))
    const body = { route: textOf(fields, 'route'), ...make(numbers), times, nth: Number(fields.get('nth')) }
    return { path: '/faults', body, done: 'Fault added' }
  }
  return (
    <Form name="inject" command={command}>
      <Select
        label="Route"
        name="route"
        options={[['*', 'Any request'], ...offered.map((one) => [one, one] as const)]}
        selected={chosen}
      />
      <Select
        label="Fault"
        name="kind"
        options={Object.entries(KINDS).map(([name, [label]]) => [name, label])}
        selected={kind}
        picked={setKind}
      />
      {settings.map((name) => (
        <NumberInput
          key={name}
          label={SETTINGS[name]?.[0] ?? name}
          name={name}
          start={SETTINGS[name]?.[1]}
          min={0}
        />
      ))}
      <NumberInput label="Number of requests" name="times" />
      <NumberInput label="First affected request" name="nth" />
      <Check label="Every following request" name="always" />
      <Submit>Add fault</Submit>
    </Form>
  )
}

interface NumberProps {
  readonly label: string
  readonly name: string
  readonly start?: string | undefined
  readonly min?: number
}

export function NumberInput({ label, name, start = '1', min = 1 }: NumberProps) {
  return <Input label={label} type="number" name={name} defaultValue={start} min={min} />
}

function DeliveryFaultForm() {
  const command = (fields: FormData) => {
    const eventName = textOf(fields, 'eventName')
    return {
      path: '/deliveries/faults',
      body: {
        kind: textOf(fields, 'kind'),
        times: Number(fields.get('times')),
        ...(eventName === '' ? {} : { eventName }),
      },
      done: 'Delivery fault added',
    }
  }
  const events = choices.value.events.map((name) => [name, name] as const)
  return (
    <Form name="deliveryFault" command={command}>
      <Select label="Fault" name="kind" options={DELIVERY_KINDS} />
      <Select label="Event" name="eventName" options={[['', 'Any event'], ...events]} />
      <NumberInput label="Number of deliveries" name="times" />
      <Submit>Add fault</Submit>
    </Form>
  )
}

function QuotaForm({ quota }: { quota: FaultsView['quota'] }) {
  const command = (fields: FormData) => ({
    method: 'PUT' as const,
    path: '/quota',
    body: { limit: Number(fields.get('limit')), perMs: Number(fields.get('seconds')) * 1000 },
    done: 'Request limit set',
  })
  return (
    <Form name="quota" command={command}>
      <NumberInput label="Requests" name="limit" start="10" min={0} />
      <NumberInput label="Period (seconds)" name="seconds" start="60" />
      <Submit>Set limit</Submit>
      {quota === null ? (
        <p class="hint">No limit. Requests above a limit get 429. The period is on the fake's clock.</p>
      ) : (
        <p class="hint">
          The limit is {plural(quota.limit, 'request')} in {span(quota.perMs)}. Requests in the current
          period: {number(quota.used)}.{' '}
          <Act label="Remove limit" command={{ method: 'DELETE', path: '/quota', done: 'Limit removed' }} />
        </p>
      )}
    </Form>
  )
}

function Pending({ faults }: { faults: FaultsView['faults'] }) {
  if (faults.length === 0) return <Empty>No pending faults.</Empty>
  return (
    <ul class="cards">
      {faults.map(({ id, route: where, fault, left, used }) => (
        <li key={id}>
          <span class="muted">#{id}</span>
          <span class="mono wide">
            {where === '*' ? 'Any request' : where}
            <br />
            {Object.entries(fault)
              .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
              .join(', ')}
          </span>
          <span class="muted">
            {left === null ? `every request, ${used} so far` : plural(left, 'request')}
          </span>
          <Act
            label="Remove"
            command={{ method: 'DELETE', path: `/faults/${id}`, done: `Fault ${id} removed` }}
          />
        </li>
      ))}
    </ul>
  )
}

function PendingDeliveries({ faults }: { faults: FaultsView['deliveryFaults'] }) {
  if (faults.length === 0) return <Empty>No pending delivery faults.</Empty>
  return (
    <ul class="cards">
      {faults.map(({ kind, eventName, timesLeft }, place) => (
        <li key={place}>
          <span class="wide">{labelOf(kind)}</span>
          <span class="mono muted">{eventName ?? 'any event'}</span>
          <span class="muted">{number(timesLeft)}</span>
        </li>
      ))}
    </ul>
  )
}
