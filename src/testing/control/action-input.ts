import type { EventName } from '../../contract/events.js'
import type { TriggerRequest } from '../domain/deliveries-methods.js'
import type { Fault, FaultWhen, Quota } from '../faults/fault.js'

type Body = Readonly<Record<string, unknown>>

/** The fields of a fault in a control request, each with what it is. */
export const FAULT_FIELDS: Readonly<Record<keyof Fault | keyof FaultWhen, string>> = {
  status: 'answer with this HTTP status instead of doing the work',
  body: 'the body of that answer: a string as it is, anything else as JSON',
  code: 'the code of the default body',
  headers: 'object: more response headers',
  retryAfter: 'seconds, or any text',
  latencyMs: 'milliseconds of real time before anything happens',
  reset: 'before or mid-body: reset the connection',
  truncate: 'boolean: close the connection after half the body',
  malformed: 'http or json',
  stall: 'headers or body: never answer, or stop after half the body',
  drip: 'object: bytes, everyMs',
  loseAnswer: 'boolean: do the work, then lose the answer',
  times: 'how many requests meet it, default 1; null for all',
  nth: 'the first matching request to meet it, default 1',
  probability: 'from 0 to 1, default 1',
}

const WHEN_FIELDS = ['times', 'nth', 'probability']

/** A fault as `faults.next()` takes it. */
export function readFault(body: Body): { route: string; fault: Fault; when: FaultWhen } {
  const { route, ...rest } = body
  const fields = Object.entries(rest)
  const fault = Object.fromEntries(fields.filter(([name]) => !WHEN_FIELDS.includes(name)))
  const when = Object.fromEntries(fields.filter(([name]) => WHEN_FIELDS.includes(name)))
  if (when['times'] === null) when['times'] = Number.POSITIVE_INFINITY
  return { route: text(route, 'route'), fault, when }
}

/** A quota as `faults.quota()` takes it. */
export function readQuota({ limit, perMs }: Body): Quota {
  return { limit: Number(limit), perMs: Number(perMs) }
}

/** An event as `trigger()` takes it. */
export function readTrigger({ eventName, entityUuid, data }: Body): {
  eventName: EventName
  request: TriggerRequest
} {
  return {
    eventName: text(eventName, 'eventName'),
    request: {
      ...(entityUuid === undefined ? {} : { entityUuid: text(entityUuid, 'entityUuid') }),
      ...(typeof data === 'object' && data !== null ? { data: { ...data } } : {}),
    },
  }
}

function text(value: unknown, name: string): string {
  if (typeof value !== 'string' || value === '')
    throw new RangeError(`${name} must be a string that is not empty`)
  return value
}
