import { TimeoutError } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { Deadline } from '../../../src/client/core/deadline.js'
import { ClaimLost, HeldClaim } from '../../../src/client/ledger/claims.js'
import { momentOf } from '../../../src/common/clock.js'
import type { LedgerOperation } from '../../support/watched-ledger.js'
import { isSettled, ledgerSession, NO_FINGERPRINT } from './ledger-world.js'

const TOKEN = 'token-1'
const MARK = 'mark-1'
const LEASE_MS = 15_000
const UUIDS = ['0b0e7a4e-52a3-4a37-9b2b-6f6f1d4f8f10']
const FAILED = new TimeoutError('the call failed', { outcome: 'not-sent', attempts: 0, timeout: 1 })
const LOST = new TimeoutError('the response was lost', { outcome: 'unknown', attempts: 1, timeout: 1 })

/** A claim that the ledger has granted; with `isMarked`, the ledger stored a mark with it. */
async function heldClaim({ isMarked = false, isPrivate = false } = {}) {
  const world = ledgerSession({ isPrivate })
  const { session, clock, inner, ledger, name } = world
  await inner.claim(name, { token: TOKEN, leaseMs: LEASE_MS, fingerprint: NO_FINGERPRINT })
  if (isMarked) await inner.mark(name, { token: TOKEN, mark: MARK, leaseMs: LEASE_MS })
  const marked = isMarked ? { id: MARK, at: momentOf(clock) } : undefined
  const claim = new HeldClaim(session, { name, token: TOKEN, marked })
  const requests = (operation: LedgerOperation) =>
    ledger.calls.filter((call) => call.operation === operation).map(({ request }) => request)
  const beforeSending = () => claim.beforeSending(new Deadline(clock, 60_000, undefined))
  /** Marks in the order in which the claim stored them. */
  const marks = () => requests('mark') as { mark: string; replaces: string | undefined; leaseMs: number }[]
  return { ...world, claim, requests, beforeSending, marks }
}

describe('the marks of a claim', () => {
  it('a claim without a mark is stale, and has no mark to remove', async () => {
    const { claim, ledger } = await heldClaim()
    expect(claim.isStale()).toBe(true)
    claim.hadNoEffect(false)
    expect(ledger.calls).toEqual([])
  })

  it('a mark that the ledger stored with the claim is used within five seconds, for the first request only', async () => {
    const { claim, clock, beforeSending, marks } = await heldClaim({ isMarked: true })
    clock.advance(5_000)
    expect(claim.isStale()).toBe(false)
    await beforeSending()
    expect(marks()).toEqual([])
    // The second request needs its own mark.
    await beforeSending()
    expect(marks()).toHaveLength(1)
  })

  it('a mark is replaced when it is older than five seconds and no request was sent with it', async () => {
    const { claim, clock, beforeSending, marks } = await heldClaim({ isMarked: true })
    clock.advance(5_001)
    expect(claim.isStale()).toBe(true)
    await beforeSending()
    expect(marks()).toMatchObject([{ replaces: MARK, leaseMs: LEASE_MS }])
    expect(claim.isStale()).toBe(false)
  })

  it('a mark is removed when its request was not sent, and the next request replaces it too', async () => {
    const { claim, beforeSending, marks, requests, ledger } = await heldClaim()
    await beforeSending()
    const mark = marks()[0]?.mark
    ledger.next('unmark', 'fails')
    claim.hadNoEffect(false)
    expect(requests('unmark')).toEqual([{ token: TOKEN, mark }])
    await beforeSending()
    expect(marks()[1]).toMatchObject({ replaces: mark })
  })

  it('a mark is never replaced when its request may have been carried out', async () => {
    const { beforeSending, marks } = await heldClaim()
    await beforeSending()
    await beforeSending()
    expect(marks()).toHaveLength(2)
    expect(marks()[1]).toMatchObject({ replaces: undefined })
  })

  it('a mark is too old after five seconds of the wall clock alone: the machine was suspended', async () => {
    const { claim, clock } = await heldClaim({ isMarked: true })
    clock.jumpWall(5_000)
    expect(claim.isStale()).toBe(false)
    clock.jumpWall(1)
    expect(claim.isStale()).toBe(true)
  })

  it.each([
    ['not sent', false, { outcome: 'not-sent', attempts: 0 }],
    ['rejected', true, { outcome: 'refused', attempts: 1 }],
  ])('a mark fails after a request that was %s: the error has its outcome', async (_, wasRejected, facts) => {
    const { claim, beforeSending, ledger } = await heldClaim()
    await beforeSending()
    claim.hadNoEffect(wasRejected)
    ledger.next('mark', 'fails')
    await expect(beforeSending()).rejects.toMatchObject({ name: 'OrderLedgerError', ...facts })
  })

  it('a mark is rejected when another claim has the entry: the claim is lost', async () => {
    const { beforeSending, ledger } = await heldClaim()
    ledger.next('mark', { returns: false })
    await expect(beforeSending()).rejects.toBeInstanceOf(ClaimLost)
  })
})

