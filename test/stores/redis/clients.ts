import { Cluster, Redis } from 'ioredis'
import type { IoRedisClient, NodeRedisClient } from 'pathology-sdk/redis'
import { createClient, createCluster } from 'redis'

/** A connection of one client library, and how to close it. */
export interface TestConnection extends AsyncDisposable {
  readonly client: IoRedisClient | NodeRedisClient
  /** Sends a command, so that a test can inspect the server. */
  send(...command: readonly [string, ...string[]]): Promise<unknown>
}

export interface RedisLibrary {
  readonly library: string
  open(url: string): Promise<TestConnection>
  openCluster(urls: readonly string[]): Promise<Omit<TestConnection, 'send'>>
}

/** Time limit of the drivers for one command, in milliseconds. */
const COMMAND_MS = 700

/** Client libraries that the stores in Redis support. */
export const REDIS_LIBRARIES: readonly RedisLibrary[] = [
  {
    library: 'node-redis',
    async open(url) {
      const socket = { connectTimeout: COMMAND_MS, socketTimeout: COMMAND_MS, reconnectStrategy: 50 }
      const client = createClient({ url, disableOfflineQueue: true, pingInterval: 300, socket })
      client.on('error', () => undefined)
      await client.connect()
      return {
        client,
        send: (...command) => client.sendCommand([...command]),
        [Symbol.asyncDispose]: async () => client.destroy(),
      }
    },
    async openCluster(urls) {
      const client = createCluster({ rootNodes: urls.map((url) => ({ url })) })
      await client.connect()
      return { client, [Symbol.asyncDispose]: async () => client.destroy() }
    },
  },
  {
    library: 'ioredis',
    async open(url) {
      const client = new Redis(url, {
        maxRetriesPerRequest: 1,
        commandTimeout: COMMAND_MS,
        retryStrategy: () => 50,
        enableOfflineQueue: true,
      })
      client.on('error', () => undefined)
      return {
        client,
        send: (name, ...args) => client.call(name, ...args),
        [Symbol.asyncDispose]: async () => client.disconnect(),
      }
    },
    async openCluster(urls) {
      const client = new Cluster([...urls])
      return { client, [Symbol.asyncDispose]: async () => client.disconnect() }
    },
  },
]
