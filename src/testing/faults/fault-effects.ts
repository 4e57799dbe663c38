import { errorReply, jsonReply, NO_EFFECT, type Reply, type WireEffect } from '../server/http.js'
import type { Fault } from './fault.js'

const DEFAULT_STATUS = 500
const RESET: WireEffect = { kind: 'reset', when: 'before' }

/** Whether something else goes out in place of the answer. */
export function replacesAnswer(fault: Fault): boolean {
  return (
    fault.status !== undefined ||
    fault.loseAnswer === true ||
    fault.reset === 'before' ||
    fault.stall === 'headers' ||
    fault.malformed === 'http'
  )
}

/** What a fault does on the wire. */
export function wireEffect(fault: Fault): WireEffect {
  if (fault.reset !== undefined) return { kind: 'reset', when: fault.reset }
  if (fault.stall !== undefined) return { kind: 'stall', when: fault.stall }
  if (fault.malformed === 'http') return { kind: 'garbage' }
  if (fault.truncate === true) return { kind: 'truncate' }
  if (fault.drip !== undefined) return { kind: 'drip', ...fault.drip }
  return fault.loseAnswer === true && fault.status === undefined ? RESET : NO_EFFECT
}

/** The answer that a fault gives in place of the service's. */
export function faultReply(fault: Fault): Reply {
  const status = fault.status ?? DEFAULT_STATUS
  const code = fault.code ?? (status === 429 ? 'TOO_MANY_REQUESTS' : 'INTERNAL_ERROR')
  if (fault.body === undefined) return errorReply(status, code, `fault injected: ${status}`)
  if (typeof fault.body !== 'string') return { ...jsonReply(status, fault.body), code }
  const type = fault.body.trimStart().startsWith('<')
    ? 'text/html; charset=utf-8'
    : 'text/plain; charset=utf-8'
  return { status, headers: { 'content-type': type }, body: fault.body, code }
}

/** A reply with a fault's headers on it, and its JSON cut short if the fault says so. */
export function spoil(reply: Reply, fault: Fault): Reply {
  const headers: Record<string, string> = { ...reply.headers, ...lowerCased(fault.headers ?? {}) }
  if (fault.retryAfter !== undefined) headers['retry-after'] = String(fault.retryAfter)
  if (fault.malformed !== 'json') return { ...reply, headers }
  const bytes = Buffer.from(reply.body)
  return { ...reply, headers, body: bytes.subarray(0, Math.ceil(bytes.byteLength / 2)) }
}

/** Too many requests (§8): the status is HTTP's, for the specification shows none. */
export function quotaReply(retryAfterSeconds: number): Reply {
  return errorReply(429, 'TOO_MANY_REQUESTS', 'the request limit of the organisation was reached', [], {
    'retry-after': String(retryAfterSeconds),
  })
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
