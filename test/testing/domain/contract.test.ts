import { describe, expect, it } from 'vitest'

import { recordDifferences } from '../../../src/cli/contract-check/record-rules.js'
import { issuesOf } from '../../../src/contract/check.js'
import { CHECKS } from '../../../src/contract/generated/checks.js'
import type { ResponseSchemaName } from '../../../src/contract/schemas/index.js'
import { createFake } from '../support.js'

/** Problems by the client's checks, by the schema, and by the rules for each record in src/testing/rules. */
const check = (name: ResponseSchemaName, value: unknown) => [
  ...issuesOf(CHECKS[name], value),
  ...recordDifferences(name, value).filter(({ level }) => level === 'contract'),
]

describe('every record of the fake fits the contract', () => {
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
