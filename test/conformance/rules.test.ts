import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refusalsOf } from '../../src/cli/contract-check/refusals.js'
import type { ContractReport } from '../../src/cli/contract-check/report.js'
import { checkContract } from '../../src/cli/contract-check/run.js'
import { ENDPOINTS } from '../../src/contract/endpoints.js'
import { setUpMedicare } from './support/medicare.js'
import { startService } from './support/service.js'

/** Every rule of src/testing/rules that is data, and the checks of `contract check`, against the fake over HTTP. */
const service = await startService()
afterAll(() => service.stop())

const nothing = (): void => undefined

describe('the table of rules', () => {
  let report: ContractReport
  beforeAll(async () => {
    await setUpMedicare(service)
    report = await checkContract({
      ...service,
      environment: 'staging',
      write: true,
      writeWebhooks: true,
      refuseProviders: true,
      maxPages: 10,
      pdfTimeoutMs: 5_000,
      signal: AbortSignal.timeout(60_000),
      now: Date.now,
      onStep: nothing,
      onWarning: nothing,
    })
  }, 60_000)

  it('no response differs', () => expect(report.differences).toEqual([]))

  it.each(ENDPOINTS.map(({ id }) => id))('every refusal of %s was sent', (id) => {
    const samples = {
      ...{ tests: ['a'], otherTests: ['b'], bundles: ['c'], vendors: ['d'], centres: ['e'] },
      practitioner: { name: 'f', address: 'g', providerNumber: '2449001X' },
      unsigned: '2426621B',
      webhookUrl: 'https://hooks.example.com/x',
    }
    const rows = refusalsOf(samples).filter(({ endpoint }) => endpoint.id === id)
    expect(report.checked[id]?.requests).toBeGreaterThanOrEqual(rows.length)
    expect(rows.length).toBeGreaterThan(0)
  })
})