it.each([
  ['an error before the order was sent', 'not-placed', new Error('x'), 0],
  ['any error after the order was sent', 'unknown', new Error('x'), 1],
  ['a lost response', 'unknown', LOST, 1],
  ['an error by which the order was not placed', 'not-placed', FAILED, 1],
  ['a lost claim', 'not-placed', new ClaimLost(), 0],
  ['a lost claim after the order was sent', 'unknown', new ClaimLost(), 1],
])('the outcome that a claim records after %s is %s', async (_, outcome, error, sent) => {
  const { claim, beforeSending, requests } = await heldClaim({ isMarked: true })
  if (sent === 1) await beforeSending()
  await claim.failed(error, 1_000)
  expect(requests('record')).toEqual([{ token: TOKEN, outcome }])
})

it('the outcome that a claim records after an order that was sent, and then rejected by the service, is not-placed', async () => {
  const { claim, beforeSending, requests } = await heldClaim()
  await beforeSending()
  claim.hadNoEffect(true)
  await claim.failed(new Error('x'), 1_000)
  expect(requests('record')).toEqual([{ token: TOKEN, outcome: 'not-placed' }])
})

it.each([
  ['the UUIDs of its referrals', UUIDS, { placed: UUIDS }],
  ['unknown when the ID of a referral is not a UUID', [...UUIDS, 'referral-2'], 'unknown'],
])('the outcome that a claim records after a placed order is %s', async (_, uuids, outcome) => {
  const { claim, beforeSending, requests, warnings } = await heldClaim()
  await beforeSending()
  await claim.placed(uuids, 1_000)
  expect(requests('record')).toEqual([{ token: TOKEN, outcome }])
  expect(warnings).toEqual([])
})

it.each([
  ['fails', 'failed to record the outcome'],
  ['does not accept it', 'did not accept the outcome'],
])(
  'the outcome that a claim records is that of a placed order, and the ledger %s: a warning says what happens next',
  async (kind, problem) => {
    const { claim, warnings, ledger, requests } = await heldClaim({ isMarked: true })
    ledger.next('record', kind === 'fails' ? 'fails' : { returns: false })
    await claim.placed(UUIDS, 1_000)
    expect(warnings).toEqual([
      `pathology-sdk: an order was placed, but the order ledger ${problem}; the next create() with the same orderKey returns the order or looks it up`,
    ])
    // It is recorded again only when the ledger failed.
    expect(requests('record')).toHaveLength(kind === 'fails' ? 2 : 1)
  },
)

it('the outcome that a claim records is "not placed", and the ledger does not accept it: no warning', async () => {
  const { claim, ledger, warnings } = await heldClaim()
  ledger.next('record', { returns: false })
  await claim.failed(FAILED, 1_000)
  expect(warnings).toEqual([])
})

