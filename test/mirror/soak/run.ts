import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import pg from 'pg'
import { POINTS, type Point } from '../../../src/mirror/core/context.js'
import { assembleMirror } from '../../../src/mirror/mirror.js'
import { createPGliteFolder } from '../../support/pglite.js'
import { order } from '../../support/samples.js'
import { Fleet } from './fleet.js'
import { handledIn, tableOfHandled } from './handled.js'
import type { MachineOrder } from './machine.js'
import { type Ask, judge, type Verdict } from './verdict.js'

/** One cell of the kill matrix. */
export interface SoakOptions {
  /** Path of the bundled machine. */
  readonly machine: string
  /** URL of a Postgres server; `undefined` for PGlite. */
  readonly postgres: string | undefined
  readonly machines: number
  /** The points. */
  readonly points?: readonly Point[] | undefined
  /** Ends when every point has this number of kills, or at the time limit. */
  readonly kills: number
  readonly limitMs: number
  /** Probability of a kill each time a process passes a point, while all points lack kills. */
  readonly probability: number
  /** Called each second. Causes partitions and stops of the server. */
  readonly disturb?: ((fleet: Fleet, second: number) => Promise<void>) | undefined
}

/** Result of one cell of the kill matrix. */
export interface SoakReport {
  readonly verdict: Verdict
  readonly kills: ReadonlyMap<Point, number>
  readonly orders: number
  readonly changes: number
  readonly seconds: number
  readonly errors: readonly string[]
}

const URL_OF_CLINIC = 'https://clinic.example/webhooks'
const SETTLE_MS = 120_000

let cells = 0

