import { setTimeout as sleep } from 'node:timers/promises'
import { launch } from '../world.mjs'
import { CONTENDERS, medians } from './contenders.mjs'

/** Number of events of one run. */
const EVENTS = 400
const NUMBERS = [1, 2, 4, 8]
const LIMIT_MS = 60_000

const STATE = `
SELECT (SELECT count(*) FROM handled)::int AS rows,
  (SELECT extract(epoch FROM max(at)) * 1000 FROM handled)::float8 AS "endedAt",
  extract(epoch FROM clock_timestamp())::float8 * 1000 AS now,
  (SELECT array_agg(part) FROM (SELECT count(*)::int AS part FROM handled GROUP BY process ORDER BY 1) AS parts) AS parts`

/**
 * Measures a burst of events: one process receives the events, and 1 to 8 other processes handle them.
 * @param {import('./contenders.mjs').Bench} bench
 * @param {string} service
 */
export async function processes(bench, service) {
  const { rounds, step } = bench
  const rows = []
  for (const number of NUMBERS) {
    step(`${number} worker processes`)
    for (const name of CONTENDERS) {
      const found = []
      // The other contenders run only once, to save time.
      const runs = name === 'mirror' ? Math.min(2, rounds) : 1
      for (let run = 0; run < runs; run += 1) found.push(await burst(bench, service, name, number))
      rows.push({ name, processes: number, ...medians(found) })
    }
  }
  return rows
}

/**
 * @param {import('./contenders.mjs').Bench} bench
 * @param {string} service
 * @param {import('./contenders.mjs').Name} contender
 * @param {number} number
 * @returns {Promise<Record<string, number>>}
 */
async function burst({ world, scaled }, service, contender, number) {
  const database = await world.database()
  const order = { contender, database, service }
  const web = await launch({ ...order, ...(contender === 'mirror' && { concurrency: 0 }) })
  const workers = await Promise.all(Array.from({ length: number }, () => launch(order)))
  await Promise.all(workers.map((worker) => worker.ask('start')))
  const count = scaled(EVENTS)
  const [begin] = await world.query(database, STATE)
  await web.ask('receive', { from: 1, count })
  const ended = await until(world, database, count)
  for (const machine of [web, ...workers]) await machine.kill()
  const seconds = (ended.endedAt - begin.now) / 1_000
  /** @type {number[]} */
  const parts = ended.parts
  const least = parts.length < number ? 0 : Math.min(...parts)
  return {
    perSecond: count / seconds,
    least: (100 * least) / count,
    most: (100 * Math.max(...parts)) / count,
  }
}

/**
 * @param {import('../world.mjs').World} world
 * @param {string} database
 * @param {number} count
 */
async function until(world, database, count) {
  const limit = performance.now() + LIMIT_MS
  for (;;) {
    const [row] = await world.query(database, STATE)
    if (row.rows === count) return row
    if (performance.now() > limit) throw new Error(`only ${row.rows} of ${count} events were handled`)
    await sleep(100)
  }
}
