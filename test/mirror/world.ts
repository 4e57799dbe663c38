import { randomUUID } from 'node:crypto'
import type { PGlite } from '@electric-sql/pglite'
import { type ClientOptions, PathologyClient } from 'pathology-sdk'
import type { DatabaseSource, Mirror, MirrorOptions } from 'pathology-sdk/mirror'
import type { DeliveryRecord, FakeStartOptions } from 'pathology-sdk/testing'
import { signWebhook } from 'pathology-sdk/webhooks'
import type pg from 'pg'
import { onTestFinished } from 'vitest'
import type { PointHook } from '../../src/mirror/core/context.js'
import { assembleMirror } from '../../src/mirror/mirror.js'
import { freshSchema } from '../support/pglite.js'
import { orderOverApi, startFake } from '../testing/support.js'

function isLate({ status, attempts }: DeliveryRecord): boolean {
  return status === 'waiting' && /503|time/.test(attempts.at(-1)?.failure ?? '')
}

/** A database under test. */
export interface TestDatabase {
  readonly source: DatabaseSource
  /** Runs a statement directly, without the mirror. */
  readonly query: (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>
}

/** A Postgres server as the database under test. */
export function poolDatabase(pool: pg.Pool): TestDatabase & { readonly source: pg.Pool } {
  return { source: pool, query: async (text, values = []) => (await pool.query(text, values)).rows }
}

/** A PGlite as the database under test. */
export function pgliteDatabase(pglite: PGlite): TestDatabase {
  return {
    source: pglite,
    query: async (text, values = []) => {
      if (values.length > 0) return (await pglite.query<Record<string, unknown>>(text, values)).rows
      const rows = (await pglite.exec(text)).at(-1)?.rows ?? []
      return rows.map((row) => ({ ...row }))
    },
  }
}

const REFERRAL_EVENTS = [
  'referral.created',
  'referral.issued',
  'referral.complete',
  'referral.partial_results',
]
const RESULT_EVENTS = ['result.created', 'result.updated', 'result.complete', 'result.in_review']
const OTHERS = [
  'referral.updated',
  'referral.scheduled_reissue',
  'referral.refunded',
  'result.partial_results',
]

const URL = 'https://clinic.example/webhooks'

/** A fake over HTTP, a schema of its own, and mirrors of it; all closed when the test ends. */
export async function createWorld(database: TestDatabase, fakeOptions: FakeStartOptions = {}) {
  const fake = await startFake({ seedReferrals: 0, ...fakeOptions })
  const schema = freshSchema()
  const logs: string[] = []
  onTestFinished(async () => void (await database.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)))

  const clientOf = (options: ClientOptions = {}): PathologyClient => {
    const client = new PathologyClient({ ...fake.clientOptions(), maxRetries: 0, ...options })
    onTestFinished(() => client.close())
    return client
  }
  const mirrorOf = (options: MirrorOptions = {}, point?: PointHook): Mirror => {
    const logger = { warn: (line: string) => logs.push(line), error: (line: string) => logs.push(line) }
    const own = { client: clientOf(), secret: fake.signingSecret }
    const mirror = assembleMirror(
      {
        database: database.source,
        schema,
        logger,
        poll: 20,
        // Downloads of PDFs have their own tests.
        documents: 'none',
        // The directory has thousands of rows, so only its own tests copy it.
        sweep: { centres: false },
        ...(options.organisations ? {} : own),
        ...options,
      },
      point,
    )
    onTestFinished(() => mirror.stop())
    return mirror
  }
  const subscribe = async (mirror: Mirror): Promise<void> => {
    fake.deliverTo(URL, (request) => mirror.receiver.fetch(request))
    await clientOf().webhooks.create({ url: URL, events: [...REFERRAL_EVENTS, ...RESULT_EVENTS, ...OTHERS] })
  }
  const order = (more: Readonly<Record<string, unknown>> = {}) => orderOverApi(fake, more)
  /** Delivers one event about a referral. Returns the status of the response. */
  const announce = async (mirror: Mirror, data: object, event: object = {}): Promise<number> => {
    const own = { version: '1.0', eventName: 'referral.updated', eventUuid: randomUUID(), data }
    const body = JSON.stringify({ ...own, ...event })
    const headers = { 'x-svc-hmac-sha256': await signWebhook(body, fake.signingSecret) }
    return (await mirror.receiver.receive({ headers, body })).status
  }
  const rows = (text: string, values?: unknown[]): Promise<Record<string, unknown>[]> =>
    database.query(text.replaceAll('{schema}', schema), values)
  /** Adds work. The values of the columns are SQL. */
  const want = async (kind: string, key = 'all', columns: Readonly<Record<string, string>> = {}) => {
    const [names, values] = [Object.keys(columns), Object.values(columns)].map((list) =>
      list.map((text) => `, ${text}`),
    )
    const text = `INSERT INTO {schema}.work (organisation, kind, key${names?.join('')}) VALUES ('default', $1, $2${values?.join('')})`
    await rows(text, [kind, key])
  }
  /** Does all work now, also what waits for its next attempt. */
  const again = async (mirror: Mirror): Promise<void> => {
    await rows('UPDATE {schema}.work SET run_at = now()')
    await mirror.drain()
  }
  /** Lets the fake send the deliveries that are due, and the mirror process them. */
  const settle = async (mirror: Mirror): Promise<void> => {
    await fake.clock.advance({ seconds: 1 })
    await fake.settled()
    // On a busy machine, a delivery can get a 503 or no response in time. The fake sends it again after five minutes.
    for (let again = 0; again < 3 && fake.deliveries.some(isLate); again += 1) {
      await fake.clock.advance({ minutes: 6 })
      await fake.settled()
    }
    await mirror.drain()
  }
  return { fake, schema, logs, clientOf, mirrorOf, subscribe, order, announce, rows, want, again, settle }
}

/** A fake, a schema and mirrors of one test. */
export type World = Awaited<ReturnType<typeof createWorld>>

/** Orders and completes one referral; returns its UUID and the one of its result. */
export async function completeOrder(
  here: World,
  mirror: Mirror,
  more: Readonly<Record<string, unknown>> = {},
): Promise<{ referral: string; result: string }> {
  const referral = await here.order(more)
  await here.settle(mirror)
  here.fake.referrals.complete(referral)
  await here.settle(mirror)
  const [row] = await here.rows('SELECT uuid FROM {schema}.result WHERE referral_uuid = $1', [referral])
  return { referral, result: String(row?.['uuid']) }
}
