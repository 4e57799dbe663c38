/** Common part of the hand-written jobs: their tables, and the transaction that stores a record. */

/**
 * @typedef {{ query: (text: string, values: unknown[]) => PromiseLike<unknown> }} Queryable
 * @typedef {(tx: Queryable, uuid: string) => Promise<void>} Handler
 */

const TABLES = `
CREATE TABLE IF NOT EXISTS referral (
  uuid text PRIMARY KEY, status text, updated_at timestamptz NOT NULL, body jsonb NOT NULL);
CREATE TABLE IF NOT EXISTS change (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, uuid text NOT NULL, body jsonb NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now())`

const UPSERT = `
INSERT INTO referral (uuid, status, updated_at, body) VALUES ($1, $2, $3, $4)
ON CONFLICT (uuid) DO UPDATE SET status = EXCLUDED.status, updated_at = EXCLUDED.updated_at, body = EXCLUDED.body
WHERE referral.updated_at < EXCLUDED.updated_at`

const CHANGE = 'INSERT INTO change (uuid, body) VALUES ($1, $2)'

/**
 * Returns the pool. Throws for PGlite, because the libraries need a Postgres server.
 * @param {import('../machine.mjs').Setting['database']} database
 */
export function poolOf(database) {
  if ('connect' in database) return database
  throw new Error('this contender needs a Postgres server')
}

/** @param {import('pg').Pool} pool */
export async function createTables(pool) {
  await pool.query(TABLES)
}

/**
 * Returns a function that reads a referral. If the referral is newer than the copy, one transaction stores the referral
 * with its change and calls the handler.
 * @param {import('pg').Pool} pool
 * @param {import('../../../dist/index.js').PathologyClient} client
 * @param {Handler | undefined} handler
 */
export function createRefetch(pool, client, handler) {
  return async (/** @type {string} */ uuid) => {
    const record = await client.referrals.retrieve(uuid)
    const body = JSON.stringify(record)
    const tx = await pool.connect()
    try {
      await tx.query('BEGIN')
      const { rowCount } = await tx.query(UPSERT, [uuid, record.status, record.updatedAt, body])
      if (rowCount === 1) {
        await tx.query(CHANGE, [uuid, body])
        await handler?.(tx, uuid)
      }
      await tx.query('COMMIT')
    } catch (error) {
      await tx.query('ROLLBACK')
      throw error
    } finally {
      tx.release()
    }
  }
}

/**
 * Creates the listener of a server that responds with 200 after the delivery is stored.
 * @param {(body: Buffer, headers: import('node:http').IncomingHttpHeaders) => Promise<unknown>} receive
 * @returns {import('node:http').RequestListener}
 */
export function listenerOf(receive) {
  return async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    try {
      await receive(Buffer.concat(chunks), request.headers)
      response.writeHead(200).end()
    } catch (error) {
      response
        .writeHead(error instanceof Error && error.name === 'WebhookVerificationError' ? 401 : 500)
        .end()
    }
  }
}
