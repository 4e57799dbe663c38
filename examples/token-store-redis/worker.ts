import { encryptedTokenStore, PathologyClient } from 'pathology-sdk'
import { redisTokenLock, redisTokenStore } from 'pathology-sdk/redis'
import { createClient } from 'redis'

const { REDIS_URL = 'redis://127.0.0.1:6379', TOKEN_STORE_KEY = '' } = process.env

// Without an offline queue, commands fail at once when Redis is not available. The client then continues without the store.
const redis = createClient({ url: REDIS_URL, disableOfflineQueue: true })
redis.on('error', (error: Error) => console.warn(`redis: ${error.message}`))
await redis.connect()

const client = new PathologyClient({
  tokenStore: encryptedTokenStore(redisTokenStore(redis), TOKEN_STORE_KEY),
  tokenLock: redisTokenLock(redis),
  logger: console,
})
const vendors = await client.vendors.list().toArray()
console.log(`process ${process.pid} found ${vendors.length} laboratories`)

await client.close()
await redis.close()
