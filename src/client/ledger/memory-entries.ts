import { EventEmitter } from 'node:events'
import { type Clock, type Moment, momentOf } from '../../common/clock.js'
import { ConfigurationError } from '../../common/errors.js'
import { pruneTime } from '../../common/known-options.js'
import {
  checkedQuery,
  type LedgerEntry,
  type LedgerListOptions,
  ledgerEntry,
  selectEntries,
} from './ledger-entries.js'
import {
  checkResolution,
  type LedgerClaim,
  type OrderClaimRequest,
  type OrderFingerprint,
  type OrderMarkRequest,
  type OrderName,
  type OrderResolution,
} from './order-ledger.js'

const OWNER = 'memoryOrderLedger'

/** Maximum number of finished entries. The oldest is dropped first. */
const MAX_FINISHED_ENTRIES = 5_000

interface Mark extends Moment {
  readonly id: string
  readonly token: string
}

/** Order that is being placed, may have been sent, or has an outcome. */
interface Entry {
  readonly name: OrderName
  fingerprint: OrderFingerprint
  /** Claim that holds or last held the entry. */
  token: string | undefined
  /** End of the lease on the monotonic clock; `undefined` after `record` or `resolve` has ended the claim. */
  leaseEndsAt: number | undefined
  marks: readonly Mark[]
  /** Tokens that have marked a request. */
  senders: readonly string[]
  referrals: readonly string[] | undefined
  /** Time at which `record` or `resolve` last ended a claim, by the wall clock; 0 if neither did. */
  changedAt: number
}

/** The ledger of {@link memoryOrderLedger}, loaded on use. */
export class MemoryEntries {
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()
  /** Ended entries that the limit may delete, oldest first. */
  readonly #finished = new Map<string, Entry>()
  /** Emits the ID of each entry whose claim ends or whose outcome is resolved. Any number of calls may wait for it. */
  readonly #changes = new EventEmitter().setMaxListeners(0)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async claim(name: OrderName, request: OrderClaimRequest): Promise<LedgerClaim> {
    const { token, leaseMs, fingerprint } = request
    const id = idOf(name)
    const entry = this.#entries.get(id)
    if (entry === undefined) {
      this.#entries.set(id, this.#newEntry(name, request))
      return NEW
    }
    if (entry.referrals !== undefined)
      return { ...NEW, state: 'placed', fingerprint: entry.fingerprint, referrals: [...entry.referrals] }
    if (entry.token === token && entry.leaseEndsAt === undefined) return this.#found(entry, token)
    const isLeased = entry.leaseEndsAt !== undefined && entry.leaseEndsAt > this.#clock.monotonic()
    if (entry.token !== token && isLeased) return { ...this.#found(entry, token), state: 'busy' }
    if (entry.marks.length === 0) entry.fingerprint = fingerprint
    entry.token = token
    entry.leaseEndsAt = this.#clock.monotonic() + leaseMs
    this.#finished.delete(id)
    return this.#found(entry, token)
  }

