import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { memoryOrderLedger, type OrderName } from '../../../src/client/index.js'
import { orderLedgerContract } from '../../support/order-ledger-contract.js'
import { compareWithModel, ledgerSteps } from '../../support/order-ledger-model.js'
import { ShiftedClock } from '../../support/shifted-clock.js'

const clock = new ShiftedClock()

orderLedgerContract('memory', () => memoryOrderLedger({ clock }), {
  advance: (ms) => clock.advance(ms),
  now: () => clock.now(),
})

test('any interleaving of statements has the results of the rules (property)', async () => {
  const ledger = memoryOrderLedger({ clock })
  await fc.assert(
    fc.asyncProperty(ledgerSteps, async (steps) => {
      const name = { namespace: 'n', key: crypto.randomUUID() }
      const results = await compareWithModel(ledger, name, steps, (ms) => clock.advance(ms))
      expect(results.ledger).toEqual(results.model)
    }),
    { numRuns: 2_000 },
  )
})

describe('memory of the in-memory ledger', () => {
  const fingerprint = { keyId: 'k', hash: 'h' }
  const name = (key: string | number): OrderName => ({ namespace: 'n', key: String(key) })

  async function claim(ledger: ReturnType<typeof memoryOrderLedger>, key: string | number) {
    const token = `token ${key}`
    const { state } = await ledger.claim(name(key), { token, leaseMs: 60_000, fingerprint })
    return { state, token }
  }

  test('5,000 finished orders are kept; the oldest is dropped first, and what may have been sent never', async () => {
    const ledger = memoryOrderLedger()
    const sent = await claim(ledger, 'sent')
    await ledger.mark(name('sent'), { token: sent.token, mark: 'm', leaseMs: 1 })
    await ledger.record(name('sent'), { token: sent.token, outcome: 'unknown' })
    await claim(ledger, 'claimed')
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
  })

  test('a listener is called at the end of a claim until it is removed, and cannot fail the statement', async () => {
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
    await ledger.resolve(name('a'), { placed: ['uuid'] })
    expect(heard).toEqual(['a'])
  })
})
