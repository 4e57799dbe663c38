import type { ClientOptions } from 'pathology-sdk'
import { clientOf } from '../support/clients.js'
import { UUID } from '../support/samples.js'
import { type Reply, ScriptedServer } from '../support/scripted-server.js'

export const REFERRAL = `GET /v1/referrals/${UUID}`

export async function retrieve(reply: Reply, options: ClientOptions = {}) {
  const service = await ScriptedServer.start()
  service.on(REFERRAL, reply)
  const warnings: string[] = []
  const logger = { warn: (message: string) => warnings.push(message) }
  const client = clientOf(service.origin, { logger, maxRetries: 0, ...options })
  return { client, service, warnings, call: () => client.referrals.retrieve(UUID) }
}
