import type { ClientOptions } from 'pathology-sdk'
import { CANARIES } from '../../support/canaries.js'
import { clientOf } from '../../support/clients.js'
import { referral, UUID } from '../../support/samples.js'
import {
  accessToken,
  type Reply,
  refreshToken,
  type Script,
  ScriptedServer,
} from '../../support/scripted-server.js'
import { SkippingClock } from '../../support/skipping-clock.js'

export const TOKEN = 'POST /oauth/token'
export const REFERRAL = `GET /v1/referrals/${UUID}`

export const unauthorised: Reply = {
  status: 401,
  json: { error: true, code: 'INVALID_JWT', message: 'Invalid access token', errorList: [] },
}

export const grant = (nth: number, change: Record<string, unknown> = {}): Reply => ({
  json: {
    access_token: accessToken(nth),
    refresh_token: refreshToken(nth),
    token_type: 'Bearer',
    expires_in: 3_600,
    refresh_expires_in: 2_592_000,
    ...change,
  },
})

export const refusal = (code: string, status = 401, type = 'X'): Reply => ({
  status,
  json: { error: true, code, type, message: `no: ${CANARIES.clientSecret}` },
})

export async function setUp(tokens: readonly Script[] = [], options: ClientOptions = {}) {
  const service = await ScriptedServer.start()
  if (tokens.length > 0) service.on(TOKEN, ...tokens)
  service.on(REFERRAL, { json: referral() })
  const clock = new SkippingClock()
  const client = clientOf(service.origin, { clock, ...options })
  const call = () => client.referrals.retrieve(UUID)
  const forms = () => service.tokenRequests.map(({ body }) => Object.fromEntries(new URLSearchParams(body)))
  const bearers = () => service.calls.map(({ headers }) => headers.authorization)
  return { service, clock, client, call, forms, bearers }
}
