import { ConfigurationError, type LedgerClaim, memoryOrderLedger, type OrderLedger } from 'pathology-sdk'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Deadline } from '../../../src/client/core/deadline.js'
import { LedgerSession } from '../../../src/client/ledger/ledger-session.js'
import { systemClock } from '../../../src/common/clock.js'
import { rejection } from '../../support/clients.js'
import { UUID } from '../../support/samples.js'

const NAME = { namespace: 'tests', key: 'job-77' }
const REQUEST = { token: 'token 1', leaseMs: 15_000, fingerprint: { keyId: 'key 1', hash: 'hash 1' } }
const ENDED = { token: 'token 1', outcome: 'not-placed' }

const never = (): Promise<never> => new Promise(() => undefined)

/** A session of an in-memory ledger with other methods. */
function sessionOf(methods: Partial<OrderLedger> = {}, { isPrivate = false } = {}) {
  const warnings: string[] = []
  const ledger = Object.assign(memoryOrderLedger(), methods)
  const logger = { warn: (message: string): void => void warnings.push(message) }
  const session = new LedgerSession(
    { ledger, namespace: NAME.namespace },
    { options: { clock: systemClock, random: Math.random }, logger },
    isPrivate,
  )
  return { session, warnings }
}

beforeEach(() => void vi.useFakeTimers({ now: 0 }))
afterEach(() => void vi.useRealTimers())

const MARK = { token: 'token 1', mark: 'mark 1', leaseMs: 15_000 }
const runMark = (session: LedgerSession, options = {}) => session.run('mark', NAME, MARK, options)

