import { ORDER_KEY_FIELD, type Referral } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import {
  isComplete,
  isOfOlderOrder,
  isUnclear,
  matches,
  type Search,
} from '../../../src/client/orders/match-order.js'
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
  it('without a key and a time of the request, a referral is never the order', () => {
    expect(isComplete({ ...search(undefined), startedAt: undefined }, [at(0)])).toBe(false)
  })
})

describe('§4.1 whether a referral belongs to the order', () => {
  const SINCE = Date.parse('2026-03-02T01:00:00Z')
  const KEY = 'job-1'
  const withKey = { metadata: { [ORDER_KEY_FIELD]: KEY } }
  const search = (change: Partial<Search> = {}): Search => ({
    sought: { order: order(), orderKey: undefined, older: new Set() },
    windowStart: () => SINCE,
    startedAt: () => SINCE,
    options: {},
    knownReferrals: new Set(),
    ...change,
  })
  const placed = (ms: number, change: Partial<Referral> = {}): Referral =>
    referral({ createdAt: new Date(SINCE + ms).toISOString(), ...change })
  const person = (change: Partial<Referral['person']>) => ({ person: { ...referral().person, ...change } })
  const unreadable = (change: object): Referral => Object.assign(placed(0), change)

  it.each<[string, Referral, boolean]>([
    ['the same data', placed(0), true],
    ['no readable reference number', unreadable({ referenceNumber: null }), false],
    ['another reference number', placed(0, { referenceNumber: 'another' }), false],
    ['another first name', placed(0, person({ firstName: 'Otto' })), false],
    ['another last name', placed(0, person({ lastName: 'Otto' })), false],
    ['another date of birth', placed(0, person({ dob: '1950-01-01' })), false],
    ['no person', unreadable({ person: undefined }), false],
    ['other tests', placed(0, { tests: ['tsh'] }), false],
    ['the key of another order', placed(0, withKey), false],
    ['a time before the window', placed(-1), false],
  ])('without a key, a referral with %s', (_, shown, expected) => {
    expect(matches(search(), shown)).toBe(expected)
  })

  it('without a key, a known referral belongs to another order', () => {
    const shown = placed(0)
    expect(matches(search({ knownReferrals: new Set([shown.uuid]) }), shown)).toBe(false)
  })

  it.each<[string, Referral, boolean, boolean]>([
    ['in the window', placed(0, withKey), true, false],
    ['before the window', placed(-1, withKey), true, true],
    ['at a time that is not text', unreadable({ ...withKey, createdAt: 7 }), true, false],
    ['without the key', placed(0), false, false],
    ['without the key, before the window', placed(-1), false, false],
  ])('with the key of the caller: a referral %s', (_, shown, hasKey, isOlder) => {
    const sought = { order: order(withKey), orderKey: KEY, older: new Set<string>() }
    expect(matches(search({ sought }), shown)).toBe(hasKey)
    expect(isOfOlderOrder(search({ sought, startedAt: undefined }), shown)).toBe(isOlder)
    // Only a lookup before the request shows which order is older.
    expect(isOfOlderOrder(search({ sought }), shown)).toBe(false)
    sought.older.add(shown.uuid)
    expect(matches(search({ sought }), shown)).toBe(false)
  })

  it('with the key, an order that was sent is also found before the window, because the clock of the service may be incorrect', () => {
    const sought = { order: order(withKey), orderKey: KEY, older: new Set<string>() }
    expect(matches(search({ sought }), placed(-60_000, withKey))).toBe(true)
  })

  it.each<[string, Partial<Referral>, boolean]>([
    ['does not show its metadata', unreadable({ metadata: undefined }), true],
    ['shows that it has none', { metadata: null }, false],
    [
      'is of another patient',
      { ...unreadable({ metadata: undefined }), ...person({ dob: '1950-01-01' }) },
      false,
    ],
  ])('a referral that %s', (_, change, expected) => {
    const sought = { order: order(withKey), orderKey: KEY, older: new Set<string>() }
    expect(isUnclear(search({ sought }), placed(0, change))).toBe(expected)
  })

  it('a lookup by key alone has no data to compare: a referral without metadata is not its order', () => {
    const sought = { orderKey: KEY, older: new Set<string>() }
    expect(isUnclear(search({ sought }), unreadable({ metadata: undefined }))).toBe(false)
  })
})
