import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ConfigurationError, memoryOrderLedger, type OrderName } from '../../../src/client/index.js'
import { orderLedgerContract } from '../../support/order-ledger-contract.js'
import { compareWithModel, ledgerSteps } from '../../support/order-ledger-model.js'
import { ShiftedClock } from '../../support/shifted-clock.js'

const clock = new ShiftedClock()

orderLedgerContract('memory', () => memoryOrderLedger({ clock }), {
  advance: (ms) => clock.advance(ms),
  now: () => clock.now(),
})

it('any order of statements has the results that the rules require (property)', async () => {
  const ledger = memoryOrderLedger({ clock })
  await fc.assert(
    fc.asyncProperty(ledgerSteps, async (steps) => {
      const results = await compareWithModel(ledger, steps, (ms) => clock.advance(ms))
      expect(results.ledger).toEqual(results.model)
    }),
    { numRuns: 2_000 },
  )
})

describe('the in-memory ledger', () => {
  const fingerprint = { keyId: 'k', hash: 'h' }
  const name = (key: string | number): OrderName => ({ namespace: 'n', key: String(key) })

  async function claim(ledger: ReturnType<typeof memoryOrderLedger>, key: string | number) {
    const token = `token ${key}`
    const { state } = await ledger.claim(name(key), { token, leaseMs: 60_000, fingerprint })
    return { state, token }
  }

  it('the in-memory ledger keeps 5,000 finished orders: the oldest is removed first, and an order in progress or that may have been sent never', async () => {
    const ledger = memoryOrderLedger()
    const sent = await claim(ledger, 'sent')
    await ledger.mark(name('sent'), { token: sent.token, mark: 'm', leaseMs: 1 })
    await ledger.record(name('sent'), { token: sent.token, outcome: 'unknown' })
    await claim(ledger, 'claimed')
    const unmarked = await claim(ledger, 'unmarked')
    await ledger.mark(name('unmarked'), { token: unmarked.token, mark: 'm', leaseMs: 60_000 })
    await ledger.unmark(name('unmarked'), { token: unmarked.token, mark: 'm' })
    for (let key = 0; key <= 5_000; key += 1) {
      const { token } = await claim(ledger, key)
      await ledger.record(name(key), { token, outcome: { placed: ['uuid'] } })
    }
    const again = async (key: string | number) =>
      (await ledger.claim(name(key), { token: 'other', leaseMs: 1, fingerprint })).state
    expect(await again(1)).toBe('placed')
    expect(await again(5_000)).toBe('placed')
    expect(await again(0)).toBe('new')
    expect(await again('sent')).toBe('sent')
    expect(await again('claimed')).toBe('busy')
    expect(await again('unmarked')).toBe('busy')
  })

  it('the in-memory ledger calls a listener at the end of a claim until it is removed, and its error does not fail the statement', async () => {
    const ledger = memoryOrderLedger()
    const heard: string[] = []
    const stop = ledger.watch(name('a'), () => heard.push('a'))
    ledger.watch(name('a'), () => {
      throw new Error('a listener that fails')
    })
    ledger.watch(name('b'), () => heard.push('b'))
    const { token } = await claim(ledger, 'a')
    expect(await ledger.record(name('a'), { token, outcome: 'unknown' })).toBe(true)
    stop()
    await ledger.resolve(name('a'), { placed: [crypto.randomUUID()] })
    expect(heard).toEqual(['a'])
  })
})

