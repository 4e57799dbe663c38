import { expect, it } from 'vitest'
import { createFake, orderOverApi } from '../support.js'

it.each([
  ['male', 3, Number.POSITIVE_INFINITY],
  ['female', 0, 3],
] as const)(
  'generated values follow the range of the sex: testosterone, %s (§2.6)',
  async (gender, low, high) => {
    const fake = createFake()
    for (let count = 0; count < 5; count += 1) {
      const uuid = await orderOverApi(fake, { gender, tests: ['testosterone'] })
      const { resultsUuid } = fake.referrals.complete(uuid)
      const { biomarkers } = fake.results.retrieve(resultsUuid ?? '')
      const value = Number(biomarkers.find(({ id }) => id === 'testosterone')?.canonical.value)
      expect(value).toBeGreaterThan(low)
      expect(value).toBeLessThan(high)
    }
  },
)
