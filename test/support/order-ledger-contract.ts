import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type {
  LedgerListOptions,
  ManagedOrderLedger,
  OrderFingerprint,
  OrderName,
  OrderResolution,
} from '../../src/client/index.js'
import { LEDGER_SEQUENCES, runSequence } from './order-ledger-sequences.js'

/** Lease that outlives each test, and lease that `advance` ends, in milliseconds. */
const LONG_MS = 60_000
const SHORT_MS = 80

interface ContractOptions {
  /** Moves the ledger's clock forward. Default: waits, while other tests run. */
  readonly advance?: (ms: number) => Promise<void> | void
  /** Present time of the ledger's clock. Default: that of this machine. */
  readonly now?: () => number
}

/** UUIDs of referrals. */
const ONE = randomUUID()
const TWO = randomUUID()

const MINE: OrderFingerprint = { keyId: 'k1', hash: 'mine' }
const OTHER: OrderFingerprint = { keyId: 'k2', hash: 'other' }

function newName(namespace = 'tests'): OrderName {
  return { namespace, key: `order ${randomUUID()}` }
}

/** Defines the tests that each order ledger must pass. `makeLedger` may return the same ledger each time. */
export function orderLedgerContract(
  name: string,
  makeLedger: () => ManagedOrderLedger | Promise<ManagedOrderLedger>,
  { advance: move, now = Date.now }: ContractOptions = {},
): void {
  const concurrent = move === undefined
  const advance = move ?? (async (ms: number) => void (await sleep(ms)))
  const leaseOver = () => advance(SHORT_MS + 40)

  /** Creates a ledger with an entry that one claim holds. */
  async function claimed(leaseMs = LONG_MS) {
    const ledger = await makeLedger()
    const order = newName()
    const token = randomUUID()
    const first = await ledger.claim(order, { token, leaseMs, fingerprint: MINE })
    expect(first).toMatchObject({ state: 'new', isMarked: false })
    const claim = (other = randomUUID(), otherLeaseMs = LONG_MS) =>
      ledger.claim(order, { token: other, leaseMs: otherLeaseMs, fingerprint: OTHER })
    return { ledger, order, token, claim }
  }

  /** Creates a claim with one marked request. */
  async function marked(leaseMs = LONG_MS) {
    const entry = await claimed(leaseMs)
    const mark = randomUUID()
    expect(await entry.ledger.mark(entry.order, { token: entry.token, mark, leaseMs })).toBe(true)
    return { ...entry, mark }
  }

  /** Creates an entry that a first claim marked, and that a second claim took over after the lease. */
  async function takenOver() {
    const entry = await marked(SHORT_MS)
    await leaseOver()
    const second = randomUUID()
    expect(await entry.claim(second)).toMatchObject({ state: 'sent' })
    return { ...entry, second }
  }

  describe(`${name}: claims`, { concurrent }, () => {
    it.each(Object.entries(LEDGER_SEQUENCES))('%s', async (_, sequence) => {
      await runSequence(await makeLedger(), sequence, advance)
    })

    it('one of ten simultaneous claims is new, and the others are busy', async () => {
      const ledger = await makeLedger()
      const order = newName()
      const claims = await Promise.all(
        Array.from({ length: 10 }, () =>
          ledger.claim(order, { token: randomUUID(), leaseMs: LONG_MS, fingerprint: MINE }),
        ),
      )
      const states = claims.map(({ state }) => state).sort()
      expect(states).toEqual([...Array.from({ length: 9 }, () => 'busy'), 'new'])
    })

    it('one of ten simultaneous claims takes over a sent entry', async () => {
      const { claim } = await marked(SHORT_MS)
      await leaseOver()
      const claims = await Promise.all(Array.from({ length: 10 }, () => claim()))
      expect(claims.filter(({ state }) => state === 'sent')).toHaveLength(1)
      expect(claims.filter(({ state }) => state === 'busy')).toHaveLength(9)
    })

    it('the times since the first and the last sending are those of the ledger', async () => {
      const { ledger, order, token, claim } = await marked(SHORT_MS)
      await advance(60)
      await ledger.mark(order, { token, mark: randomUUID(), leaseMs: SHORT_MS })
      await leaseOver()
      const { sinceFirstSentMs = -1, sinceLastSentMs = -1 } = await claim()
      expect(sinceLastSentMs).toBeGreaterThanOrEqual(SHORT_MS)
      expect(sinceFirstSentMs - sinceLastSentMs).toBeGreaterThanOrEqual(50)
      expect(sinceFirstSentMs).toBeLessThan(30_000)
    })

    it('a claim with a mark marks its sending exactly when the ledger vouches for the key', async () => {
      const ledger = await makeLedger()
      const order = newName()
      const request = { token: randomUUID(), leaseMs: SHORT_MS, fingerprint: MINE, mark: randomUUID() }
      const { state, isMarked, isVouched } = await ledger.claim(order, { ...request, since: new Date(now()) })
      expect({ state, isMarked }).toEqual({ state: 'new', isMarked: isVouched })
      await leaseOver()
      const next = await ledger.claim(order, { ...request, token: randomUUID(), mark: undefined })
      expect(next.state).toBe(isMarked ? 'sent' : 'new')
    })

    it('the same key in another namespace is another order', async () => {
      const { ledger, order } = await claimed()
      const other = { ...order, namespace: 'others' }
      const request = { token: randomUUID(), leaseMs: LONG_MS, fingerprint: MINE }
      expect(await ledger.claim(other, request)).toMatchObject({ state: 'new' })
    })

    it('keys and namespaces may have any characters, and 500 of them', async () => {
      const ledger = await makeLedger()
      for (const odd of [`'"\\{}:*%_ \n`, 'ü‱😀', 'x'.repeat(500), ' a ']) {
        const order = { namespace: `https://api.example ${odd}`, key: `${odd}${randomUUID()}` }
        const request = { token: randomUUID(), leaseMs: LONG_MS, fingerprint: MINE }
        expect(await ledger.claim(order, request)).toMatchObject({ state: 'new' })
        expect(await ledger.claim(order, { ...request, token: randomUUID() })).toMatchObject({
          state: 'busy',
        })
      }
    })

    it('a mark that replaces an earlier one has its own time', async () => {
      const { ledger, order, token, mark, claim } = await marked(SHORT_MS)
      await advance(400)
      await ledger.mark(order, { token, mark: randomUUID(), replaces: mark, leaseMs: SHORT_MS })
      await leaseOver()
      const { sinceFirstSentMs = -1, sinceLastSentMs = -2 } = await claim()
      expect(Math.abs(sinceFirstSentMs - sinceLastSentMs)).toBeLessThan(30)
      expect(sinceFirstSentMs).toBeGreaterThanOrEqual(SHORT_MS)
    })

    it('a repeated mark keeps its time', async () => {
      const { ledger, order, token, mark, claim } = await marked(SHORT_MS)
      await advance(60)
      expect(await ledger.mark(order, { token, mark, leaseMs: SHORT_MS })).toBe(true)
      await leaseOver()
      const { sinceFirstSentMs = -1, sinceLastSentMs = -1 } = await claim()
      expect(Math.abs(sinceFirstSentMs - sinceLastSentMs)).toBeLessThan(30)
      expect(sinceLastSentMs).toBeGreaterThanOrEqual(SHORT_MS + 50)
    })

    it('an entry stays sent when the claim that took it over was not placed', async () => {
      const { ledger, order, second, claim } = await takenOver()
      await advance(60)
      expect(await ledger.mark(order, { token: second, mark: randomUUID(), leaseMs: LONG_MS })).toBe(true)
      expect(await ledger.record(order, { token: second, outcome: 'not-placed' })).toBe(true)
      const { state, fingerprint, sinceLastSentMs = -1 } = await claim()
      expect({ state, fingerprint }).toEqual({ state: 'sent', fingerprint: MINE })
      expect(sinceLastSentMs).toBeGreaterThanOrEqual(SHORT_MS + 50)
    })

    it('a claim that arrives again after its outcome claims and marks nothing', async () => {
      const { ledger, order, token, claim } = await marked()
      await ledger.record(order, { token, outcome: 'not-placed' })
      const request = { token, leaseMs: LONG_MS, fingerprint: MINE, mark: randomUUID() }
      expect(await ledger.claim(order, { ...request, since: new Date(now()) })).toMatchObject({
        isMarked: false,
      })
      expect(await claim()).toMatchObject({ state: 'new' })
    })
  })

  describe(`${name}: resolve and prune`, () => {
    it('an entry whose last mark was removed after its claim had ended can be pruned', async () => {
      const { ledger, order, token, mark, second } = await takenOver()
      expect(await ledger.record(order, { token: second, outcome: 'unknown' })).toBe(true)
      await advance(40)
      expect(await ledger.unmark(order, { token, mark })).toBe(true)
      await ledger.prune({ before: new Date(now()) })
      expect(await ledger.renew(order, { token: second, leaseMs: LONG_MS })).toBe(false)
      expect(await ledger.resolve(order, { placed: [ONE] })).toBe(false)
    })

    it('an order resolved as placed without the UUID of a referral is rejected, and changes nothing', async () => {
      const { ledger, order, token } = await marked()
      // A program in JavaScript can pass anything.
      for (const outcome of [
        { placed: [] },
        { placed: [7] },
        { placed: [ONE, '12345678'] },
        {},
        'placed',
        undefined,
      ])
        await expect(ledger.resolve(order, outcome as OrderResolution)).rejects.toMatchObject({
          name: 'ConfigurationError',
          message: expect.stringContaining('the UUID of at least one referral; nothing was recorded'),
        })
      expect(await ledger.renew(order, { token, leaseMs: LONG_MS })).toBe(true)
    })

    it('a key alone is enough to resolve an order, unless several namespaces have it', async () => {
      const { ledger, order, claim } = await marked()
      const request = { token: randomUUID(), leaseMs: LONG_MS, fingerprint: MINE }
      const another = newName()
      await ledger.claim(another, request)
      expect(await ledger.resolve(order.key, { placed: [ONE] })).toBe(true)
      expect(await ledger.renew(another, request)).toBe(true)
      expect(await claim()).toMatchObject({ state: 'placed', referrals: [ONE] })
      await ledger.claim({ ...order, namespace: 'others' }, request)
      await expect(ledger.resolve(order.key, 'not-placed')).rejects.toMatchObject({
        name: 'ConfigurationError',
        message: expect.stringContaining('namespace'),
      })
    })

    it('prune keeps a claim whose mark was removed', async () => {
      const { ledger, order, token, mark } = await marked()
      expect(await ledger.unmark(order, { token, mark })).toBe(true)
      await advance(40)
      await ledger.prune({ before: new Date(now()) })
      expect(await ledger.renew(order, { token, leaseMs: LONG_MS })).toBe(true)
    })

    it('prune deletes a claim without a mark only after its lease', async () => {
      const ledger = await makeLedger()
      const [over, held] = [newName(), newName()]
      const token = randomUUID()
      await ledger.claim(over, { token, leaseMs: 1, fingerprint: MINE })
      await ledger.claim(held, { token, leaseMs: LONG_MS, fingerprint: MINE })
      await advance(40)
      await ledger.prune({ before: new Date(now()) })
      expect(await ledger.renew(over, { token, leaseMs: LONG_MS })).toBe(false)
      expect(await ledger.renew(held, { token, leaseMs: LONG_MS })).toBe(true)
    })

    it('prune deletes entries that were placed or not placed before its bound, and no others', async () => {
      const ledger = await makeLedger()
      const request = () => ({ token: randomUUID(), leaseMs: LONG_MS, fingerprint: MINE })
      const [placed, sent, busy] = [newName(), newName(), newName()]
      for (const order of [placed, sent, busy]) {
        const { token, leaseMs, fingerprint } = request()
        await ledger.claim(order, { token, leaseMs, fingerprint })
        if (order === busy) continue
        await ledger.mark(order, { token, mark: randomUUID(), leaseMs })
        await ledger.record(order, { token, outcome: order === placed ? { placed: ['x'] } : 'unknown' })
      }
      await ledger.prune({ before: new Date(now() - 3_600_000) })
      expect(await ledger.claim(placed, request())).toMatchObject({ state: 'placed' })
      await advance(40)
      expect(await ledger.prune({ before: new Date(now()) })).toBeGreaterThanOrEqual(1)
      expect(await ledger.claim(placed, request())).toMatchObject({ state: 'new' })
      expect(await ledger.claim(sent, request())).toMatchObject({ state: 'sent' })
      expect(await ledger.claim(busy, request())).toMatchObject({ state: 'busy' })
    })
  })

  describe(`${name}: list`, () => {
    /** Creates an entry of each state in a namespace of its own. */
    async function listed() {
      const ledger = await makeLedger()
      const namespace = `listed: ${randomUUID()}`
      const entry = async (key: string, leaseMs = LONG_MS) => {
        const order = { namespace, key }
        const token = randomUUID()
        await ledger.claim(order, { token, leaseMs, fingerprint: MINE })
        const mark = () => ledger.mark(order, { token, mark: randomUUID(), leaseMs })
        const record = (outcome: OrderResolution | 'unknown') => ledger.record(order, { token, outcome })
        return { order, mark, record }
      }
      const lost = await entry('lost')
      await lost.mark()
      await lost.record('unknown')
      await advance(5)
      const placed = await entry('placed')
      await placed.mark()
      await placed.record({ placed: [ONE, TWO] })
      await (await entry('refused')).record('not-placed')
      await entry('abandoned', 1)
      const killed = await entry('killed', SHORT_MS)
      await killed.mark()
      await leaseOver()
      const running = await entry('running')
      await running.mark()
      const keys = async (options: LedgerListOptions) =>
        (await ledger.list({ namespace, ...options })).map(({ key }) => key)
      return { ledger, namespace, keys, lost, killed }
    }

    it('a ledger lists the orders in each state, newest first', async () => {
      const { keys } = await listed()
      expect(await keys({ state: 'unknown' })).toEqual(['killed', 'lost'])
      expect(await keys({ state: 'placed' })).toEqual(['placed'])
      expect(await keys({ state: 'busy' })).toEqual(['running'])
      expect((await keys({ state: 'not-placed' })).toSorted()).toEqual(['abandoned', 'refused'])
      expect(await keys({})).toHaveLength(6)
    })

    it('a listed entry has its name, its referrals and its times', async () => {
      const start = now()
      const { ledger, namespace } = await listed()
      const [unknown] = await ledger.list({ namespace, key: 'lost' })
      expect(unknown).toEqual({
        ...{ namespace, key: 'lost', state: 'unknown', referrals: [] },
        ...{ firstSentAt: expect.any(Date), lastSentAt: expect.any(Date), claimEndsAt: expect.any(Date) },
      })
      const times = [unknown?.firstSentAt, unknown?.lastSentAt, unknown?.claimEndsAt].map(Number)
      for (const time of times) {
        expect(time).toBeGreaterThan(start - 1_000)
        expect(time).toBeLessThan(now() + 1_000)
      }
      expect(await ledger.list({ namespace, state: 'placed' })).toMatchObject([
        { key: 'placed', referrals: [ONE, TWO], lastSentAt: expect.any(Date) },
      ])
      const [refused] = await ledger.list({ namespace, key: 'refused' })
      expect(refused).not.toHaveProperty('firstSentAt')
    })

    it('a ledger lists an order in no state that its outcome has left, and not at all when it is pruned', async () => {
      const { ledger, keys, lost, killed } = await listed()
      const [entry] = await ledger.list({ namespace: lost.order.namespace, key: 'lost' })
      if (entry === undefined) throw new Error('the entry is not listed')
      expect(await ledger.resolve(entry, { placed: [ONE] })).toBe(true)
      expect(await ledger.resolve(killed.order, 'not-placed')).toBe(true)
      expect(await keys({ state: 'unknown' })).toEqual([])
      expect(await keys({ state: 'placed' })).toEqual(['lost', 'placed'])
      await advance(40)
      await ledger.prune({ before: new Date(now()) })
      expect(await keys({})).toEqual(['running'])
    })

    it('an order that is sent again is busy, and then listed by its last request', async () => {
      const { ledger, keys, lost } = await listed()
      const token = randomUUID()
      await ledger.claim(lost.order, { token, leaseMs: LONG_MS, fingerprint: MINE })
      expect(await keys({ state: 'unknown' })).toEqual(['killed'])
      await advance(20)
      await ledger.mark(lost.order, { token, mark: randomUUID(), leaseMs: LONG_MS })
      await ledger.record(lost.order, { token, outcome: 'unknown' })
      const [newest] = await ledger.list({ namespace: lost.order.namespace, state: 'unknown' })
      expect(newest?.key).toBe('lost')
      expect(Number(newest?.lastSentAt)).toBeGreaterThan(Number(newest?.firstSentAt))
    })

    it('before leaves out listed orders that were last sent or recorded later, and limit ends the list', async () => {
      const { ledger, namespace, keys } = await listed()
      const [killed] = await ledger.list({ namespace, key: 'killed' })
      expect(await keys({ state: 'unknown', before: killed?.lastSentAt })).toEqual(['lost'])
      expect(await keys({ state: 'unknown', before: new Date(now() - 3_600_000) })).toEqual([])
      expect(await keys({ state: 'placed', before: new Date(now() - 3_600_000) })).toEqual([])
      expect(await keys({ state: 'unknown', limit: 1 })).toEqual(['killed'])
    })

    it.each<[LedgerListOptions, RegExp]>([
      [JSON.parse('{ "state": "sent" }'), /state must be one of unknown, placed, busy, not-placed/],
      [JSON.parse('{ "State": "unknown" }'), /did you mean state/],
      [JSON.parse('{ "before": "2026-01-01" }'), /before must be a valid Date/],
      [{ before: new Date(Number.NaN) }, /before must be a valid Date/],
      [{ limit: 0 }, /limit must be an integer from 1/],
      [JSON.parse('{ "key": 7 }'), /key must be a string/],
    ])('the list of a ledger rejects %j', async (options, message) => {
      const ledger = await makeLedger()
      await expect(ledger.list(options)).rejects.toMatchObject({
        name: 'ConfigurationError',
        message: expect.stringMatching(message),
      })
    })
  })
}
