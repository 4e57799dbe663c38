import { describe, expect, it } from 'vitest'

import { createFake } from '../support.js'

describe('options of the fake', () => {
  it.each<[object, RegExp]>([
    [{ colour: 'red' }, /no option 'colour'/],
    [{ seed: 1.5 }, /option 'seed' must be an integer/],
    [{ environment: 'moon' }, /option 'environment' must be one of staging, production/],
    [{ errorStatuses: { NOPE: 400 } }, /option 'errorStatuses'/],
    [{ issueTiming: { afterMs: -1 } }, /option 'issueTiming'/],
    [{ startTime: 'yesterday' }, /option 'startTime' must be a time/],
  ])('%o is rejected', (options, message) => {
    expect(() => createFake(options)).toThrow(message)
  })

  it('0 means zero, undefined means default', () => {
    expect(createFake({ seedReferrals: 0 }).referrals.all()).toHaveLength(0)
    expect(createFake({ seedReferrals: undefined }).referrals.all().length).toBeGreaterThan(20)
  })
})
