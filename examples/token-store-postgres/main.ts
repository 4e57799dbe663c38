import { withPostgres } from '../../test/support/postgres.js'
import { runWorkers } from '../support/workers.js'

// npx tsx examples/token-store-postgres/main.ts
// Uses the server of DATABASE_URL. Without it, starts its own Postgres: run `npm ci --prefix test/tools` first.
const given = process.env['DATABASE_URL']
await using own = given === undefined ? await withPostgres() : undefined
const url = given ?? own?.url
if (url !== undefined) await runWorkers(new URL('worker.ts', import.meta.url), { DATABASE_URL: url })
