import { ApiError, type PathologyClient } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { PROVIDER_NUMBER } from '../../support/samples.js'
import { ScriptedServer } from '../../support/scripted-server.js'

const PROVIDER = `/v1/providers/${PROVIDER_NUMBER}`
const routing = { vendorIds: ['a'], attestation: { attestedBy: 'Dr Roe', doctorSignedAt: '2026-03-01' } }

const CALLS: readonly (readonly [string, (client: PathologyClient) => PromiseLike<unknown>])[] = [
  [`GET ${PROVIDER}`, ({ providers }) => providers.retrieve(PROVIDER_NUMBER)],
  [`PUT ${PROVIDER}`, ({ providers }) => providers.update(PROVIDER_NUMBER, { title: 'Dr' })],
  [`DELETE ${PROVIDER}`, ({ providers }) => providers.retire(PROVIDER_NUMBER)],
  [`POST ${PROVIDER}/routing`, ({ providers }) => providers.requestRouting(PROVIDER_NUMBER, routing)],
]

it.each(CALLS)(
  'PROVIDER_NOT_FOUND is an ApiError with this code for each status, of %s (§7)',
  async (route, call) => {
    const server = await ScriptedServer.start()
    const client = clientOf(server.origin)
    for (const status of [400, 404, 409, 410]) {
      const json = { error: true, code: 'PROVIDER_NOT_FOUND', message: 'none', errorList: [] }
      server.on(route, { status, json })
      const error = await rejection(call(client))
      expect(error).toBeInstanceOf(ApiError)
      expect(error).toMatchObject({ status, code: 'PROVIDER_NOT_FOUND', outcome: 'failed', attempts: 1 })
    }
  },
)
