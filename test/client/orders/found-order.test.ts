import { describe, expect, it } from 'vitest'
import { isComplete } from '../../../src/client/orders/find-order.js'
import { medicareOrder, order, referral } from '../../support/samples.js'

describe('§4.1 whether the referrals that were found are the order', () => {
  const SENT_AT = Date.parse('2026-03-02T01:00:10Z')
  const at = (ms: number) => referral({ createdAt: new Date(SENT_AT + ms).toISOString() })
  const search = (orderKey: string | undefined, given = order()) => ({
    sought: { order: given, orderKey, older: new Set<string>() },
    since: () => 0,
    startedAt: () => SENT_AT,
    call: {},
    knownReferrals: new Set<string>(),
  })

  it.each([
    ['after it was sent', 60_000, true],
    ['a little before, in full seconds', -2_000, true],
    ['before that', -2_001, false],
  ])('without a key, an order placed %s: %s', (_, ms, expected) => {
    expect(isComplete(search(undefined), [at(ms)])).toBe(expected)
    expect(isComplete(search('job-1'), [at(ms)])).toBe(true)
  })

  it("without a key, both referrals must have the order's time, and a third referral is one too many", () => {
    const two = search(undefined, medicareOrder())
    expect(isComplete(two, [at(0), at(1)])).toBe(true)
    expect(isComplete(two, [at(-60_000), at(1)])).toBe(false)
    expect(isComplete(two, [at(0), at(1), at(2)])).toBe(false)
  })
})