it('an operation of the ledger leaves no timer when the ledger has responded', async () => {
  const { session } = sessionOf({ mark: async () => true })
  expect(await runMark(session)).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

it("an operation of the client's own ledger starts no timer", async () => {
  const { session } = sessionOf({ mark: never }, { isPrivate: true })
  void runMark(session)
  expect(vi.getTimerCount()).toBe(0)
})

it('an operation of the ledger fails after two seconds without a response', async () => {
  const { session } = sessionOf({ mark: never })
  const failed = rejection(runMark(session))
  const endedAt = failed.then(() => Date.now())
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await endedAt).toBe(2_000)
  const error = await failed
  expect(error).toMatchObject({ name: 'OrderLedgerError', operation: 'mark' })
  expect(error).not.toHaveProperty('cause')
  expect(String(error)).toBe(
    'OrderLedgerError: the order ledger did not respond within 2000 ms (mark): nothing was sent; repeat the call with the same orderKey',
  )
})

it.each<[string, OrderLedger['mark'], string]>([
  ['rejects', () => Promise.reject(new Error('down')), 'failed'],
  ['returns nothing', async () => undefined as never, 'did not return true or false'],
])(
  'an operation of the ledger that %s after the service rejected the order has the outcome refused',
  async (_, method, problem) => {
    const { session } = sessionOf({ mark: method })
    expect(await rejection(runMark(session, { rejected: 2 }))).toMatchObject({
      message: `the order ledger ${problem} (mark): the request was not carried out; repeat the call with the same orderKey`,
      ...{ outcome: 'refused', attempts: 2, operation: 'mark', retryable: true },
    })
  },
)

it('an operation of the ledger that rejects without a reason has no cause', async () => {
  const { session } = sessionOf({ mark: () => Promise.reject() })
  const deadline = new Deadline(systemClock, 500, undefined)
  const error = await rejection(runMark(session, { deadline }))
  expect(error).toMatchObject({ name: 'OrderLedgerError' })
  expect(error).not.toHaveProperty('cause')
})

it.each([
  ['ECONNREFUSED', 'ECONNREFUSED'],
  ['40001', '40001'],
  ['QUARRINGTON', undefined],
])(
  "an operation of the ledger keeps the ledger's error code %s only if it is a code of the platform, and never its message",
  async (given, code) => {
    const down = Object.assign(new Error('no row for Alex Example'), { code: given })
    const { session } = sessionOf({ mark: () => Promise.reject(down) })
    expect(await rejection(runMark(session))).toMatchObject({ cause: { name: 'Error', message: '', code } })
  },
)

it('an operation of the ledger ends with the call, without an error of the ledger', async () => {
  const { session } = sessionOf({ mark: never })
  const deadline = new Deadline(systemClock, 500, undefined)
  const failed = rejection(runMark(session, { deadline }))
  await vi.advanceTimersByTimeAsync(500)
  expect(await failed).toBe(deadline.ended)
  expect(vi.getTimerCount()).toBe(0)
})

const listener = (): void => undefined

it('a listener for changes of an entry is removed by the function that the ledger returned', () => {
  const stop = vi.fn()
  const watch = vi.fn(() => stop)
  const stopWatching = sessionOf({ watch }).session.watch(NAME, listener)
  expect(watch).toHaveBeenCalledExactlyOnceWith(NAME, listener)
  expect(stop).not.toHaveBeenCalled()
  stopWatching?.()
  expect(stop).toHaveBeenCalledTimes(1)
})

it.each<[string, OrderLedger['watch']]>([
  ['has no watch()', undefined],
  ['returns nothing', () => undefined as never],
])('a listener for changes of an entry is not used when the ledger %s', (_, watch) => {
  const { session } = sessionOf({ watch: watch as never })
  expect(session.watch(NAME, listener)).toBeUndefined()
})

const { fingerprint } = REQUEST
const flags = { isMarked: false, isVouched: false }
const times = { sinceFirstSentMs: 0, sinceLastSentMs: 0 }

it.each<[string, LedgerClaim]>([
  ['new', { state: 'new', ...flags }],
  ['busy', { state: 'busy', fingerprint, ...flags }],
  ['sent', { state: 'sent', fingerprint, ...times, ...flags }],
  ['placed', { state: 'placed', fingerprint, referrals: [UUID, UUID], ...flags }],
])('a claim in the state %s is returned as it is, and does not end', async (_, claim) => {
  const record = vi.fn(async () => true)
  const { session } = sessionOf({ claim: async () => claim, record })
  expect(await session.claim(NAME, REQUEST, undefined)).toBe(claim)
  await vi.advanceTimersByTimeAsync(100_000)
  expect(record).not.toHaveBeenCalled()
})

/** A session whose claim has no response yet. `ends` has the times at which it ended the claim. */
function claiming(isEnded: (attempt: number) => boolean | Promise<boolean>) {
  let respond: (claim: Promise<never>) => void = () => undefined
  const claim = vi.fn(
    () =>
      new Promise<never>((resolve) => {
        respond = resolve
      }),
  )
  const ends: number[] = []
  const record = vi.fn(async () => {
    ends.push(Date.now())
    return isEnded(ends.length)
  })
  const { session } = sessionOf({ claim, record })
  const failed = rejection(session.claim(NAME, REQUEST, undefined))
  const answer = (): void => respond({ state: 'new', isVouched: false, isMarked: false } as never)
  return {
    session,
    failed,
    record,
    ends,
    answer,
    respond: () => respond(Promise.reject(new Error('late'))),
  }
}

it('a claim that failed is ended at once, and not again when the ledger has ended it', async () => {
  const { failed, record, ends } = claiming(() => true)
  await vi.advanceTimersByTimeAsync(100_000)
  expect(await failed).toMatchObject({ name: 'OrderLedgerError', operation: 'claim' })
  expect(ends).toEqual([2_000])
  expect(record).toHaveBeenCalledWith(NAME, ENDED)
})

it('a claim that failed with a ConfigurationError is not ended, because nothing was written', async () => {
  const record = vi.fn(async () => true)
  const claim = async (): Promise<never> => {
    throw new ConfigurationError('the key is too long')
  }
  const { session } = sessionOf({ claim, record })
  expect(await rejection(session.claim(NAME, REQUEST, undefined))).toBeInstanceOf(ConfigurationError)
  await vi.advanceTimersByTimeAsync(100_000)
  expect(record).not.toHaveBeenCalled()
})

const REPEATED = [2_000, 2_250, 2_750, 3_750, 5_750, 9_750, 13_750, 17_750, 21_750, 25_750, 29_750, 33_750]

it('a claim that failed and may still arrive is ended repeatedly, for 30 seconds', async () => {
  const { ends } = claiming(() => false)
  await vi.advanceTimersByTimeAsync(100_000)
  expect(ends).toEqual(REPEATED)
})

it('a claim that failed and responds within 30 seconds is ended once more', async () => {
  const { ends, answer } = claiming(() => false)
  await vi.advanceTimersByTimeAsync(10_000)
  answer()
  await vi.advanceTimersByTimeAsync(100_000)
  expect(ends).toEqual(REPEATED.slice(0, 7))
})

it('a claim that failed and rejects within 30 seconds is ended repeatedly, because the ledger may have carried it out', async () => {
  const { ends, respond } = claiming(() => false)
  await vi.advanceTimersByTimeAsync(10_000)
  respond()
  await vi.advanceTimersByTimeAsync(100_000)
  expect(ends).toEqual(REPEATED)
})

it('a claim that failed and responds while it is being ended is ended once more', async () => {
  let isEnded = (_: boolean): void => undefined
  const { ends, answer } = claiming((attempt) =>
    attempt === 1 ? (new Promise<boolean>((resolve) => (isEnded = resolve)) as never) : true,
  )
  await vi.advanceTimersByTimeAsync(2_500)
  answer()
  isEnded(false)
  await vi.advanceTimersByTimeAsync(100_000)
  expect(ends).toHaveLength(2)
})

it.each([
  ['30 seconds after it failed', 32_000, [32_000]],
  ['later', 90_000, [90_000]],
])('a claim that failed and responds %s is ended once more at that time', async (_, at, last) => {
  const { ends, respond } = claiming(() => true)
  await vi.advanceTimersByTimeAsync(at)
  respond()
  await vi.advanceTimersByTimeAsync(100_000)
  expect(ends).toEqual([2_000, ...last])
})

it('a claim that failed is not ended again at the end of the 30 seconds', async () => {
  // Each of the first two responses takes 1,125 ms, so that the tenth repetition is at the end.
  const slow = (): Promise<boolean> => new Promise((resolve) => setTimeout(resolve, 1_125, false))
  const { ends } = claiming((attempt) => (attempt <= 2 ? slow() : false))
  await vi.advanceTimersByTimeAsync(100_000)
  expect(ends.at(-1)).toBe(32_000)
})

it('a claim that is rejected at once is ended until the ledger has ended it', async () => {
  const record = vi.fn(async () => record.mock.calls.length > 2)
  const { session } = sessionOf({ claim: () => Promise.reject(new Error('down')), record })
  expect(await rejection(session.claim(NAME, REQUEST, undefined))).toMatchObject({ operation: 'claim' })
  await vi.advanceTimersByTimeAsync(100_000)
  expect(record).toHaveBeenCalledTimes(3)
  expect(record).toHaveBeenLastCalledWith(NAME, ENDED)
})

it('a claim that failed before the ledger was called is not ended', async () => {
  const record = vi.fn(async () => true)
  const { session } = sessionOf({ record })
  const ended = new Deadline(systemClock, 0, undefined)
  expect(await rejection(session.claim(NAME, REQUEST, ended))).toBe(ended.ended)
  await vi.advanceTimersByTimeAsync(100_000)
  expect(record).not.toHaveBeenCalled()
})

async function closedAt(session: LedgerSession): Promise<number> {
  const closed = session.close().then(() => Date.now())
  await vi.advanceTimersByTimeAsync(60_000)
  return closed
}

it('close() waits for an operation in progress', async () => {
  const { session } = sessionOf({
    renew: () => new Promise((resolve) => setTimeout(resolve, 700, true)),
  })
  const renewed = session.run('renew', NAME, { token: 'token 1', leaseMs: 1 })
  expect(await closedAt(session)).toBe(700)
  expect(await renewed).toBe(true)
})

it('close() waits at most five seconds for an operation that never reaches the ledger', async () => {
  const record = vi.fn(() => Promise.reject(new Error('down')))
  const { session } = sessionOf({ record })
  session.runLater('record', NAME, { token: 'token 1', outcome: 'unknown' })
  expect(await closedAt(session)).toBe(5_000)
  expect(record.mock.calls.length).toBeGreaterThan(40)
})

it('a warning names the package', () => {
  const { session, warnings } = sessionOf()
  session.warn('an order was placed')
  expect(warnings).toEqual(['pathology-sdk: an order was placed'])
})
