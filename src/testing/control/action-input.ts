import type { Fault, FaultWhen } from '../faults/fault.js'

type Body = Readonly<Record<string, unknown>>

/** Fields of a fault in a control request, with their descriptions. */
export const FAULT_FIELDS: Readonly<Record<keyof Fault | keyof FaultWhen, string>> = {
  status:
    'integer: HTTP status, 200 to 599, of a replacement response; the request is carried out only with loseResponse',
  body: 'body of the response: a string is sent as it is, any other value as JSON; needs status',
  code: 'string: error code in the default body; needs status',
  headers: 'object: headers to add to the response; they replace headers with the same names',
  retryAfter: 'Retry-After header: seconds, or any text',
  latencyMs: 'integer: milliseconds of real time before the request is handled',
  reset:
    'before or mid-body: resets the connection; before: instead of a response, and carries out the request only with loseResponse; mid-body: after half the body',
  truncate: 'boolean: closes the connection after half the body',
  malformed:
    'http or json: http sends bytes that are not HTTP, and carries out the request only with loseResponse; json sends half the JSON text',
  stall:
    'headers or body: keeps the connection open; headers sends no response, and carries out the request only with loseResponse; body sends half the body',
  drip: 'object: sends the body in writes of `bytes` bytes, with `everyMs` milliseconds between two writes',
  loseResponse:
    'boolean: carries out the request, then loses the response; the connection is reset, except with status, stall: headers or malformed: http',
  times: 'number of requests, default 1; null for all',
  nth: 'number of the first matching request that gets the fault, default 1',
  probability: 'probability for each matching request, from 0 to 1, default 1',
}

const WHEN_FIELDS = ['times', 'nth', 'probability']

/** Reads the arguments of `faults.next()`. */
export function readFault(body: Body): { route: string; fault: Fault; when: FaultWhen } {
  const { route, ...rest } = body
  const fields = Object.entries(rest)
  const fault = Object.fromEntries(fields.filter(([name]) => !WHEN_FIELDS.includes(name)))
  const when = Object.fromEntries(fields.filter(([name]) => WHEN_FIELDS.includes(name)))
  if (when['times'] === null) when['times'] = Number.POSITIVE_INFINITY
  if (typeof route !== 'string' || route === '')
    throw new RangeError('route must be a string that is not empty')
  return { route, fault, when }
}