  async mark(name: OrderName, { token, mark, replaces, leaseMs }: OrderMarkRequest): Promise<boolean> {
    const entry = this.#heldBy(name, token)
    if (entry === undefined) return false
    if (replaces !== undefined) removeMark(entry, token, replaces)
    if (!entry.marks.some(({ id }) => id === mark))
      entry.marks = [...entry.marks, { id: mark, token, ...momentOf(this.#clock) }]
    if (!entry.senders.includes(token)) entry.senders = [...entry.senders, token]
    entry.leaseEndsAt = this.#clock.monotonic() + leaseMs
    return true
  }

  async unmark(name: OrderName, { token, mark }: { token: string; mark: string }): Promise<boolean> {
    const entry = this.#heldBy(name, token) ?? this.#markedBy(name, token)
    if (entry === undefined) return false
    removeMark(entry, token, mark)
    this.#trackFinished(entry)
    return true
  }

  async renew(name: OrderName, { token, leaseMs }: { token: string; leaseMs: number }): Promise<boolean> {
    const entry = this.#heldBy(name, token)
    if (entry === undefined) return false
    entry.leaseEndsAt = this.#clock.monotonic() + leaseMs
    return true
  }

  async record(
    name: OrderName,
    { token, outcome }: { readonly token: string; readonly outcome: OrderResolution | 'unknown' },
  ): Promise<boolean> {
    const entry = this.#entries.get(idOf(name))
    if (entry === undefined) return false
    const isLast = entry.token === token
    const isKnown = isLast || entry.senders.includes(token)
    if (typeof outcome === 'object') {
      if (!isKnown) return false
      if (entry.referrals !== undefined) return true
      entry.referrals = [...outcome.placed]
      this.#end(entry)
      return true
    }
    const isAccepted = outcome === 'unknown' ? isLast : isKnown
    if (!isAccepted || entry.referrals !== undefined) return false
    if (outcome === 'not-placed') {
      entry.marks = entry.marks.filter((mark) => mark.token !== token)
      entry.senders = entry.senders.filter((sender) => sender !== token)
    }
    if (isLast) this.#end(entry)
    else this.#trackFinished(entry)
    return true
  }

  async resolve(given: OrderName | string, outcome: OrderResolution): Promise<boolean> {
    checkResolution(outcome)
    const entry = typeof given === 'string' ? this.#withKey(given) : this.#entries.get(idOf(given))
    if (entry === undefined) return false
    if (outcome === 'not-placed') {
      if (entry.referrals !== undefined) return false
      entry.marks = NONE
    } else {
      entry.referrals = [...new Set([...(entry.referrals ?? []), ...outcome.placed])]
    }
    this.#end(entry)
    return true
  }

  async list(options?: LedgerListOptions): Promise<readonly LedgerEntry[]> {
    const query = checkedQuery(OWNER, options)
    const now = momentOf(this.#clock)
    const entries = [...this.#entries.values()].map((entry) =>
      ledgerEntry({
        ...entry.name,
        referrals: entry.referrals ?? null,
        isEnded: entry.leaseEndsAt === undefined,
        endsMs: this.#endedAt(entry, now),
        sentMs: entry.marks.map(({ wall }) => wall),
        nowMs: now.wall,
      }),
    )
    return selectEntries(entries, query)
  }

  async prune(options: { readonly before: Date }): Promise<number> {
    const before = pruneTime(OWNER, options)
    const old = [...this.#entries].filter(([, entry]) => isDeletable(entry) && this.#endedAt(entry) < before)
    for (const [id] of old) this.#forget(id)
    return old.length
  }

  watch(name: OrderName, listener: () => void): () => void {
    const id = idOf(name)
    const call = (): void => {
      try {
        listener()
      } catch {
        // An error of a user's listener must not fail the operation.
      }
    }
    this.#changes.on(id, call)
    return () => void this.#changes.off(id, call)
  }

  #newEntry(name: OrderName, { token, leaseMs, fingerprint }: OrderClaimRequest): Entry {
    return {
      name,
      fingerprint,
      token,
      leaseEndsAt: this.#clock.monotonic() + leaseMs,
      marks: NONE,
      senders: NONE,
      referrals: undefined,
      changedAt: 0,
    }
  }

  /** Converts an entry to the result of a claim. A mark of another claim means that the order may have been sent. */
  #found({ fingerprint, marks }: Entry, token: string): LedgerClaim {
    if (!marks.some((mark) => mark.token !== token)) return { ...NEW, fingerprint }
    const now = momentOf(this.#clock)
    // The two clocks can differ. For the first mark, the longer time enlarges the lookup window. For the last mark, the
    // shorter time delays a resend.
    const first = marks.map((at) => Math.max(now.wall - at.wall, now.monotonic - at.monotonic))
    const last = marks.map((at) => Math.min(now.wall - at.wall, now.monotonic - at.monotonic))
    return {
      ...NEW,
      state: 'sent',
      fingerprint,
      sinceFirstSentMs: Math.max(0, ...first),
      sinceLastSentMs: Math.max(0, Math.min(...last)),
    }
  }

  #heldBy(name: OrderName, token: string): Entry | undefined {
    const entry = this.#entries.get(idOf(name))
    const isHeld = entry?.token === token && entry.leaseEndsAt !== undefined && entry.referrals === undefined
    return isHeld ? entry : undefined
  }

  #markedBy(name: OrderName, token: string): Entry | undefined {
    const entry = this.#entries.get(idOf(name))
    return entry?.referrals === undefined && entry?.senders.includes(token) ? entry : undefined
  }

  #withKey(key: string): Entry | undefined {
    const [entry, other] = [...this.#entries.values()].filter(({ name }) => name.key === key)
    if (other === undefined) return entry
    throw new ConfigurationError(
      'several namespaces have this key, so nothing was changed; pass { namespace, key }',
    )
  }

  /** Returns the end of an entry's last claim by the wall clock. The end of a lease can be in the future. */
  #endedAt({ leaseEndsAt, changedAt }: Entry, { wall, monotonic } = momentOf(this.#clock)): number {
    if (leaseEndsAt === undefined) return changedAt
    return wall + leaseEndsAt - monotonic
  }

  #end(entry: Entry): void {
    entry.leaseEndsAt = undefined
    entry.changedAt = this.#clock.now()
    this.#trackFinished(entry)
    this.#changes.emit(idOf(entry.name))
  }

  /** Tracks an ended entry that may be deleted. */
  #trackFinished(entry: Entry): void {
    if (entry.leaseEndsAt !== undefined || !isDeletable(entry)) return
    const id = idOf(entry.name)
    this.#finished.delete(id)
    this.#finished.set(id, entry)
    if (this.#finished.size <= MAX_FINISHED_ENTRIES) return
    const [oldest] = this.#finished.keys()
    if (oldest !== undefined) this.#forget(oldest)
  }

  #forget(id: string): void {
    this.#finished.delete(id)
    this.#entries.delete(id)
  }
}

/** Returns `false` for an order that may have been sent and whose outcome is unknown. */
function isDeletable({ referrals, marks }: Entry): boolean {
  return referrals !== undefined || marks.length === 0
}

const NONE: readonly never[] = []

const NEW: LedgerClaim = { state: 'new', isMarked: false, isVouched: false }

/** Returns a unique text. The length shows where the namespace ends and the key starts. */
function idOf({ namespace, key }: OrderName): string {
  return `${namespace.length} ${namespace}${key}`
}

function removeMark(entry: Entry, token: string, mark: string): void {
  entry.marks = entry.marks.filter((each) => each.id !== mark || each.token !== token)
}
