import {
  type ClientOptions,
  type LedgerClaim,
  memoryOrderLedger,
  type OrderClaimRequest,
  type OrderLedger,
} from 'pathology-sdk'
import { describe, expect, it, vi } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { order } from '../../support/samples.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { WatchedLedger } from '../../support/watched-ledger.js'
import { NO_FINGERPRINT } from './ledger-world.js'
import { POST, setUp } from './order-world.js'

const KEY = 'job-77'
const LIST = 'GET /v1/referrals'
const HOUR_MS = 3_600_000

/** A service, a ledger of the user, and a client whose clock advances only when the test says so. */
async function ledgerClient(options: ClientOptions = {}) {
  const { server, book } = await setUp()
  const clock = new SkippingClock({ skip: () => false })
  const inner = memoryOrderLedger({ clock })
  const ledger = new WatchedLedger(inner)
  const client = clientOf(server.origin, { clock, orderLedger: ledger, ...options })
  const create = (change = {}) => client.referrals.create(order(change), { orderKey: KEY })
  return { server, book, clock, inner, ledger, client, create }
}

/** Changes the claim of a new entry into one of an order that was sent at these times before. */
const sent =
  (sinceFirstSentMs: number, sinceLastSentMs = sinceFirstSentMs) =>
  (found: unknown): object => ({
    ...Object(found),
    ...{ state: 'sent', fingerprint: NO_FINGERPRINT, sinceFirstSentMs, sinceLastSentMs },
  })

const settled = () => new Promise((resolve) => setTimeout(resolve, 20))

describe('an order that a ledger has as sent', () => {
  it.each([
    ['at the time for a resend, it is sent again', 180_000],
    ['a millisecond before it, it is not sent', 179_999],
  ])('%s', async (_, sinceMs) => {
    const { ledger, create, server } = await ledgerClient({ resendAfter: 180_000 })
    ledger.next('claim', { after: sent(sinceMs) })
    const isSent = sinceMs === 180_000
    if (isSent) expect(await create()).toMatchObject({ recovered: false })
    else expect(await rejection(create())).toMatchObject({ name: 'OrderOutcomeUnknownError', retryAfter: 1 })
    expect(server.count(POST)).toBe(isSent ? 1 : 0)
  })

  it('is looked up to five minutes before its first request, and not further back', async () => {
    const { ledger, create, server, book } = await ledgerClient()
    book.pageSize = 1
    const ago = (ms: number): Date => new Date(Date.now() - ms)
    book.place(order({ referenceNumber: 'of another order' }), ago(3 * HOUR_MS))
    book.place(order({ referenceNumber: 'of another order' }), ago(2 * HOUR_MS))
    book.place(order({ referenceNumber: 'of another order' }), ago(HOUR_MS + 4.5 * 60_000))
    ledger.next('claim', { after: sent(HOUR_MS) })
    const error = await rejection(create())
    expect(error).toMatchObject({ name: 'OrderOutcomeUnknownError', attempts: 0 })
    const { startedAt } = error as { startedAt: Date }
    expect(Math.abs(startedAt.getTime() - (Date.now() - HOUR_MS))).toBeLessThan(60_000)
    // The second page has an older referral, so the third one is not read.
    expect(server.count(LIST)).toBe(2)
  })
})

describe('an order whose key a ledger has', () => {
  const IN_USE = {
    code: 'ORDER_KEY_IN_USE',
    message: expect.stringContaining('orderKey belongs to an order with other contents; use a new key'),
  }

  it('is not compared with referrals that changed later, when the fingerprint is the same', async () => {
    const { book, create, server } = await ledgerClient()
    await create()
    Object.assign(book.referrals[0] ?? {}, { referenceNumber: 'changed by the laboratory' })
    expect(await create()).toMatchObject({ recovered: true })
    expect(server.count(POST)).toBe(1)
  })

  it('differs from the placed order: the ledger is not changed', async () => {
    const { create, ledger } = await ledgerClient()
    await create()
    const { length } = ledger.calls
    expect(await rejection(create({ referenceNumber: 'another' }))).toMatchObject(IN_USE)
    await settled()
    expect(ledger.operations.slice(length)).toEqual(['claim'])
  })

  it('differs from the order that was sent: the claim is ended, and marks nothing', async () => {
    const { create, ledger, server } = await ledgerClient()
    const asSent = (found: unknown, request: unknown) => {
      const { keyId } = (request as OrderClaimRequest).fingerprint
      return { ...sent(HOUR_MS)(found), fingerprint: { keyId, hash: 'of other contents' } }
    }
    ledger.next('claim', { after: asSent })
    expect(await rejection(create())).toMatchObject(IN_USE)
    await settled()
    expect(ledger.operations).toEqual(['claim', 'record'])
    expect(ledger.calls.at(-1)?.request).toEqual({ token: expect.any(String), outcome: 'not-placed' })
    expect(server.requests).toEqual([])
  })

  it('is not compared with the fingerprint of an entry that is new', async () => {
    const { create, ledger } = await ledgerClient()
    const withOldFingerprint = (found: unknown, request: unknown): LedgerClaim => {
      const { keyId } = (request as OrderClaimRequest).fingerprint
      return { ...(found as LedgerClaim), fingerprint: { keyId, hash: 'of other contents' } }
    }
    ledger.next('claim', { after: withOldFingerprint })
    expect(await create()).toMatchObject({ recovered: false })
  })
})

describe('a call with a ledger of the user', () => {
  it('waits for the record of its order for the remaining time of the call', async () => {
    const { create, ledger, server, book, clock } = await ledgerClient({ timeout: 60_000 })
    server.on(POST, ({ body }) => {
      clock.advance(59_000)
      return { json: book.place(JSON.parse(body))[0] }
    })
    ledger.next('record', 'hangs')
    const returned = vi.fn()
    const placed = create()
    void placed.then(returned)
    await expect.poll(() => ledger.count('record'), { interval: 5 }).toBe(1)
    clock.advance(999)
    await settled()
    expect(returned).not.toHaveBeenCalled()
    clock.advance(1)
    expect(await placed).toMatchObject({ recovered: false })
    // The record fails, so that the client can be closed.
    clock.advance(1_000)
  })

  it('that waited for another call leaves no timer and no listener', async () => {
    const stop = vi.fn()
    const { create, ledger, inner, clock } = await ledgerClient()
    const watch: OrderLedger['watch'] = (name, listener) => {
      const stopWatching = inner.watch(name, listener)
      return () => {
        stop()
        stopWatching()
      }
    }
    Object.assign(ledger, { watch })
    let finish: () => void = () => undefined
    const finished = new Promise<void>((resolve) => {
      finish = resolve
    })
    ledger.next('record', { before: () => finished })
    const first = create()
    await expect.poll(() => ledger.count('record'), { interval: 5 }).toBe(1)
    const second = create()
    await expect.poll(() => ledger.count('claim'), { interval: 5 }).toBe(3)
    expect(stop).not.toHaveBeenCalled()
    finish()
    expect(await Promise.all([first, second])).toMatchObject([{ recovered: false }, { recovered: true }])
    expect(stop).toHaveBeenCalledTimes(1)
    expect(clock.pending).toBe(0)
  })
})
