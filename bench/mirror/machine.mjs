import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { PathologyClient } from '../../dist/index.js'
import { countPGlite, countStatements } from './lib/counters.mjs'
import { createMeasurements } from './lib/measurements.mjs'
import { SECRET } from './records.mjs'

/**
 * One process of one contender. It runs the commands of its parent, and returns the measured numbers.
 *
 * @typedef {object} Order
 * @property {'mirror' | 'pg-boss' | 'graphile-worker'} contender
 * @property {string} database URL of a Postgres database, or a folder for PGlite
 * @property {string} service
 * @property {number} [concurrency]
 * @property {boolean} [hangs] whether the handler never ends
 * @property {boolean} [reports] whether each call of the handler is reported to the parent
 * @property {Record<string, unknown>} [mirror] further options of the mirror
 * @property {boolean} [hasHandler] `false`: the mirror has no consumer
 *
 * @typedef {object} Contender
 * @property {(body: Buffer, headers: import('node:http').IncomingHttpHeaders) => Promise<void>} receive stores a delivery
 * @property {import('node:http').RequestListener} node stores a delivery that arrives over HTTP
 * @property {() => Promise<void>} start begins to work
 * @property {() => Promise<void>} stop
 * @property {import('../../dist/mirror.js').Mirror} [mirror]
 *
 * @typedef {object} Setting
 * @property {import('pg').Pool | PGlite} database
 * @property {PathologyClient} client
 * @property {string} secret
 * @property {import('./contenders/hand-written.mjs').Handler | undefined} handler
 * @property {number} concurrency
 * @property {Record<string, unknown> | undefined} [mirror]
 *
 * @typedef {(setting: Setting) => Promise<Contender>} CreateContender
 */

/** Number of connections of each process, the same for every contender. */
const CONNECTIONS = 10
const CONCURRENCY = 4

const CREATE = {
  mirror: async () => (await import('./contenders/mirror.mjs')).createMirrorContender,
  'pg-boss': async () => (await import('./contenders/pg-boss.mjs')).createPgBoss,
  'graphile-worker': async () => (await import('./contenders/graphile-worker.mjs')).createGraphileWorker,
}

const HANDLED = 'INSERT INTO handled (uuid, process) VALUES ($1, $2)'

/** @type {Order} */
const order = JSON.parse(process.argv[2] ?? '{}')
const isServer = order.database.startsWith('postgres://')

/** @param {Error} error */
const report = (error) => console.error(`${order.contender}: ${error.message}`)

function openPool() {
  const opened = new pg.Pool({ connectionString: order.database, max: CONNECTIONS })
  opened.on('error', report)
  return opened.on('connect', (connection) => connection.on('error', report))
}

async function openPGlite() {
  return countPGlite(await PGlite.create(order.database))
}

if (isServer) countStatements(pg.Client)
const database = isServer ? openPool() : await openPGlite()
const client = new PathologyClient({
  baseUrl: order.service,
  authUrl: order.service,
  clientId: 'bench',
  clientSecret: 'bench',
})

/** @type {{ count: number, wake: (uuid: string) => unknown }} */
const handled = { count: 0, wake: () => undefined }

/** @type {import('./contenders/hand-written.mjs').Handler} */
async function handler(tx, uuid) {
  handled.count += 1
  handled.wake(uuid)
  if (order.hangs || order.reports) process.send?.({ handled: uuid, at: Date.now() })
  if (order.hangs) await new Promise(() => undefined)
  await tx.query(HANDLED, [uuid, process.pid])
}

const create = await CREATE[order.contender]()
const setting = {
  ...{ database, client, secret: SECRET, mirror: order.mirror },
  handler: order.hasHandler === false ? undefined : handler,
  concurrency: order.concurrency ?? CONCURRENCY,
}
const contender = await create(setting)
const measurements = createMeasurements({ contender, handled, create: () => create(setting) })

/** @typedef {typeof measurements} Measurements */

/** @param {{ id: number, name: keyof Measurements, values: unknown }} request */
async function run({ id, name, values }) {
  // The parent passes the values of this measurement.
  const measure = /** @type {(values: unknown) => unknown} */ (measurements[name])
  try {
    process.send?.({ id, value: await measure(values) })
  } catch (error) {
    process.send?.({ id, error: error instanceof Error ? error.stack : String(error) })
  }
}

process.on('message', (request) => void run(/** @type {Parameters<typeof run>[0]} */ (request)))
process.on('disconnect', () => process.exit(0))
process.send?.({ ready: true })
