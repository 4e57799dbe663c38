import { launch } from '../world.mjs'
import { medians } from './contenders.mjs'

/** Number of records that one round reads again. */
const READ_AGAIN = 200
/** Number of pages of each list. */
const PAGES = 60

/**
 * Measures reads by UUID with their transactions, without a consumer, on both databases.
 * @param {import('./contenders.mjs').Bench} bench
 * @param {string} service
 */
export async function refetch({ world, rounds, scaled, step }, service) {
  step('records read again')
  const count = scaled(READ_AGAIN)
  const rows = []
  for (const name of /** @type {const} */ (['Postgres', 'PGlite'])) {
    const database = name === 'Postgres' ? await world.database() : await world.folder()
    const order = name === 'PGlite' ? { concurrency: 1 } : {}
    const machine = await launch({ contender: 'mirror', database, service, hasHandler: false, ...order })
    const found = []
    for (let round = 0; round <= rounds; round += 1) {
      /** @type {Record<string, number>} */
      const rates = {}
      for (const kind of /** @type {const} */ (['referral', 'result'])) {
        await machine.ask('receive', { kind, from: round * count, count })
        rates[kind] = await machine.ask('drain', { count })
      }
      if (round > 0) found.push(rates)
    }
    await machine.kill()
    rows.push({ name, ...medians(found) })
  }
  return rows
}

/**
 * Measures the first read of both lists, on both databases.
 * @param {import('./contenders.mjs').Bench} bench
 */
export async function backfill({ world, rounds, scaled, step }) {
  step('backfill')
  const service = await world.service(scaled(PAGES))
  const rows = []
  for (const name of /** @type {const} */ (['Postgres', 'PGlite'])) {
    const found = []
    for (let round = 0; round < rounds; round += 1) {
      const database = name === 'Postgres' ? await world.database() : await world.folder()
      const order = name === 'PGlite' ? { concurrency: 1 } : {}
      const machine = await launch({ contender: 'mirror', database, service, hasHandler: false, ...order })
      found.push(await machine.ask('backfill'))
      await machine.kill()
    }
    rows.push({ name, ...medians(found) })
  }
  return rows
}