describe('the times of the in-memory ledger', () => {
  const fingerprint = { keyId: 'k', hash: 'h' }
  const name = { namespace: 'n', key: 'a' }

  /** A ledger whose clocks are stopped, and a claim with a mark. */
  async function marked() {
    const time = { wall: 1_000_000, monotonic: 500 }
    const ledger = memoryOrderLedger({
      clock: { ...clock, now: () => time.wall, monotonic: () => time.monotonic },
    })
    const claim = (token: string) => ledger.claim(name, { token, leaseMs: 100, fingerprint })
    await claim('one')
    await ledger.mark(name, { token: 'one', mark: 'm', leaseMs: 100 })
    return { time, ledger, claim }
  }

  it('the in-memory ledger ends a lease at its last millisecond, by the monotonic clock', async () => {
    const { time, claim } = await marked()
    time.wall += 10_000
    time.monotonic += 99
    expect(await claim('two')).toMatchObject({ state: 'busy' })
    time.monotonic += 1
    expect(await claim('two')).toMatchObject({ state: 'sent' })
  })

  it.each([
    ['the wall clock was set forward', { wall: 5_000, monotonic: 200 }],
    ['the machine was suspended', { wall: 200, monotonic: 5_000 }],
  ])('the first sending may be long ago, and the last one a moment ago, when %s', async (_, passed) => {
    const { time, ledger, claim } = await marked()
    time.wall += passed.wall
    time.monotonic += passed.monotonic
    expect(await claim('two')).toMatchObject({ sinceFirstSentMs: 5_000, sinceLastSentMs: 200 })
    await ledger.mark(name, { token: 'two', mark: 'n', leaseMs: 100 })
    await ledger.record(name, { token: 'two', outcome: 'unknown' })
    expect(await claim('three')).toMatchObject({ sinceFirstSentMs: 5_000, sinceLastSentMs: 0 })
  })

  it('a duration is never negative when the wall clock was set back', async () => {
    const { time, claim } = await marked()
    time.wall -= 10_000
    time.monotonic += 100
    expect(await claim('two')).toMatchObject({ sinceFirstSentMs: 100, sinceLastSentMs: 0 })
  })

  it('prune keeps an entry that ended exactly at its bound', async () => {
    const { time, ledger } = await marked()
    await ledger.record(name, { token: 'one', outcome: { placed: ['uuid'] } })
    expect(await ledger.prune({ before: new Date(time.wall) })).toBe(0)
    expect(await ledger.prune({ before: new Date(time.wall + 1) })).toBe(1)
  })

  it('prune keeps a claim without a mark whose lease ended exactly at its bound', async () => {
    const { time, ledger } = await marked()
    const { wall } = time
    const order = { ...name, key: 'other' }
    await ledger.claim(order, { token: 'two', leaseMs: 1_000, fingerprint: { keyId: 'k', hash: 'h' } })
    time.wall += 5_000
    time.monotonic += 5_000
    expect(await ledger.prune({ before: new Date(wall + 1_000) })).toBe(0)
    expect(await ledger.prune({ before: new Date(wall + 1_001) })).toBe(1)
  })

  it('a repeated placed does not change the time of the outcome', async () => {
    const { time, ledger } = await marked()
    await ledger.record(name, { token: 'one', outcome: { placed: ['uuid'] } })
    time.wall += 1_000
    expect(await ledger.record(name, { token: 'one', outcome: { placed: ['uuid'] } })).toBe(true)
    expect(await ledger.prune({ before: new Date(time.wall) })).toBe(1)
  })

  it.each(['null', '{}', '{ "before": "2026-01-01" }'])(
    'prune rejects %s in place of a date, and deletes nothing',
    async (wrong) => {
      const { time, ledger } = await marked()
      await ledger.record(name, { token: 'one', outcome: { placed: ['uuid'] } })
      await expect(ledger.prune(JSON.parse(wrong))).rejects.toThrow(
        'memoryOrderLedger: prune requires { before }',
      )
      await expect(ledger.prune({ before: new Date(Number.NaN) })).rejects.toThrow(ConfigurationError)
      expect(await ledger.prune({ before: new Date(time.wall + 1) })).toBe(1)
    },
  )
})

it('memoryOrderLedger names an unknown option', () => {
  const options: object = { nope: 1 }
  expect(() => memoryOrderLedger(options)).toThrow(/nope.*memoryOrderLedger/)
})

it('the in-memory ledger removes a listener without others, also when it is removed twice', async () => {
  const ledger = memoryOrderLedger()
  const name = { namespace: 'n', key: 'a' }
  const heard: string[] = []
  const [stopOne, stopTwo] = ['one', 'two'].map((who) => ledger.watch(name, () => heard.push(who)))
  const end = async (token: string): Promise<void> => {
    await ledger.claim(name, { token, leaseMs: 60_000, fingerprint: { keyId: 'k', hash: 'h' } })
    await ledger.record(name, { token, outcome: 'unknown' })
  }
  stopOne?.()
  await end('first')
  expect(heard).toEqual(['two'])
  stopTwo?.()
  ledger.watch(name, () => heard.push('three'))
  stopTwo?.()
  await end('second')
  expect(heard).toEqual(['two', 'three'])
})
