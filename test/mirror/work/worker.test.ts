import { afterEach, expect, it, vi } from 'vitest'
import { SafeLogger } from '../../../src/common/logger.js'
import type { QueryResult } from '../../../src/database/database.js'
import { type Claim, WorkTable } from '../../../src/mirror/work/work-table.js'
import { type Job, Worker } from '../../../src/mirror/work/worker.js'

type Answer = () => Promise<readonly object[]>

const never = <T>(): Promise<T> => new Promise(() => undefined)

const claimOf = (key: string): Claim => ({
  ...{ organisation: 'default', kind: 'test', key, lease: `lease of ${key}`, wanted: 1 },
  ...{ attempts: 0, rereads: 0, source: 'webhook', promisedAt: null, iteration: null, isRecent: true },
  ...{ claimedAt: '2026-01-01', isProbe: false },
})

/** A worker on a table whose claims and renewals are given. */
function createWorker(given: { claim: Answer; renew?: (leases: string[]) => void; run?: Job['run'] }) {
  const started: string[] = []
  const table = new WorkTable({
    query: async <Row>(text: string, values?: readonly unknown[]): Promise<QueryResult<Row>> => {
      let rows: readonly object[] = []
      if (text.includes('SKIP LOCKED')) rows = await given.claim()
      else if (text.includes('RETURNING lease')) {
        const leases = values?.[0] as string[]
        given.renew?.(leases)
        rows = leases.map((lease) => ({ lease }))
      }
      return { rows: rows as Row[], rowCount: rows.length }
    },
  })
  const job: Job = {
    run: async (claim, signal) => {
      started.push(claim.key)
      await given.run?.(claim, signal)
    },
    fail: async () => undefined,
  }
  const worker = new Worker({
    ...{ table, organisations: ['default'], concurrency: 4, leaseMs: 60_000, pollMs: 1_000 },
    jobs: new Map([['test', job]]),
    logger: new SafeLogger(undefined),
    tick: async () => undefined,
    claimed: () => undefined,
    pacedMs: async () => undefined,
  })
  return { worker, started }
}

afterEach(() => void vi.useRealTimers())

it('drain() with a running loop waits for the work that the loop has claimed', async () => {
  let release: (rows: readonly object[]) => void = () => undefined
  let claims = 0
  const { worker, started } = createWorker({
    // The loop has claimed the only row, and the response to its claim has not arrived yet.
    claim: () => {
      claims += 1
      return claims === 1 ? new Promise((resolve) => (release = resolve)) : Promise.resolve([])
    },
  })
  worker.start()
  await vi.waitUntil(() => claims === 1, { timeout: 10_000 })
  let isDrained = false
  const drained = worker.drain().then(() => {
    isDrained = true
  })
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(isDrained).toBe(false)
  release([claimOf('a')])
  await drained
  expect(started).toEqual(['a'])
  await worker.stop()
})

it('the signal of drain() ends the wait for a job in progress', async () => {
  const rows = [[claimOf('a')]]
  const { worker } = createWorker({ claim: async () => rows.pop() ?? [], run: () => never() })
  await expect(worker.drain(AbortSignal.timeout(50))).rejects.toMatchObject({ name: 'TimeoutError' })
})

it('drain() rejects when the worker is stopped, and does not continue', async () => {
  let n = 0
  const { worker, started } = createWorker({
    claim: () => new Promise((resolve) => setImmediate(() => resolve([claimOf(String(n++))]))),
  })
  const drained = worker.drain()
  await vi.waitUntil(() => started.length > 3, { timeout: 10_000 })
  await Promise.all([worker.stop(), expect(drained).rejects.toMatchObject({ code: 'MIRROR_STOPPED' })])
})

it.each([
  ['the database never responds', { claim: () => never<object[]>() }],
  ['a job never ends', { claim: async () => [claimOf('a')], run: () => never<void>() }],
])('stop() ends within 12 s if %s', async (_, given) => {
  vi.useFakeTimers()
  const { worker } = createWorker(given)
  worker.start()
  await vi.advanceTimersByTimeAsync(100)
  let isStopped = false
  void worker.stop().then(() => {
    isStopped = true
  })
  await vi.advanceTimersByTimeAsync(12_000)
  expect(isStopped).toBe(true)
})

it('the lease of a job that never ends is not renewed after an hour, and its signal aborts', async () => {
  vi.useFakeTimers()
  const rows = [[claimOf('a')]]
  let renewed = 0
  let isAborted = false
  const { worker } = createWorker({
    claim: async () => rows.pop() ?? [],
    renew: (leases) => {
      renewed += leases.length
    },
    run: (_, signal) => {
      signal.addEventListener('abort', () => {
        isAborted = true
      })
      return never()
    },
  })
  worker.start()
  await vi.advanceTimersByTimeAsync(3_500_000)
  expect({ isAborted, isRenewed: renewed > 100 }).toEqual({ isAborted: false, isRenewed: true })
  await vi.advanceTimersByTimeAsync(200_000)
  expect(isAborted).toBe(true)
  const before = renewed
  await vi.advanceTimersByTimeAsync(200_000)
  expect(renewed).toBe(before)
  const stopped = worker.stop()
  await vi.advanceTimersByTimeAsync(12_000)
  await stopped
})
