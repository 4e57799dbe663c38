import { encryptedTokenStore, PathologyClient } from 'pathology-sdk'
import pg from 'pg'
import { postgresTokenLock, postgresTokenStore } from './postgres-tokens.js'

const { DATABASE_URL, TOKEN_STORE_KEY = '' } = process.env

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 2, connectionTimeoutMillis: 2_000 })
pool.on('error', (error) => console.warn(`postgres: ${error.message}`))

const client = new PathologyClient({
  tokenStore: encryptedTokenStore(postgresTokenStore(pool), TOKEN_STORE_KEY),
  tokenLock: postgresTokenLock(pool),
  logger: console,
})
const vendors = await client.vendors.list().toArray()
console.log(`process ${process.pid} found ${vendors.length} laboratories`)

await client.close()
await pool.end()
