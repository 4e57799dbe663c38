import { type ClientOptions, PathologyClient } from 'pathology-sdk'
import { openPlace, type SharedPlace } from './fleet-places.js'
import { ShiftedClock } from './shifted-clock.js'

/** Command to the processes of a fleet. */
export type FleetOrder =
  | { readonly do: 'open'; readonly options: ClientOptions; readonly place: SharedPlace }
  | { readonly do: 'call'; readonly calls: number }
  | { readonly do: 'age'; readonly ms: number }
  | { readonly do: 'close' }

/** Outcome of a command: the number of successful calls, and the errors of the failed calls. */
export interface FleetAnswer {
  readonly succeeded: number
  readonly errors: readonly string[]
}

interface Open {
  readonly client: PathologyClient
  readonly clock: ShiftedClock
  close(): Promise<void>
}

const DONE: FleetAnswer = { succeeded: 0, errors: [] }

let member: Open | undefined

async function obey(order: FleetOrder): Promise<FleetAnswer> {
  if (order.do === 'open') member = await open(order.options, order.place)
  if (order.do === 'call') return call(order.calls)
  if (order.do === 'age') member?.clock.advance(order.ms)
  if (order.do === 'close') await member?.close()
  return DONE
}

async function open(options: ClientOptions, place: SharedPlace): Promise<Open> {
  const { tokenStore, tokenLock, close } = await openPlace(place)
  const clock = new ShiftedClock()
  const client = new PathologyClient({ ...options, tokenStore, tokenLock, clock })
  return {
    client,
    clock,
    async close() {
      await client.close()
      await close()
    },
  }
}

async function call(calls: number): Promise<FleetAnswer> {
  if (member === undefined) throw new Error('there is no client to call with')
  const { vendors } = member.client
  const results = await Promise.allSettled(Array.from({ length: calls }, () => vendors.list().toArray()))
  const failed = results.filter((result) => result.status === 'rejected')
  return { succeeded: calls - failed.length, errors: failed.map(({ reason }) => String(reason)) }
}

process.on('message', (order: FleetOrder) => {
  obey(order).then(
    (answer) => process.send?.(answer),
    (error: unknown) => process.send?.({ succeeded: 0, errors: [String(error)] }),
  )
})
process.send?.(DONE)
