import { ConfigurationError } from '../../common/configuration-error.js'
import { ownOptions } from '../../common/known-options.js'
import { type PruneOptions, pruneTime, type StoreChores } from '../chores.js'

/** The used part of an ioredis client (`new Redis()` or `new Cluster()`). */
export interface IoRedisClient {
  defineCommand(name: string, definition: { lua: string }): unknown
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>
}

/** The used part of a node-redis client, version 4 or later (`createClient()` or `createCluster()`). */
export interface NodeRedisClient {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}

/** Options of every store in Redis. */
export interface RedisStoreOptions {
  /**
   * Prefix of every key.
   * @defaultValue a prefix that the store's function documents
   */
  readonly prefix?: string | undefined
}

const OPTION_NAMES = new Set(['prefix'])

/** Runs the scripts of one store. Each script uses one key, so that it also runs on a cluster, in one round trip. */
export class StoreScripts {
  readonly prefix: string
  readonly #client: IoRedisClient | NodeRedisClient
  readonly #owner: string

  constructor(
    client: IoRedisClient | NodeRedisClient,
    options: RedisStoreOptions,
    store: { readonly owner: string; readonly defaultPrefix: string },
  ) {
    const { prefix = store.defaultPrefix } = ownOptions(store.owner, options, OPTION_NAMES)
    if (typeof client?.eval !== 'function') {
      throw new ConfigurationError(`${store.owner}: the client must be one of ioredis or node-redis`)
    }
    if (typeof prefix !== 'string') throw new ConfigurationError(`${store.owner}: prefix must be a text`)
    this.prefix = prefix
    this.#client = client
    this.#owner = store.owner
  }

  /** Runs a script with the key that follows the prefix. */
  async run(script: string, name: string, ...args: string[]): Promise<unknown> {
    const key = `${this.prefix}${name}`
    return isIoRedis(this.#client)
      ? this.#client.eval(script, 1, key, ...args)
      : this.#client.eval(script, { keys: [key], arguments: args })
  }

  /** Runs a script and returns whether its reply is 1. */
  async isDone(script: string, name: string, ...args: string[]): Promise<boolean> {
    return Number(await this.run(script, name, ...args)) === 1
  }

  /** Chores of a store whose entries expire in Redis. */
  choresOfExpiring(): StoreChores {
    return {
      setup: async () => void (await this.run('return 1', 'setup')),
      prune: async (options: PruneOptions) => {
        pruneTime(this.#owner, options)
        return 0
      },
    }
  }
}

function isIoRedis(client: IoRedisClient | NodeRedisClient): client is IoRedisClient {
  return 'defineCommand' in client
}

/** Redis accepts only positive integers. */
export function milliseconds(ttlMs: number): string {
  return String(Math.max(1, Math.ceil(ttlMs)))
}

/** Deletes a key only if it still has its owner's value: after its time to live, another process may own it. */
export const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 0"

/** Sets a key that does not exist. */
export const ACQUIRE =
  "if redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2], 'NX') then return 1 end return 0"
