import { Pool } from 'undici'
import { quantile } from '../../lib/measure.mjs'
import { inLanes, LANES, rateOf } from '../lib/measurements.mjs'
import { deliveries } from '../records.mjs'
import { CONTENDERS, inTurn, launchAll } from './contenders.mjs'

/** Number of deliveries in one round of {@link receive}. */
const RECEIVED = 1_000
/** Number of events in one round of {@link handled}, sent as fast as possible. */
const HANDLED = 400
/** Number of events in one round of {@link handled}, sent with pauses. */
const SINGLE = 20

/**
 * Measures deliveries that are stored and acknowledged but not handled, in the process and over HTTP.
 * @param {import('./contenders.mjs').Bench} bench
 * @param {string} service
 */
export async function receive(bench, service) {
  const machines = await launchAll(bench, service)
  const count = bench.scaled(RECEIVED)
  let from = 0
  const next = () => {
    from += count
    return from
  }
  bench.step('deliveries received in the process')
  const inProcess = await inTurn(bench.rounds, (name) =>
    machines.of(name).machine.ask('receive', { from: next(), count }),
  )
  bench.step('deliveries received over HTTP')
  /** @type {Map<string, Pool>} */
  const pools = new Map()
  const poolOf = async (/** @type {import('./contenders.mjs').Name} */ name) => {
    const ready = pools.get(name)
    if (ready !== undefined) return ready
    const port = await machines.of(name).machine.ask('listen')
    const pool = new Pool(`http://127.0.0.1:${port}`, { connections: LANES, pipelining: 1 })
    pools.set(name, pool)
    return pool
  }
  const http = await inTurn(bench.rounds, async (name) => {
    const pool = await poolOf(name)
    const { machine } = machines.of(name)
    const list = deliveries('referral', next(), count)
    const before = await machine.ask('usage')
    const rate = rateOf(await inLanes(list, (delivery) => send(pool, delivery)))
    return { ...rate, cpu: ((await machine.ask('usage')).cpu - before.cpu) / count }
  })
  for (const pool of pools.values()) await pool.close()
  await machines.end()
  return { inProcess, http }
}

/**
 * @param {Pool} pool
 * @param {import('../records.mjs').Delivery} delivery
 */
async function send(pool, { body, headers }) {
  const response = await pool.request({ path: '/', method: 'POST', headers, body })
  await response.body.dump()
  if (response.statusCode !== 200) throw new Error(`a delivery got the status ${response.statusCode}`)
}

/**
 * Measures events from the delivery to the handler: as many as possible, and one at a time with pauses.
 * @param {import('./contenders.mjs').Bench} bench
 * @param {string} service
 */
export async function handled(bench, service) {
  const machines = await launchAll(bench, service)
  const count = bench.scaled(HANDLED)
  const single = bench.scaled(SINGLE)
  let from = 0
  const next = () => {
    from += count
    return from
  }
  for (const name of CONTENDERS) await machines.of(name).machine.ask('start')
  bench.step('events through to the handler')
  const through = await inTurn(bench.rounds, (name) =>
    machines.of(name).machine.ask('through', { from: next(), count }),
  )
  bench.step('from the event to the handler when idle')
  const latency = await inTurn(bench.rounds, async (name) => {
    const times = await machines.of(name).machine.ask('latency', { from: next(), count: single })
    return { p50: quantile(times, 0.5), p95: quantile(times, 0.95) }
  })
  await checkHandled(bench, machines, bench.rounds + 1, count + single)
  await machines.end()
  return { through, latency }
}

/** Maximum time until the transaction of the last handler is committed, in milliseconds. */
const COMMIT_MS = 5_000

/**
 * Fails if a contender lost an event or handled an event twice, because its times would not be comparable.
 * @param {import('./contenders.mjs').Bench} bench
 * @param {Awaited<ReturnType<typeof launchAll>>} machines
 * @param {number} rounds
 * @param {number} perRound
 */
async function checkHandled({ world }, machines, rounds, perRound) {
  const goal = rounds * perRound
  const text = 'SELECT count(*)::int AS rows, count(DISTINCT uuid)::int AS records FROM handled'
  for (const name of CONTENDERS) {
    const { database } = machines.of(name)
    const limit = performance.now() + COMMIT_MS
    let [row] = await world.query(database, text)
    while (row?.rows !== goal && performance.now() < limit) [row] = await world.query(database, text)
    if (row?.rows === goal && row.records === goal) continue
    throw new Error(`${name} handled ${row?.rows} events of ${row?.records} records instead of ${goal}`)
  }
}
