import { ORDER_KEY_FIELD, type Referral } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { isOfOlderOrder, isUnclear, matches, type Search } from '../../../src/client/orders/match.js'
import { order, referral } from '../../support/samples.js'

describe('§4.1 whether a referral belongs to the order', () => {
  const SINCE = Date.parse('2026-03-02T01:00:00Z')
  const KEY = 'job-1'
  const withKey = { metadata: { [ORDER_KEY_FIELD]: KEY } }
  const search = (change: Partial<Search> = {}): Search => ({
    sought: { order: order(withKey), orderKey: KEY, older: new Set() },
    windowStart: () => SINCE,
    isAfterLoss: true,
    isSameOrder: true,
    options: {},
    alreadyRead: [],
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
    ['visible metadata', placed(0, withKey), false],
    ['a time before the window', placed(-1), false],
  ])('a referral without visible metadata with %s may be the order: %s', (_, shown, expected) => {
    const bare = shown.metadata === null ? Object.assign(shown, { metadata: undefined }) : shown
    expect(isUnclear(search(), bare)).toBe(expected)
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
    expect(isOfOlderOrder(search({ sought, isAfterLoss: false }), shown)).toBe(isOlder)
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
