import { PROVIDER_NUMBER, UUID, WEBHOOK_ID } from '../../support/samples.js'
import { type Reply, ScriptedServer } from '../../support/scripted-server.js'

export const refusal = (status: number, code: string): Reply => ({
  status,
  json: { error: true, code, message: 'no', errorList: [] },
})
export const reset: Reply = { reset: 'before' }
export const limited: Reply = { ...refusal(429, 'X'), headers: { 'retry-after': '1' } }

export const REFERRAL = `/v1/referrals/${UUID}`
export const WEBHOOK = `/v1/webhooks/${WEBHOOK_ID}`
export const PROVIDER = `/v1/providers/${PROVIDER_NUMBER}`

export const server = () => ScriptedServer.start()
