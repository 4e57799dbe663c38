import pg from 'pg'
import { withPostgres } from '../../test/support/postgres.js'
import { runWorkers } from '../support/workers.js'
import { createTokenTable } from './postgres-tokens.js'

// npx tsx examples/token-store-postgres/main.ts
// Uses the server of DATABASE_URL. Without it, starts its own Postgres: run `npm ci --prefix test/tools` first.
const given = process.env['DATABASE_URL']
await using own = given === undefined ? await withPostgres() : undefined
const url = given ?? own?.url
if (url !== undefined) {
  const pool = new pg.Pool({ connectionString: url })
  await createTokenTable(pool)
  await pool.end()
  await runWorkers(new URL('worker.ts', import.meta.url), { DATABASE_URL: url })
}
