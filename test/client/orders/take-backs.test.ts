import { afterEach, describe, expect, it, vi } from 'vitest'
import { TakeBacks } from '../../../src/client/orders/take-backs.js'

afterEach(() => void vi.useRealTimers())

describe('statements that did not reach the ledger', () => {
  it('arrive within five seconds after the ledger is reachable again, however long it was not', async () => {
    vi.useFakeTimers()
    const takeBacks = new TakeBacks()
    let isReachable = false
    const arrived: string[] = []
    for (const name of ['one', 'two', 'three'])
      takeBacks.add(async () => {
        if (!isReachable) throw new Error('not reachable')
        arrived.push(name)
      })
    await vi.advanceTimersByTimeAsync(600_000)
    isReachable = true
    await vi.advanceTimersByTimeAsync(5_000)
    expect([...arrived].sort()).toEqual(['one', 'three', 'two'])
  })
})
