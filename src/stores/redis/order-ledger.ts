import {
  checkedQuery,
  type LedgerEntry,
  type LedgerEntryState,
  type LedgerListOptions,
  ledgerEntry,
  selectEntries,
} from '../../client/ledger/ledger-entries.js'
import {
  checkResolution,
  type LedgerClaim,
  type LedgerNames,
  type ManagedOrderLedger,
  NamedLedger,
  type OrderClaimRequest,
  type OrderName,
  type OrderResolution,
} from '../../client/ledger/order-ledger.js'
import { ConfigurationError } from '../../common/errors.js'
import { pruneTime } from '../../common/known-options.js'
import type { StoreChores } from '../chores.js'
import { ledgerClaim, severalNamespaces } from '../found-entry.js'
import * as SCRIPTS from './order-ledger-scripts.js'
import { type IoRedisClient, type NodeRedisClient, type RedisStoreOptions, StoreScripts } from './scripts.js'

const OWNER = 'redisOrderLedger'

/** Options of an order ledger in Redis. */
export interface RedisLedgerOptions extends RedisStoreOptions, LedgerNames {}

/** An order ledger in Redis. */
export interface RedisOrderLedger extends ManagedOrderLedger, StoreChores {
  setup(): Promise<void>
}

/**
 * Creates an order ledger in Redis 5 or later, or Valkey. All processes that share it place each order only once,
 * unless the client option `resendAfter` is set. Redis keys begin with `pathology:order:`, or with the option `prefix`.
 * You connect and close the client. Call `setup()` once before the first order, and `prune({ before })` regularly,
 * because entries don't expire.
 *
 * An entry is one Redis hash with the key, times, UUIDs of referrals, and a keyed hash of the order, but no health
 * data. Times are by the clock of Redis. In a cluster, the whole ledger is in one slot, because an entry and the index
 * of states change together.
 *
 * Redis can lose entries: at a crash unless `appendfsync` is `always`, at a failover to a replica, and by eviction. So
 * the client looks up each new order before it sends it. `postgresOrderLedger` loses fewer entries.
 *
 * @param client - A client of ioredis, or of node-redis 4 or later. A client of a cluster works too.
 * @throws `ConfigurationError` for a client without `eval`, or an invalid option. `setup()` also rejects with
 * `ConfigurationError` if the `maxmemory-policy` is not `noeviction`. If the client may not call `INFO`, `setup()` does
 * not check the policy.
 */
export function redisOrderLedger(
  client: IoRedisClient | NodeRedisClient,
  options: RedisLedgerOptions = {},
): RedisOrderLedger {
  return new HashLedger(client, options)
}

class HashLedger extends NamedLedger implements RedisOrderLedger {
  readonly #scripts: StoreScripts

  constructor(
    client: IoRedisClient | NodeRedisClient,
    { namespace, fingerprintKey, ...options }: RedisLedgerOptions,
  ) {
    super(OWNER, { namespace, fingerprintKey })
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
    const reply = await this.#scripts.run(SCRIPTS.CLAIM, keysOf(idOf(name)), ...args)
    const [isTaken, ...found] = Array.isArray(reply) ? reply : []
    const { token: holder = '', keyId = '', hash = '', ...entry } = entryOfReply(found)
    const isHeld = Number(isTaken) === 1
    return ledgerClaim({ ...entry, isTaken: isHeld, token: holder, keyId, hash, isVouched: false }, request)
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
      ? this.#scripts.isDone(SCRIPTS.RESOLVE_NOT_PLACED, keysOf(id))
      : this.#scripts.isDone(SCRIPTS.RESOLVE_PLACED, keysOf(id), JSON.stringify(outcome.placed))
  }

