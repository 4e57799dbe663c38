import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../../lib/measure.mjs'
import { deliveries } from '../records.mjs'
import { counters } from './counters.mjs'

/** Deliveries in flight at the same time. */
export const LANES = 16

/**
 * Runs `work` for each item, `LANES` at a time.
 * @template Item
 * @param {readonly Item[]} items
 * @param {(item: Item) => Promise<unknown>} work
 * @returns {Promise<{ readonly ms: number, readonly times: number[] }>} the total time, and the time of each item, in milliseconds
 */
export async function inLanes(items, work) {
  /** @type {number[]} */
  const times = []
  const queue = items.values()
  const lane = async () => {
    for (const item of queue) {
      const before = performance.now()
      await work(item)
      times.push(performance.now() - before)
    }
  }
  const before = performance.now()
  await Promise.all(Array.from({ length: LANES }, lane))
  return { ms: performance.now() - before, times }
}

/**
 * @typedef {{ readonly kind?: import('../records.mjs').Kind, readonly from: number, readonly count: number }} Batch Deliveries for `count` records.
 */

/** @param {{ readonly ms: number, readonly times: readonly number[] }} measured */
export function rateOf({ ms, times }) {
  return {
    perSecond: (times.length * 1_000) / ms,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
  }
}

/**
 * Creates the commands that a parent can send to a process.
 * @param {object} process_
 * @param {import('../machine.mjs').Contender} process_.contender
 * @param {{ count: number, wake: (uuid: string) => unknown }} process_.handled
 * @param {() => Promise<import('../machine.mjs').Contender>} process_.create creates another instance of the contender
 */
export function createMeasurements({ contender, handled, create }) {
  const usage = () => {
    const { user, system } = process.cpuUsage()
    return { cpu: user + system, statements: counters.statements }
  }
  const receive = (/** @type {import('../records.mjs').Delivery} */ { body, headers }) =>
    contender.receive(body, headers)
  const mirror = () => {
    if (contender.mirror === undefined) throw new Error('this contender is not the mirror')
    return contender.mirror
  }

  return {
    usage,
    start: () => contender.start(),
    stop: () => contender.stop(),

    /** Receives deliveries in this process. @param {Batch} batch */
    async receive({ kind = 'referral', from, count }) {
      const list = deliveries(kind, from, count)
      const before = usage().cpu
      const rate = rateOf(await inLanes(list, receive))
      return { ...rate, cpu: (usage().cpu - before) / count }
    },

    /** Receives deliveries and waits until the handler has been called for each of them. @param {Batch} batch */
    async through({ from, count }) {
      const list = deliveries('referral', from, count)
      const goal = handled.count + count
      const done = new Promise((resolve) => {
        handled.wake = () => handled.count === goal && resolve(undefined)
      })
      const before = usage()
      const start = performance.now()
      await inLanes(list, receive)
      await done
      const ms = performance.now() - start
      const { cpu, statements } = usage()
      const each = { cpu: (cpu - before.cpu) / count, statements: (statements - before.statements) / count }
      return { ...each, perSecond: (count * 1_000) / ms }
    },

    /** Returns the milliseconds from each delivery to its handler, with idle pauses between deliveries. @param {Batch} batch */
    async latency({ from, count }) {
      const times = []
      for (const delivery of deliveries('referral', from, count)) {
        await sleep(30 + Math.random() * 70)
        const called = new Promise((resolve) => {
          handled.wake = (uuid) => uuid === delivery.uuid && resolve(undefined)
        })
        const before = performance.now()
        await receive(delivery)
        await called
        times.push(performance.now() - before)
      }
      return times
    },

    async listen() {
      const server = createServer(contender.node).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const address = server.address()
      return typeof address === 'object' ? address?.port : undefined
    },

    /** Processes all due work. Returns the pieces of work per second. @param {Pick<Batch, 'count'>} batch */
    async drain({ count }) {
      const before = performance.now()
      await mirror().drain()
      return (count * 1_000) / (performance.now() - before)
    },

    /** Returns the records per second, for the complete run and for the transactions alone. */
    async backfill() {
      // Opens the database and creates its tables.
      await mirror().status()
      const before = performance.now()
      const committed = counters.transactionMs
      const { read } = await mirror().backfill()
      const rate = (/** @type {number} */ ms) => (read * 1_000) / ms
      return {
        records: read,
        perSecond: rate(performance.now() - before),
        commitPerSecond: rate(counters.transactionMs - committed),
      }
    },

    /** Returns the milliseconds of a start on an existing schema. */
    async startAgain() {
      const another = await create()
      const before = performance.now()
      await another.start()
      const ms = performance.now() - before
      await another.stop()
      return ms
    },
  }
}
