import {
  errorResponse,
  jsonResponse,
  NO_EFFECT,
  type ResponseDraft,
  type TransportEffect,
} from '../server/http.js'
import { type Intercept, sendsStatus } from '../server/pipeline.js'
import type { Fault } from './fault.js'
import type { FaultInjector } from './fault-injector.js'
import type { RateLimit } from './rate-limit.js'

const DEFAULT_STATUS = 500
const RESET: TransportEffect = { kind: 'reset', when: 'before' }

/**
 * Applies faults to requests, and the rate limit to API requests without a fault.
 *
 * @param sleep - Waits in real time, at most until the fake closes.
 */
export function createIntercept(
  faults: FaultInjector,
  rateLimit: RateLimit,
  sleep: (ms: number) => Promise<void>,
): Intercept {
  return async ({ part, method, path }, route, perform) => {
    const applied = faults.take(route, method, path)
    if (applied === undefined) {
      const rejected = part === 'api' ? rateLimit.count() : undefined
      return { response: rejected ?? (await perform()), effect: NO_EFFECT, fault: null }
    }
    const { id, fault } = applied
    if (fault.latencyMs !== undefined) await sleep(fault.latencyMs)
    const effect = transportEffect(fault)
    if (!replacesResponse(fault, effect))
      return { response: applyToResponse(await perform(), fault), effect, fault: id }
    const lost = fault.loseResponse === true ? await perform() : undefined
    const response = applyToResponse(faultResponse(fault), fault)
    return { response, effect, fault: id, lostCode: lost?.code }
  }
}

/**
 * Returns `true` when the client does not get the service's response. Checks `effect` instead of `reset`, `stall` and
 * `malformed`, because only the first of these fields has an effect.
 */
function replacesResponse(fault: Fault, effect: TransportEffect): boolean {
  return fault.status !== undefined || fault.loseResponse === true || !sendsStatus(effect)
}

function transportEffect(fault: Fault): TransportEffect {
  const lost = fault.loseResponse === true && fault.status === undefined
  if (lost && fault.stall !== 'headers' && fault.malformed !== 'http') return RESET
  if (fault.reset !== undefined) return { kind: 'reset', when: fault.reset }
  if (fault.stall !== undefined) return { kind: 'stall', when: fault.stall }
  if (fault.malformed === 'http') return { kind: 'garbage' }
  if (fault.truncate === true) return { kind: 'truncate' }
  if (fault.drip !== undefined) return { kind: 'drip', ...fault.drip }
  return NO_EFFECT
}

/** Creates the response that replaces the response of the service. */
function faultResponse(fault: Fault): ResponseDraft {
  const status = fault.status ?? DEFAULT_STATUS
  const code = fault.code ?? (status === 429 ? 'TOO_MANY_REQUESTS' : 'INTERNAL_ERROR')
  if (fault.body === undefined) return errorResponse(status, code, `fault injected: ${status}`)
  if (typeof fault.body !== 'string') return { ...jsonResponse(status, fault.body), code }
  const type = fault.body.trimStart().startsWith('<')
    ? 'text/html; charset=utf-8'
    : 'text/plain; charset=utf-8'
  return { status, headers: { 'content-type': type }, body: fault.body, code }
}

/** Adds the fault's headers to a response. With `malformed: 'json'`, cuts the response's text in half. */
function applyToResponse(response: ResponseDraft, fault: Fault): ResponseDraft {
  const headers: Record<string, string> = { ...response.headers, ...lowerCased(fault.headers ?? {}) }
  if (fault.retryAfter !== undefined) headers['retry-after'] = String(fault.retryAfter)
  if (fault.malformed !== 'json') return { ...response, headers }
  const bytes = Buffer.from(response.body)
  return { ...response, headers, body: bytes.subarray(0, Math.ceil(bytes.byteLength / 2)) }
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
