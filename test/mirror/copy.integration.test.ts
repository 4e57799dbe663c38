import pg from 'pg'
import { afterAll, describe } from 'vitest'
import { withPostgres } from '../support/postgres.js'
import { copySuite } from './copy-suite.js'
import { directorySuite } from './directory-suite.js'
import { flowSuite } from './flow-suite.js'
import { keepSuite } from './keep-suite.js'
import { sweepSuite } from './sweep-suite.js'
import type { TestDatabase } from './world.js'

const server = await withPostgres()
const pool = new pg.Pool({ connectionString: server?.url, max: 12 })

afterAll(async () => {
  await pool.end()
  await server?.stop()
})

describe.skipIf(server === undefined)('on a Postgres server', () => {
  const database: TestDatabase = {
    source: pool,
    query: async (text, values = []) => (await pool.query(text, values)).rows,
  }
  copySuite(() => database)
  flowSuite(() => database)
  keepSuite(() => database)
  sweepSuite(() => database)
  directorySuite(() => database)
})
