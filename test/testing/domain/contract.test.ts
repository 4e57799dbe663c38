import { FakePathologyService } from 'pathology-sdk/testing'
import { afterAll, describe, expect, it } from 'vitest'

import { recordDifferences } from '../../../src/cli/contract-check/record-rules.js'
import { issuesOf } from '../../../src/contract/check.js'
import { ENDPOINTS } from '../../../src/contract/endpoints.js'
import { CHECKS } from '../../../src/contract/generated/checks.js'
import type { ResponseSchemaName } from '../../../src/contract/schemas/index.js'
import { authorised, createFake, NOW, record } from '../support.js'

/** Problems by the client's checks, by the schema, and by the rules for each record in src/testing/rules. */
const check = (name: ResponseSchemaName, value: unknown) => [
  ...issuesOf(CHECKS[name], value),
  ...recordDifferences(name, value).filter(({ level }) => level === 'contract'),
]
const READS = ENDPOINTS.filter(({ method }) => method === 'GET')

describe('every response of the fake fits the contract', () => {
  const fake = new FakePathologyService({ startTime: NOW, centreCount: 500 })
  const webhook = fake.webhooks.createInPortal({ url: 'https://hooks.integrator.example/' })
  afterAll(() => fake.close())

  it.each(READS.map((endpoint) => [endpoint.id, endpoint] as const))(
    'every record in the response of %s fits the contract (§4)',
    async (_id, { path, response }) => {
      const ids: Readonly<Record<string, string | undefined>> = {
        '/v1/referrals/{uuid}': fake.referrals.all()[0]?.uuid,
        '/v1/results/{uuid}': fake.results.all()[0]?.uuid,
        '/v1/collection-centres/{uuid}': fake.centres.all()[0]?.uuid,
        '/v1/providers/{providerNumber}': fake.providers.all()[0]?.providerNumber,
        '/v1/webhooks/{id}': webhook.id,
      }
      const real = path.replace(/\{\w+\}/, ids[path] ?? 'missing')
      const answer = await fake.fetch(`${fake.baseUrl}${real}`, { headers: await authorised(fake) })
      expect(answer.status).toBe(200)
      const body: unknown = await answer.json()
      const rows = response.kind === 'list' ? record(body)[response.key] : [body]
      expect(Array.isArray(rows) && rows.length > 0).toBe(true)
      for (const row of Array.isArray(rows) ? rows : []) expect(check(response.schema, row)).toEqual([])
      expect(response.kind !== 'list' || !response.paged || record(body)['cursor'] !== undefined).toBe(true)
    },
  )

  it.each([
    ['referral (§2.4)', 'Referral', (fake: ReturnType<typeof createFake>) => fake.referrals.all()],
    ['result (§2.5)', 'Result', (fake: ReturnType<typeof createFake>) => fake.results.all()],
    ['centre (§2.11)', 'CollectionCentre', (fake: ReturnType<typeof createFake>) => fake.centres.all()],
  ] as const)('with several seeds, the contract fits every %s', (_name, schema, all) => {
    for (const seed of [1, 2, 3]) {
      const fake = createFake({ seed, seedReferrals: 200, centreCount: 500 })
      const rows: readonly unknown[] = all(fake)
      expect(rows.length).toBeGreaterThan(50)
      expect(rows.flatMap((row) => check(schema, row))).toEqual([])
    }
  })
})