  async list(options?: LedgerListOptions): Promise<readonly LedgerEntry[]> {
    const query = checkedQuery(OWNER, options)
    if (query.key !== undefined) {
      const ids = await this.#idsWithKey(query.key)
      return selectEntries(await this.#read(ids), query)
    }
    const found: LedgerEntry[] = []
    for (const set of query.state === undefined ? SETS : SETS_OF[query.state]) {
      let count = 0
      for await (const ids of this.#batches(set, query.before, () => 0)) {
        const entries = selectEntries(await this.#read(ids), query)
        found.push(...entries)
        count += entries.length
        if (count >= query.limit) break
      }
    }
    return selectEntries(found, query)
  }

  async prune(options: { readonly before: Date }): Promise<number> {
    const before = pruneTime(OWNER, options)
    let deleted = 0
    for (const set of SETS) {
      let removed = 0
      for await (const ids of this.#batches(set, before, () => removed)) {
        const replies = await Promise.all(
          ids.map((id) => this.#scripts.run(SCRIPTS.PRUNE, keysOf(id), String(before))),
        )
        deleted += replies.filter((reply) => Number(reply) === 1).length
        removed += replies.filter((reply) => Number(reply) !== 0).length
      }
    }
    return deleted
  }

  /** Yields the entries of a sorted set from before a time, newest first. `removed` counts those that left the set. */
  async *#batches(
    set: string,
    before: number | undefined,
    removed: () => number,
  ): AsyncGenerator<readonly string[]> {
    const bound = before === undefined ? '+inf' : `(${before}`
    for (let read = 0; ; ) {
      const skipped = String(read - removed())
      const reply = await this.#scripts.run(SCRIPTS.NEWEST, `${SLOT}:${set}`, bound, skipped, String(BATCH))
      const ids = textsOf(reply)
      yield ids
      if (ids.length < BATCH) return
      read += ids.length
    }
  }

  async #read(ids: readonly string[]): Promise<readonly LedgerEntry[]> {
    const replies = await Promise.all(ids.map((id) => this.#scripts.run(SCRIPTS.READ, keysOf(id))))
    return replies.flatMap((reply, at) => {
      const { token, isEnded, endsMs, marks, referrals, nowMs } = entryOfReply(reply)
      // Redis may have lost an entry that the index still has.
      if (token === undefined) return []
      const sentMs = Object.values(marks).map((mark) => mark.at)
      return [ledgerEntry({ ...nameOf(ids[at] ?? ''), referrals, isEnded, endsMs, sentMs, nowMs })]
    })
  }

  async #idWithKey(key: string): Promise<string | undefined> {
    const entries = await this.#read(await this.#idsWithKey(key))
    if (entries.length > 1) throw severalNamespaces(OWNER)
    return entries[0] && idOf(entries[0])
  }

  /** Returns an ID for each namespace. The ledger may not have its entry. */
  async #idsWithKey(key: string): Promise<readonly string[]> {
    const namespaces = textsOf(await this.#scripts.run(SCRIPTS.NAMESPACES, `${SLOT}:namespaces`))
    return namespaces.map((namespace) => `${namespace}:${encoded(key)}`)
  }

  #isDone(script: string, name: OrderName, ...args: string[]): Promise<boolean> {
    return this.#scripts.isDone(script, keysOf(idOf(name)), ...args)
  }
}

/** Begins each key. The text in braces chooses the slot of a cluster, so all entries and the index are in one slot. */
const SLOT = '{ledger}'

const BATCH = 500

const SETS = ['open', 'placed', 'not-placed'] as const

/** Sets that can have entries in a state. A claim without a mark stays in `open` when its lease ends. */
const SETS_OF: Readonly<Record<LedgerEntryState, readonly (typeof SETS)[number][]>> = {
  unknown: ['open'],
  busy: ['open'],
  placed: ['placed'],
  'not-placed': ['open', 'not-placed'],
}

/** Returns the keys of a script without the prefix: the entry, the sorted sets of the index, the set of namespaces. */
function keysOf(id: string): readonly string[] {
  return [id, ...SETS, 'namespaces'].map((name) => `${SLOT}:${name}`)
}

/** Returns the ID of an entry: namespace, colon, key. The encoding has replaced all other colons. */
function idOf({ namespace, key }: OrderName): string {
  return `${encoded(namespace)}:${encoded(key)}`
}

function nameOf(id: string): OrderName {
  const [namespace = '', key = ''] = id.split(':').map(decodeURIComponent)
  return { namespace, key }
}

function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD'))
}

function textsOf(reply: unknown): readonly string[] {
  return Array.isArray(reply) ? reply.map(String) : []
}

/** Reads an entry from the time and the fields that a script returned. Without a token, there is no entry. */
function entryOfReply(reply: unknown) {
  const [nowMs, fields] = Array.isArray(reply) ? reply : []
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
    token: entry.get('token'),
    isEnded: entry.get('ended') === '1',
    endsMs: Number(entry.get('endsAt')),
    marks: Object.fromEntries(marks),
    referrals: referrals === undefined ? null : JSON.parse(referrals),
    keyId: entry.get('keyId'),
    hash: entry.get('hash'),
    nowMs: Number(nowMs),
  }
}
