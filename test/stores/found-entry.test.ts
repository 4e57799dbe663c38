import { expect, it } from 'vitest'
import { entryOfJson, type FoundEntry, ledgerClaim, severalNamespaces } from '../../src/stores/found-entry.js'

const MINE = { token: 'mine', mark: 'my-mark' }
const FINGERPRINT = { keyId: 'k', hash: 'h' }

const entry = (change: Partial<FoundEntry> = {}): FoundEntry => ({
  ...{ isTaken: true, token: 'mine', marks: {}, referrals: null, isVouched: false, nowMs: 10_000 },
  ...FINGERPRINT,
  ...change,
})

it.each<[string, Partial<FoundEntry>, object]>([
  ['taken without a mark', {}, { state: 'new', isMarked: false, isVouched: false }],
  ['taken and vouched for', { isVouched: true }, { state: 'new', isMarked: false, isVouched: true }],
  [
    'taken and marked with the claim',
    { isVouched: true, marks: { 'my-mark': { token: 'mine', at: 9_000 } } },
    { state: 'new', isMarked: true, isVouched: true },
  ],
  [
    'taken, with another mark of the same claim',
    { marks: { earlier: { token: 'mine', at: 9_000 } } },
    { state: 'new', isMarked: false, isVouched: false },
  ],
  [
    'held by another claim',
    { isTaken: false, token: 'other' },
    { state: 'busy', isMarked: false, isVouched: false },
  ],
  [
    'ended by this claim, whose mark it had',
    { isTaken: false, marks: { 'my-mark': { token: 'mine', at: 9_000 } } },
    { state: 'new', isMarked: false, isVouched: false },
  ],
  [
    'sent by others, also after the present time of the ledger',
    {
      isVouched: true,
      marks: {
        'my-mark': { token: 'mine', at: 9_500 },
        first: { token: 'other', at: 4_000 },
        ahead: { token: 'other', at: 10_500 },
      },
    },
    { state: 'sent', sinceFirstSentMs: 6_000, sinceLastSentMs: 0, isMarked: false, isVouched: false },
  ],
  [
    'placed, whoever holds it',
    { isTaken: false, token: 'other', referrals: ['a', 'b'], marks: { first: { token: 'other', at: 1 } } },
    { state: 'placed', referrals: ['a', 'b'], isMarked: false, isVouched: false },
  ],
])('a claim finds an entry %s', (_, change, expected) => {
  expect(ledgerClaim(entry(change), MINE)).toEqual({ fingerprint: FINGERPRINT, ...expected })
})

it('a claim without a mark marks nothing', () => {
  expect(ledgerClaim(entry(), { token: 'mine' })).toMatchObject({ state: 'new', isMarked: false })
})

it('the entry of a ledger is read from JSON, and anything else is rejected', () => {
  expect(entryOfJson(JSON.stringify(entry()))).toEqual(entry())
  expect(() => entryOfJson('7')).toThrow(
    new TypeError(
      'the order ledger returned data that is not an entry; check that no other program writes to its table',
    ),
  )
})

it('a key in several namespaces requires the namespace, and the error says that nothing was changed', () => {
  expect(severalNamespaces('x').message).toBe(
    'x: several namespaces have this key, so nothing was changed; pass { namespace, key }',
  )
})
