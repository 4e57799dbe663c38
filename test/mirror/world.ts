import type { PGlite } from '@electric-sql/pglite'
import { type ClientOptions, PathologyClient } from 'pathology-sdk'
import type { DatabaseSource, Mirror, MirrorOptions } from 'pathology-sdk/mirror'
import type { DeliveryRecord, FakeStartOptions } from 'pathology-sdk/testing'
import type pg from 'pg'
import { onTestFinished } from 'vitest'
import type { PointHook } from '../../src/mirror/core/context.js'
import { assembleMirror } from '../../src/mirror/mirror.js'
import { freshSchema } from '../support/pglite.js'
import { authorised, ORDER, placeOrder, record, startFake } from '../testing/support.js'

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

export const EVENTS = ['referral.created', 'referral.issued', 'referral.complete', 'referral.partial_results']
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
    await clientOf().webhooks.create({ url: URL, events: [...EVENTS, ...RESULT_EVENTS, ...OTHERS] })
  }
  const order = async (more: object = {}): Promise<string> => {
    const { body } = await placeOrder(fake, await authorised(fake), { ...ORDER, ...more })
    const first: unknown = Array.isArray(body) ? body[0] : body
    const { uuid } = record(first)
    if (typeof uuid !== 'string') throw new Error('no referral was created')
    return uuid
  }
  const rows = (text: string, values?: unknown[]): Promise<Record<string, unknown>[]> =>
    database.query(text.replaceAll('{schema}', schema), values)
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
  return { fake, schema, logs, clientOf, mirrorOf, subscribe, order, rows, settle }
}

/** A fake, a schema and mirrors of one test. */
export type World = Awaited<ReturnType<typeof createWorld>>

/** Orders and completes one referral; returns its UUID and the one of its result. */
export async function completeOrder(
  here: World,
  mirror: Mirror,
  more: object = {},
): Promise<{ referral: string; result: string }> {
  const referral = await here.order(more)
  await here.settle(mirror)
  here.fake.referrals.complete(referral)
  await here.settle(mirror)
  const [row] = await here.rows('SELECT uuid FROM {schema}.result WHERE referral_uuid = $1', [referral])
  return { referral, result: String(row?.['uuid']) }
}