it.each([
  ['with a mark of the claim', true, false, 2],
  ['with a mark of a request', false, true, 2],
  ['without a mark, because the lease ends by itself', false, false, 1],
])(
  'the outcome that a claim records is recorded again after a failure %s',
  async (_, isMarked, isSent, times) => {
    const { claim, beforeSending, ledger, requests, warnings } = await heldClaim({ isMarked })
    if (isSent) await beforeSending()
    ledger.next('record', 'fails')
    await claim.failed(FAILED, 1_000)
    expect(requests('record')).toEqual(Array(times).fill({ token: TOKEN, outcome: 'not-placed' }))
    expect(warnings).toEqual([])
  },
)

it.each([
  ['two seconds', 60_000, 2_000],
  ["the rest of the call's time limit", 700, 700],
  ['250 ms after the time limit', -5_000, 250],
])('the wait for the ledger at the end of a call is limited to %s', async (_, remainingMs, limitMs) => {
  const { claim, clock, ledger } = await heldClaim()
  ledger.next('record', 'hangs')
  const ended = claim.placed(UUIDS, remainingMs)
  clock.advance(limitMs - 1)
  expect(await isSettled(ended)).toBe(false)
  clock.advance(1)
  expect(await isSettled(ended)).toBe(true)
})

it('the wait for the ledger at the end of a call ends when the ledger responds, and leaves no timer', async () => {
  const { claim, clock } = await heldClaim()
  await claim.placed(UUIDS, 60_000)
  expect(clock.pending).toBe(0)
})

it('the wait for the ledger at the end of a call also follows an error of the call', async () => {
  const { claim, clock, ledger } = await heldClaim()
  ledger.next('record', 'hangs')
  const ended = claim.failed(FAILED, 700)
  expect(await isSettled(ended)).toBe(false)
  clock.advance(700)
  expect(await isSettled(ended)).toBe(true)
})

it.each([
  ['an aborted call', new Error('the user went away')],
  ['a lost claim', new ClaimLost()],
])('the wait for the ledger at the end of a call does not exist for %s', async (_, error) => {
  const { claim, ledger } = await heldClaim()
  ledger.next('record', 'hangs')
  expect(await isSettled(claim.failed(error, 60_000))).toBe(true)
})

it("the wait for the ledger at the end of a call needs no timer with the client's own ledger", async () => {
  const { claim, clock, beforeSending, requests, marks } = await heldClaim({ isPrivate: true })
  await beforeSending()
  // A claim in the memory of the client does not expire, so it is not renewed.
  expect(marks()[0]?.leaseMs).toBe(Number.MAX_SAFE_INTEGER)
  const timers = clock.pending
  const ended = claim.placed(UUIDS, 60_000)
  expect(clock.pending).toBe(timers)
  await ended
  expect(requests('record')).toHaveLength(1)
})

it('the lease of a claim is renewed every five seconds until the call ends, even if a renewal fails', async () => {
  const { claim, clock, ledger, requests } = await heldClaim()
  ledger.next('renew', 'fails', 'throws')
  clock.advance(4_999)
  expect(ledger.calls).toEqual([])
  for (const ms of [1, 5_000, 5_000]) clock.advance(ms)
  expect(requests('renew')).toEqual(Array(3).fill({ token: TOKEN, leaseMs: LEASE_MS }))
  await claim.placed(UUIDS, 60_000)
  clock.advance(60_000)
  expect(requests('renew')).toHaveLength(3)
})

it('close() of the session repeats the record of an aborted call that fails while the session closes', async () => {
  const { claim, session, ledger, beforeSending, requests } = await heldClaim()
  await beforeSending()
  let fail = (): void => undefined
  const down = new Promise<void>((_, reject) => {
    fail = () => reject(new Error('down'))
  })
  ledger.next('record', { before: () => down })
  await claim.failed(new Error('aborted by the caller'), 1_000)
  const closed = session.close()
  fail()
  await closed
  expect(requests('record')).toHaveLength(2)
})
