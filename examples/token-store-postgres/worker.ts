import { encryptedTokenStore, PathologyClient } from 'pathology-sdk'
import { postgresTokenLock, postgresTokenStore } from 'pathology-sdk/postgres'
import pg from 'pg'

const { DATABASE_URL, TOKEN_STORE_KEY = '' } = process.env

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 2, connectionTimeoutMillis: 2_000 })
pool.on('error', (error) => console.warn(`postgres: ${error.message}`))

const store = postgresTokenStore(pool)
const lock = postgresTokenLock(pool)
await Promise.all([store.setup(), lock.setup()])

const client = new PathologyClient({
  tokenStore: encryptedTokenStore(store, TOKEN_STORE_KEY),
  tokenLock: lock,
  logger: console,
})
const vendors = await client.vendors.list().toArray()
console.log(`process ${process.pid} found ${vendors.length} laboratories`)

await client.close()
await pool.end()
