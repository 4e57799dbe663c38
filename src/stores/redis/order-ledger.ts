import {
  checkResolution,
  type LedgerClaim,
  type ManagedOrderLedger,
  type OrderClaimRequest,
  type OrderName,
  type OrderResolution,
} from '../../client/ledger/order-ledger.js'
import { ConfigurationError } from '../../common/errors.js'
import { pruneTime } from '../../common/known-options.js'
import type { StoreChores } from '../chores.js'
import { type FoundEntry, ledgerClaim, severalNamespaces } from '../found-entry.js'
import * as SCRIPTS from './order-ledger-scripts.js'
import { type IoRedisClient, type NodeRedisClient, type RedisStoreOptions, StoreScripts } from './scripts.js'

const OWNER = 'redisOrderLedger'

/** An order ledger in Redis. */
export interface RedisOrderLedger extends ManagedOrderLedger, StoreChores {
  setup(): Promise<void>
}

/**
 * Creates an order ledger in Redis. All processes that share the ledger place each order only once, unless the client
 * option `resendAfter` is set. Redis keys begin with `pathology:order:`, or with the option `prefix`. You connect and
 * close the client. Call `setup()` once before the first order. Call `prune({ before })` regularly, because entries do
 * not expire.
 *
 * An entry is one Redis hash with the key, times, UUIDs of referrals, and a keyed hash of the order, but no health
 * data. Times are by the clock of Redis. The ledger needs Redis 5 or later, or Valkey.
 *
 * Redis can lose entries: at a crash unless `appendfsync` is `always`, at a failover to a replica, and by eviction. The
 * client therefore looks up each new order before it sends the order. `postgresOrderLedger` loses fewer entries.
 *
 * @param client - A client of ioredis, or of node-redis 4 or later. A client of a cluster works too.
 * @throws `ConfigurationError` for a client without `eval`, or an invalid option. `setup()` also rejects with
 * `ConfigurationError` if the `maxmemory-policy` is not `noeviction`. If the client may not call `INFO`, `setup()` does
 * not check the policy.
 */
export function redisOrderLedger(
  client: IoRedisClient | NodeRedisClient,
  options: RedisStoreOptions = {},
): RedisOrderLedger {
  return new HashLedger(client, options)
}

class HashLedger implements RedisOrderLedger {
  readonly #scripts: StoreScripts

  constructor(client: IoRedisClient | NodeRedisClient, options: RedisStoreOptions) {
    this.#scripts = new StoreScripts(client, options, { owner: OWNER, defaultPrefix: 'pathology:order:' })
  }

  async setup(): Promise<void> {
    for (const memory of await this.#scripts.onEachServer(SCRIPTS.MEMORY)) {
      const policy = /^maxmemory_policy:(\S+)/m.exec(String(memory))?.[1]
      if (policy === undefined || policy === 'noeviction') continue
      throw new ConfigurationError(
        `${OWNER}: Redis has the maxmemory-policy ${policy}, so Redis may delete the entry of an order that was sent, and the order could be placed twice; set maxmemory-policy to noeviction`,
      )
    }
  }

  async claim(name: OrderName, request: OrderClaimRequest): Promise<LedgerClaim> {
    const { token, leaseMs, fingerprint } = request
    const args = [token, String(leaseMs), fingerprint.keyId, fingerprint.hash]
    return ledgerClaim(foundEntry(await this.#scripts.run(SCRIPTS.CLAIM, idOf(name), ...args)), request)
  }

  mark: ManagedOrderLedger['mark'] = (name, { token, mark, replaces = '', leaseMs }) =>
    this.#isDone(SCRIPTS.MARK, name, token, mark, replaces, String(leaseMs))

  unmark: ManagedOrderLedger['unmark'] = (name, { token, mark }) =>
    this.#isDone(SCRIPTS.UNMARK, name, token, mark)

  renew: ManagedOrderLedger['renew'] = (name, { token, leaseMs }) =>
    this.#isDone(SCRIPTS.RENEW, name, token, String(leaseMs))

  record: ManagedOrderLedger['record'] = (name, { token, outcome }) => {
    if (typeof outcome === 'object')
      return this.#isDone(SCRIPTS.RECORD_PLACED, name, token, JSON.stringify(outcome.placed))
    const script = outcome === 'unknown' ? SCRIPTS.RECORD_UNKNOWN : SCRIPTS.RECORD_NOT_PLACED
    return this.#isDone(script, name, token)
  }

  async resolve(given: OrderName | string, outcome: OrderResolution): Promise<boolean> {
    checkResolution(outcome)
    const id = typeof given === 'string' ? await this.#idWithKey(given) : idOf(given)
    if (id === undefined) return false
    return outcome === 'not-placed'
      ? this.#scripts.isDone(SCRIPTS.RESOLVE_NOT_PLACED, id)
      : this.#scripts.isDone(SCRIPTS.RESOLVE_PLACED, id, JSON.stringify(outcome.placed))
  }

  async prune(options: { readonly before: Date }): Promise<number> {
    const before = String(pruneTime(OWNER, options))
    let deleted = 0
    for await (const ids of this.#entries('')) {
      const results = await Promise.all(ids.map((id) => this.#scripts.isDone(SCRIPTS.PRUNE, id, before)))
      deleted += results.filter(Boolean).length
    }
    return deleted
  }

  async #idWithKey(key: string): Promise<string | undefined> {
    const found = new Set<string>()
    for await (const ids of this.#entries(`:${encoded(key)}`)) for (const id of ids) found.add(id)
    if (found.size > 1) throw severalNamespaces(OWNER)
    return [...found][0]
  }

  /** Yields lists of entries whose keys end with a text. Skips keys of stores whose prefix begins with this prefix. */
  async *#entries(ending: string): AsyncGenerator<readonly string[]> {
    for await (const ids of this.#scripts.scan(ending)) yield ids.filter((id) => ENTRY.test(id))
  }

  #isDone(script: string, name: OrderName, ...args: string[]): Promise<boolean> {
    return this.#scripts.isDone(script, idOf(name), ...args)
  }
}

/** Form of an entry's key without the prefix: namespace, colon, key. The encoding has replaced all other colons. */
const ENTRY = /^[^:]*:[^:]+$/

/** Returns the key of an entry. The encoding replaces braces: text in braces would choose the slot of a cluster. */
function idOf({ namespace, key }: OrderName): string {
  return `${encoded(namespace)}:${encoded(key)}`
}

function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD'))
}

/** Reads the entry from the reply of the script `CLAIM`. */
function foundEntry(reply: unknown): FoundEntry {
  const [isTaken, nowMs, fields] = Array.isArray(reply) ? reply : []
  if (!Array.isArray(fields))
    throw new TypeError(
      `${OWNER}: Redis returned data that is not an entry; check that no other program uses keys with this prefix`,
    )
  const entry = new Map<string, string>()
  for (let at = 0; at < fields.length; at += 2) entry.set(String(fields[at]), String(fields[at + 1]))
  const marks = [...entry].flatMap(([field, value]) => {
    if (!field.startsWith('mark:')) return []
    const space = value.indexOf(' ')
    return [[field.slice(5), { at: Number(value.slice(0, space)), token: value.slice(space + 1) }] as const]
  })
  const referrals = entry.get('referrals')
  return {
    isTaken: Number(isTaken) === 1,
    token: entry.get('token') ?? '',
    marks: Object.fromEntries(marks),
    referrals: referrals === undefined ? null : JSON.parse(referrals),
    keyId: entry.get('keyId') ?? '',
    hash: entry.get('hash') ?? '',
    isVouched: false,
    nowMs: Number(nowMs),
  }
}
