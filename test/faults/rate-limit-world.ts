import type { ClientOptions } from 'pathology-sdk'
import { clientOf } from '../support/clients.js'
import { referral, UUID } from '../support/samples.js'
import { type Reply, type Script, ScriptedServer } from '../support/scripted-server.js'
import { SkippingClock } from '../support/skipping-clock.js'

/** Every wait except the time limits of token requests and of calls, and the wait for the response to the first call. */
export const skip = (delayMs: number): boolean =>
  delayMs !== 30_000 && delayMs <= 70_000 && Math.round(delayMs) !== 2_000

export const REFERRAL = `GET /v1/referrals/${UUID}`
export const NOW = Date.parse('2026-03-02T01:02:03Z')

export async function setUp(replies: readonly Script[], options: ClientOptions = {}) {
  const service = await ScriptedServer.start()
  service.on(REFERRAL, ...replies)
  const clock = new SkippingClock({ skip })
  const client = clientOf(service.origin, { clock, timeout: 100_000, ...options })
  return { service, clock, client }
}

export const limited = (retryAfter?: string, status = 429): Reply => ({
  status,
  json: { error: true, code: 'RATE_LIMITED', message: 'slow down', errorList: [] },
  headers: {
    date: new Date(NOW).toUTCString(),
    ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
  },
})
export const good: Script = { json: referral() }
