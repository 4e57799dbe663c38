import { ConfigurationError } from '../../common/errors.js'
import { ownOptions, pruneTime } from '../../common/known-options.js'
import type { PruneOptions, StoreChores } from '../chores.js'

/** The part of an ioredis client (`new Redis()` or `new Cluster()`) that a store uses. */
export interface IoRedisClient {
  defineCommand(name: string, definition: { lua: string }): unknown
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>
  /** Returns the clients of the cluster's servers. Only the client of a cluster has this function. */
  nodes?(role: 'master'): readonly IoRedisClient[]
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

/** The scripts of one store. The keys of one script are in one slot, because a cluster has its slots on several servers. */
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

  /** Runs a script with one key or several: the prefix and each name. */
  async run(script: string, names: string | readonly string[], ...args: string[]): Promise<unknown> {
    const keys = [names].flat().map((name) => `${this.prefix}${name}`)
    return evaluate(this.#client, script, keys, args)
  }

  async isDone(script: string, names: string | readonly string[], ...args: string[]): Promise<boolean> {
    return Number(await this.run(script, names, ...args)) === 1
  }

  /** Runs a script without a key on each server that has keys, and returns the replies. */
  async onEachServer(script: string): Promise<readonly unknown[]> {
    const servers = await serversOf(this.#client)
    return Promise.all(servers.map((server) => evaluate(server, script, [], [])))
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

function isIoRedis(client: IoRedisClient | NodeRedisClient): client is IoRedisClient {
  return 'defineCommand' in client
}

/** Converts a time to live to a string with a positive integer, because Redis accepts no other value. */
export function milliseconds(ttlMs: number): string {
  return String(Math.max(1, Math.ceil(ttlMs)))
}

/** Deletes a key only if it still has this owner's value. After the time to live, another process may own the key. */
export const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 0"

/** Sets a key with a time to live if the key does not exist. Returns 1 if the key was set. */
export const ACQUIRE =
  "if redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2], 'NX') then return 1 end return 0"
