import { ConfigurationError } from '../../common/errors.js'
import { ownOptions, pruneTime } from '../../common/known-options.js'
import type { PruneOptions, StoreChores } from '../chores.js'

/** The part of an ioredis client (`new Redis()` or `new Cluster()`) that a store uses. */
export interface IoRedisClient {
  defineCommand(name: string, definition: { lua: string }): unknown
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>
  /** Returns the clients of the cluster's servers. Only the client of a cluster has this function. */
  nodes?(role: 'master'): readonly IoRedisClient[]
  /** Options of the client. */
  readonly options?: {
    /** Prefix that the client adds to each key. */
    readonly keyPrefix?: string | undefined
  }
}

/** The part of a node-redis client, version 4 or later (`createClient()` or `createCluster()`), that a store uses. */
export interface NodeRedisClient {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}

/** The part of a node-redis client of a cluster that a store uses. */
interface NodeRedisCluster {
  readonly masters: readonly unknown[]
  nodeClient(node: unknown): NodeRedisClient | Promise<NodeRedisClient>
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

/** The scripts of one store. Each script uses at most one key, because keys of a cluster can be on several servers. */
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
      throw new ConfigurationError(`${store.owner}: the client must be a client of ioredis or node-redis`)
    }
    if (typeof prefix !== 'string') throw new ConfigurationError(`${store.owner}: prefix must be a string`)
    this.prefix = prefix
    this.#client = client
    this.#owner = store.owner
  }

  /** Runs a script with one key: the prefix and `name`. */
  async run(script: string, name: string, ...args: string[]): Promise<unknown> {
    return evaluate(this.#client, script, [`${this.prefix}${name}`], args)
  }

  /** Runs a script and returns whether its reply is 1. */
  async isDone(script: string, name: string, ...args: string[]): Promise<boolean> {
    return Number(await this.run(script, name, ...args)) === 1
  }

  /** Runs a script without a key on each server that has keys, and returns the replies. */
  async onEachServer(script: string): Promise<readonly unknown[]> {
    const servers = await serversOf(this.#client)
    return Promise.all(servers.map((server) => evaluate(server, script, [], [])))
  }

  /** Yields lists of the key names that end with a text, without the prefix. A name can appear twice. */
  async *scan(ending: string): AsyncGenerator<readonly string[]> {
    const keyPrefix = isIoRedis(this.#client) ? (this.#client.options?.keyPrefix ?? '') : ''
    const start = `${keyPrefix}${this.prefix}`
    const pattern = `${literal(start)}*${literal(ending)}`
    for (const server of await serversOf(this.#client)) {
      let cursor = '0'
      do {
        const reply = await evaluate(server, SCAN, [], [cursor, pattern])
        const [next, keys] = Array.isArray(reply) ? reply : []
        if (Array.isArray(keys)) yield keys.map((key) => String(key).slice(start.length))
        cursor = String(next ?? '0')
      } while (cursor !== '0')
    }
  }

  /** Returns `setup` and `prune` of a store whose entries expire in Redis. Here `prune` has nothing to delete. */
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

async function evaluate(
  client: IoRedisClient | NodeRedisClient,
  script: string,
  keys: string[],
  args: string[],
): Promise<unknown> {
  return isIoRedis(client)
    ? client.eval(script, keys.length, ...keys, ...args)
    : client.eval(script, { keys, arguments: args })
}

/** Returns a client for each server that has keys: one for each master of a cluster. */
async function serversOf(
  client: IoRedisClient | NodeRedisClient,
): Promise<readonly (IoRedisClient | NodeRedisClient)[]> {
  if (isIoRedis(client)) return client.nodes?.('master') ?? [client]
  if (!isNodeRedisCluster(client)) return [client]
  return Promise.all(client.masters.map((master) => client.nodeClient(master)))
}

function isNodeRedisCluster(client: object): client is NodeRedisCluster {
  return 'masters' in client && 'nodeClient' in client
}

/** Escapes the special characters of a `MATCH` pattern. */
function literal(text: string): string {
  return text.replace(/[\\*?[\]^-]/g, '\\$&')
}

function isIoRedis(client: IoRedisClient | NodeRedisClient): client is IoRedisClient {
  return 'defineCommand' in client
}

/** Converts a time to live to a string with a positive integer, because Redis accepts no other value. */
export function milliseconds(ttlMs: number): string {
  return String(Math.max(1, Math.ceil(ttlMs)))
}

/** Arguments: cursor, pattern. */
const SCAN = "return redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', 500)"

/** Deletes a key only if it still has this owner's value. After the time to live, another process may own the key. */
export const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 0"

/** Sets a key with a time to live if the key does not exist. Returns 1 if the key was set. */
export const ACQUIRE =
  "if redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2], 'NX') then return 1 end return 0"
