import { Redis } from 'ioredis'
import type { IoRedisClient, NodeRedisClient } from 'pathology-sdk/redis'
import { createClient } from 'redis'

/** A connection of one client library, and how to close it. */
export interface TestConnection extends AsyncDisposable {
  readonly client: IoRedisClient | NodeRedisClient
  /** Sends a command, for a test's own look at the server. */
  send(...command: readonly [string, ...string[]]): Promise<unknown>
}

export interface RedisLibrary {
  readonly library: string
  open(url: string): Promise<TestConnection>
}

/** Client libraries that the stores in Redis support. */
export const REDIS_LIBRARIES: readonly RedisLibrary[] = [
  {
    library: 'node-redis',
    async open(url) {
      const client = createClient({ url, disableOfflineQueue: true, socket: { connectTimeout: 1_000 } })
      client.on('error', () => undefined)
      await client.connect()
      return {
        client,
        send: (...command) => client.sendCommand([...command]),
        [Symbol.asyncDispose]: async () => client.destroy(),
      }
    },
  },
  {
    library: 'ioredis',
    async open(url) {
      const client = new Redis(url, { maxRetriesPerRequest: 1, commandTimeout: 2_000 })
      client.on('error', () => undefined)
      return {
        client,
        send: (name, ...args) => client.call(name, ...args),
        [Symbol.asyncDispose]: async () => client.disconnect(),
      }
    },
  },
]