/**
 * Runs one cell: orders, results and corrections while machines are killed, then an undisturbed end and the
 * comparison.
 */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const startedAt = Date.now()
  cells += 1
  const schema = `soak_${process.pid}_${cells}`
  const folder = await mkdtemp(join(tmpdir(), 'mirror-soak-'))
  const fake = await FakePathologyService.start({ seedReferrals: 20, journalLimit: 100 })
  const database = options.postgres ?? join(folder, 'copy')
  const { baseUrl, authUrl, clientId, clientSecret } = fake.clientOptions()
  let isCalm = false
  const kills = new Map<Point, number>()
  const fleet: Fleet = new Fleet(options.machine, (): MachineOrder => {
    const points = armed(fleet.kills, options)
    return {
      ...{ database, schema, points, lease: 1_000 },
      secret: fake.signingSecret,
      client: { baseUrl, authUrl, clientId, clientSecret },
      probability: isCalm ? 0 : probabilityOf(points, options),
    }
  })
  try {
    await prepare(options.postgres, database, schema)
    fake.deliverTo(URL_OF_CLINIC, (request) => fleet.deliver(request))
    await subscribe(fake)
    fleet.start(options.machines)
    const orders = await trade(fake, fleet, options)
    isCalm = true
    await fleet.stop('SIGKILL')
    for (const [point, count] of fleet.kills) kills.set(point, count)
    const { verdict, changes } = await settle(fake, fleet, { database, schema, options })
    const seconds = Math.round((Date.now() - startedAt) / 1_000)
    return { verdict, kills, orders, changes, seconds, errors: fleet.errors }
  } finally {
    await fleet.stop('SIGKILL')
    await fake.close()
    await clean(options.postgres, schema)
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Places orders and changes results, with repeated, lost and reordered events, until every point has its
 * kills.
 */
async function trade(fake: FakePathologyService, fleet: Fleet, options: SoakOptions): Promise<number> {
  const client = new PathologyClient({ ...fake.clientOptions(), maxRetries: 3 })
  const until = Date.now() + options.limitMs
  const { points = POINTS } = options
  const isEnough = (): boolean => points.every((point) => (fleet.kills.get(point) ?? 0) >= options.kills)
  let orders = 0
  let second = 0
  let nextSecond = Date.now()
  while (Date.now() < until && !isEnough()) {
    if (Date.now() >= nextSecond) {
      nextSecond += 1_000
      second += 1
      await options.disturb?.(fleet, second)
    }
    // Several orders at a time, so that their events and records are in one batch.
    for (let n = 0; n < TOGETHER && fleet.isReady; n += 1) {
      await act(fake, client, orders)
      orders += 1
    }
    // Failed deliveries are sent again by the fake's clock.
    await fake.clock.advance({ seconds: 20 })
    await sleep(options.probability === 1 ? 150 : 60)
  }
  await client.close()
  return orders
}

/** Number of orders before the clock advances and their events are sent. */
const TOGETHER = 4

const FAULTS = ['duplicate', 'lost', 'reorder'] as const

async function act(fake: FakePathologyService, client: PathologyClient, turn: number): Promise<void> {
  const fault = FAULTS[turn % 7]
  if (fault !== undefined) fake.deliveries.fault({ kind: fault })
  // The record is then stored without its PDF, whose download becomes work of its own.
  if (turn % 3 === 0) fake.faults.next('GET /documents/{name}', { status: 500 })
  await client.referrals.create(order({ referenceNumber: `soak-${turn}`, tests: ['lipid-panel'] }))
  const open = fake.referrals
    .all()
    .filter(({ status }) => status === 'ISSUED' || status === 'PARTIAL_RESULTS')
  const referral = open[Math.floor(open.length / 2)]
  if (referral === undefined) return
  if (turn % 2 === 0) fake.referrals.partialResults(referral.uuid)
  else fake.referrals.complete(referral.uuid)
  if (turn % 5 === 4) {
    const result = fake.results.all().findLast(({ status }) => status === 'COMPLETE')
    if (result !== undefined) fake.results.review(result.uuid)
  }
  if (turn % 11 === 10) await client.referrals.delete(referral.uuid)
}

/** Ends the disturbances, waits for all work, and compares the copy with the service. */
async function settle(
  fake: FakePathologyService,
  fleet: Fleet,
  at: { readonly database: string; readonly schema: string; readonly options: SoakOptions },
): Promise<{ readonly verdict: Verdict; readonly changes: number }> {
  fleet.start(at.options.machines)
  const until = Date.now() + SETTLE_MS
  for (let minute = 0; minute < 40; minute += 1) {
    await fake.clock.advance({ minutes: 1 })
    await fake.settled()
  }
  await sleep(1_000)
  await fleet.stop()
  const end = await openEnd(at, fake)
  try {
    // Changes without an event, such as deletions and lost deliveries.
    await end.finish(until)
    fake.faults.clear()
    const [row] = await end.ask(`SELECT count(*)::int AS n FROM ${at.schema}.change`)
    return { verdict: await judge(fake, end.client, at.schema, end.ask), changes: Number(row?.['n'] ?? 0) }
  } finally {
    await end.close()
  }
}

/** A last machine in this process, which sweeps and delivers the remaining changes. */
async function openEnd(
  { database, schema, options }: Parameters<typeof settle>[2],
  fake: FakePathologyService,
) {
  const source =
    options.postgres === undefined
      ? await (await import('@electric-sql/pglite')).PGlite.create(database)
      : new pg.Pool({ connectionString: database, max: 12 })
  const client = new PathologyClient({ ...fake.clientOptions(), maxRetries: 3 })
  const ask: Ask = async (text) => {
    const { rows } =
      source instanceof pg.Pool
        ? await source.query<Record<string, unknown>>(text)
        : await source.query<Record<string, unknown>>(text)
    return rows
  }
  const mirror = assembleMirror({
    database: source,
    schema,
    client,
    secret: fake.signingSecret,
    sweep: { centres: false, requestsPerSecond: 1_000 },
    on: handledIn(schema),
  })
  const finish = async (until: number): Promise<void> => {
    await mirror.drain()
    await mirror.sweep('recent')
    await mirror.sweep('open')
    await mirror.sweep('everything')
    for (;;) {
      await ask(`UPDATE ${schema}.work SET run_at = now() WHERE lease IS NULL`)
      await mirror.drain()
      const left = await ask(`SELECT kind, attempts, error FROM ${schema}.work WHERE NOT dead`)
      if (left.length === 0) return
      if (Date.now() > until) throw new Error(`work is left: ${JSON.stringify(left.slice(0, 5))}`)
      await sleep(200)
    }
  }
  const close = async (): Promise<void> => {
    await mirror.stop()
    await client.close()
    if (source instanceof pg.Pool) await source.end()
    else await source.close()
  }
  return { client, ask, finish, close }
}

async function prepare(postgres: string | undefined, database: string, schema: string): Promise<void> {
  const text = tableOfHandled(schema)
  if (postgres !== undefined) {
    const pool = new pg.Pool({ connectionString: postgres, max: 1 })
    await pool.query(text)
    return pool.end()
  }
  const { PGlite } = await import('@electric-sql/pglite')
  const pglite = await PGlite.create(await createPGliteFolder(database))
  await pglite.exec(text)
  await pglite.close()
}

async function clean(postgres: string | undefined, schema: string): Promise<void> {
  if (postgres === undefined) return
  const pool = new pg.Pool({ connectionString: postgres, max: 1 })
  await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE; DROP SCHEMA IF EXISTS ${schema}_own CASCADE`)
  await pool.end()
}

async function subscribe(fake: FakePathologyService): Promise<void> {
  const client = new PathologyClient(fake.clientOptions())
  const events = await client.webhooks.eventNames()
  await client.webhooks.create({ url: URL_OF_CLINIC, events })
  await client.close()
}

/** The points at which machines are killed: those that lack kills. */
function armed(
  killed: ReadonlyMap<Point, number>,
  { points = POINTS, kills }: SoakOptions,
): readonly Point[] {
  return points.filter((point) => (killed.get(point) ?? 0) < kills)
}

/** The probability grows when fewer points lack kills: a rare point would otherwise take hours. */
function probabilityOf(left: readonly Point[], { points = POINTS, probability }: SoakOptions): number {
  return Math.min(1, (probability * points.length) / Math.max(1, left.length))
}
