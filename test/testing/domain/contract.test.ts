import { describe, expect, it } from 'vitest'

import { issuesOf } from '../../../src/contract/check.js'
import { ENDPOINTS } from '../../../src/contract/endpoints.js'
import { CHECKS } from '../../../src/contract/generated/checks.js'
import { authorised, createFake, record } from '../support.js'

const check = (name: keyof typeof CHECKS, value: unknown) => issuesOf(CHECKS[name], value)
const READS = ENDPOINTS.filter(({ method }) => method === 'GET')

describe('every response of the fake fits the contract', () => {
  it.each(READS.map((endpoint) => [endpoint.id, endpoint] as const))(
    '§4 %s',
    async (_id, { path, response }) => {
      const fake = createFake()
      const webhook = fake.webhooks.createInPortal({ url: 'https://hooks.integrator.example/' })
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
    ['§2.4 referrals', 'Referral', (fake: ReturnType<typeof createFake>) => fake.referrals.all()],
    ['§2.5 results', 'Result', (fake: ReturnType<typeof createFake>) => fake.results.all()],
    ['§2.11 centres', 'CollectionCentre', (fake: ReturnType<typeof createFake>) => fake.centres.all()],
  ] as const)('%s with several seeds, every one', (_name, schema, all) => {
    for (const seed of [1, 2, 3]) {
      const fake = createFake({ seed, seedReferrals: 200, centreCount: 500 })
      const rows: readonly unknown[] = all(fake)
      expect(rows.length).toBeGreaterThan(50)
      expect(rows.flatMap((row) => check(schema, row))).toEqual([])
    }
  })
})
