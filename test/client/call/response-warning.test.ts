import type { ClientOptions } from 'pathology-sdk'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { CANARIES, canariesIn } from '../../support/canaries.js'
import { clientOf } from '../../support/clients.js'
import { referral, UUID } from '../../support/samples.js'
import { ScriptedServer } from '../../support/scripted-server.js'

/** Process warnings of a client that reads two referrals which differ from the contract. */
async function warningsOf(options: ClientOptions): Promise<readonly string[]> {
  const lines: string[] = []
  const spy = vi
    .spyOn(process, 'emitWarning')
    .mockImplementation((line, type) => void lines.push(`${String(type)}: ${String(line)}`))
  onTestFinished(() => spy.mockRestore())
  const service = await ScriptedServer.start()
  const client = clientOf(service.origin, options)
  for (const field of ['status', 'tests']) {
    service.on(`GET /v1/referrals/${UUID}`, { json: { ...referral(), [field]: { a: CANARIES.lastName } } })
    await client.referrals.retrieve(UUID).catch(() => undefined)
  }
  return lines
}

describe('responses that differ from the contract, without a logger', () => {
  it('the first difference is a process warning, without its values (§2)', async () => {
    const lines = await warningsOf({ logger: undefined })
    expect(lines).toEqual([
      expect.stringMatching(
        /^PathologyWarning: a response of referrals\.retrieve differs from the contract: status should be .*pass a logger/,
      ),
    ])
    expect(canariesIn(lines.join())).toEqual([])
  })

  it.each<[string, ClientOptions]>([
    ['a logger', { logger: {} }],
    ['strict', { responseValidation: 'strict' }],
    ['off', { responseValidation: 'off' }],
  ])('%s shows no process warning', async (_, options) => {
    expect(await warningsOf({ logger: undefined, ...options })).toEqual([])
  })
})
