import { createHash, createHmac, hkdfSync } from 'node:crypto'
import { type Clock, type Moment, momentOf, type Timer } from '../../common/clock.js'
import { ignore, isPathologyError } from '../../common/errors.js'
import { isRecord } from '../../common/known-options.js'
import { isUuid } from '../../contract/identifiers.js'
import type { Order } from '../../contract/types.js'
import type { SendingGuard } from '../call/request.js'
import { Deadline } from '../core/deadline.js'
import { RequestOutcomeError } from '../errors/errors.js'
import { type LedgerSession, OPERATION_MS } from './ledger-session.js'
import {
  MIN_KEY_BYTES,
  type OrderFingerprint,
  type OrderFingerprintKey,
  type OrderName,
  type OrderResolution,
} from './order-ledger.js'

/** Interval of the renewals of a lease, in milliseconds: a third of the lease. */
const RENEWAL_MS = 5_000

/** Maximum time between the request for a mark and the first byte of the order, in milliseconds. */
const MARK_LIFE_MS = 5_000

/** Minimum limit of the wait for the ledger at the end of a call, in milliseconds. */
const LAST_WAIT_MS = 250

/**
 * Internal error: the ledger rejected a mark, because another call holds the entry or an outcome was recorded. This
 * call must claim again.
 */
export class ClaimLost extends Error {}

/** Mark in the ledger for one request that sends the order to the service. */
interface Mark {
  readonly id: string
  /** Time of the request to the ledger. */
  readonly at: Moment
  /** `true` when no request was sent with this mark yet. */
  isFree: boolean
}

/** `marked`: mark that the ledger stored with the claim; `undefined` if it stored none. */
type GrantedClaim = { name: OrderName; token: string; marked: Omit<Mark, 'isFree'> | undefined }

/** A claim that the ledger has granted, until its outcome is recorded. */
export class HeldClaim implements SendingGuard {
  readonly #name: OrderName
  readonly #token: string
  readonly #session: LedgerSession
  readonly #clock: Clock
  /** Last mark that the ledger may hold. */
  #mark: Mark | undefined
  /** `true` after the permission to send a request, unless the request had no effect. */
  #mayBeSent = false
  /** Number of times that the service rejected the order before any work. */
  #rejected = 0
  #renewal: Timer | undefined
  /** `true` when another call holds the entry, so that this call must claim again. */
  isLost = false

  constructor(session: LedgerSession, { name, token, marked }: GrantedClaim) {
    this.#name = name
    this.#token = token
    this.#session = session
    this.#clock = session.clock
    this.#mark = marked && { ...marked, isFree: true }
    if (!session.isPrivate) this.#renewLater()
  }

  /** Marks the next request in the ledger, unless the claim has a recent mark that was not used. */
  async beforeSending(deadline: Deadline): Promise<void> {
    const mark = this.#mark
    if (mark?.isFree !== true || this.isStale()) await this.#markAgain(deadline)
    else mark.isFree = false
    this.#mayBeSent = true
  }

  isStale(): boolean {
    if (this.#mark === undefined) return true
    const { wall, monotonic } = this.#mark.at
    // The monotonic clock may stop while the machine sleeps, and the wall clock may be set.
    return Math.max(this.#clock.now() - wall, this.#clock.monotonic() - monotonic) > MARK_LIFE_MS
  }

  hadNoEffect(wasRejected: boolean): void {
    this.#mayBeSent = false
    if (wasRejected) this.#rejected += 1
    const mark = this.#mark?.id
    if (mark === undefined) return
    // The next mark or the end of the call also removes this mark, but the process can end before that.
    this.#session.run('unmark', this.#name, { token: this.#token, mark }).catch(ignore)
  }

  /**
   * Records the referrals of the order. Waits for the ledger for the remaining time of the call, at least
   * {@link LAST_WAIT_MS} and at most {@link OPERATION_MS}.
   */
  async placed(uuids: readonly string[], remainingMs: number): Promise<void> {
    // An entry whose IDs are not UUIDs could not be read later.
    const isReadable = uuids.every(isUuid)
    await this.#end(isReadable ? { placed: uuids } : 'unknown', remainingMs)
  }

  /**
   * Records the outcome of a call that failed. For a lost claim, this also removes the marks that `hadNoEffect` could
   * not remove. An aborted call and a lost claim do not wait for the ledger.
   */
  async failed(error: unknown, remainingMs: number): Promise<void> {
    const isKnown = error instanceof RequestOutcomeError && error.outcome !== 'unknown'
    const outcome = isKnown || !this.#mayBeSent ? 'not-placed' : 'unknown'
    await this.#end(outcome, isPathologyError(error) ? remainingMs : undefined)
  }

  async #markAgain(deadline: Deadline): Promise<void> {
    const replaces = this.#mayBeSent ? undefined : this.#mark?.id
    const mark = globalThis.crypto.randomUUID()
    // Set at once, because the ledger may store the mark although its response is lost.
    this.#mark = { id: mark, at: momentOf(this.#clock), isFree: false }
    const request = { token: this.#token, mark, replaces, leaseMs: this.#session.leaseMs }
    const limits = { deadline, rejected: this.#rejected }
    if (!(await this.#session.run('mark', this.#name, request, limits))) {
      this.isLost = true
      throw new ClaimLost()
    }
  }

  async #end(outcome: OrderResolution | 'unknown', waitMs: number | undefined): Promise<void> {
    this.#renewal?.cancel()
    const recording = this.#session.run('record', this.#name, { token: this.#token, outcome }).then(
      (isRecorded) => {
        if (!isRecorded && typeof outcome === 'object') this.#warn('did not accept the outcome')
      },
      () => this.#recordLater(outcome),
    )
    if (this.#session.isPrivate) return recording
    if (waitMs === undefined) return
    const limitMs = Math.min(OPERATION_MS, Math.max(LAST_WAIT_MS, waitMs))
    const limit = new Deadline(this.#clock, limitMs, undefined)
    await limit.race(recording).catch(ignore)
    limit.dispose()
  }

  #recordLater(outcome: OrderResolution | 'unknown'): void {
    if (typeof outcome === 'object') this.#warn('failed to record the outcome')
    else if (this.#mark === undefined) return
    this.#session.runLater('record', this.#name, { token: this.#token, outcome })
  }

  #warn(problem: string): void {
    this.#session.warn(
      `an order was placed, but the order ledger ${problem}; the next create() with the same orderKey returns the order or looks it up`,
    )
  }

  #renewLater(): void {
    this.#renewal = this.#clock.schedule(() => {
      const request = { token: this.#token, leaseMs: this.#session.leaseMs }
      // A failed renewal is ignored, because the lease lasts longer than until the next renewal.
      this.#session.run('renew', this.#name, request).catch(ignore)
      this.#renewLater()
    }, RENEWAL_MS)
  }
}

/** Minimum pause between two polls, in milliseconds. */
const SHORTEST_POLL_PAUSE_MS = 100

/** First and highest upper limit of a pause, in milliseconds. The limit grows by half after each poll. */
const FIRST_POLL_PAUSE_MS = 200
const LONGEST_POLL_PAUSE_MS = 1_000

/**
 * Waits for changes of an entry that another call holds. A wait ends at the time of the next poll. If the ledger has
 * the function `watch`, a wait also ends when the ledger reports a change.
 */
export class EntryChanges {
  readonly #session: LedgerSession
  readonly #stopWatching: (() => void) | undefined
  #bound = FIRST_POLL_PAUSE_MS
  #hasChanged: boolean
  #wake: () => void = ignore

  constructor(session: LedgerSession, name: OrderName) {
    this.#session = session
    this.#stopWatching = session.watch(name, this.#onChange)
    // The entry may have changed before the ledger had the listener.
    this.#hasChanged = this.#stopWatching !== undefined
  }

  /** Resolves when the entry has changed or should be polled. Rejects as soon as the call ends. */
  async wait(deadline: Deadline): Promise<void> {
    if (!this.#hasChanged) await deadline.race(this.#next())
    this.#hasChanged = false
  }

  stop(): void {
    this.#stopWatching?.()
    this.#wake()
  }

  readonly #onChange = (): void => {
    this.#hasChanged = true
    this.#wake()
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      // The client's own ledger reports the end of each claim, and its leases never end, so it is not polled.
      const timer = this.#session.isPrivate ? undefined : this.#poll(resolve)
      this.#wake = () => {
        timer?.cancel()
        resolve()
      }
    })
  }

  #poll(resolve: () => void) {
    const { clock, random } = this.#session
    const pause = SHORTEST_POLL_PAUSE_MS + random() * (this.#bound - SHORTEST_POLL_PAUSE_MS)
    this.#bound = Math.min(LONGEST_POLL_PAUSE_MS, this.#bound * 1.5)
    return clock.schedule(resolve, pause)
  }
}

const PURPOSE = 'pathology-sdk order fingerprint'

/** Returns the fingerprint of an order: the same for equal orders, whatever the sequence of their fields and tests. */
export type FingerprintOf = (order: Order) => OrderFingerprint

/**
 * Returns the function that makes fingerprints with a key. Without the key, nobody can guess an order from the hashes
 * in a ledger that several processes share.
 *
 * @param secret - Secret from which the key is derived when `given` is `undefined`.
 */
export function fingerprintWith(given: OrderFingerprintKey | undefined, secret: string): FingerprintOf {
  let own = given
  return (order) => {
    own ??= derivedKey(secret)
    const hash = createHmac('sha256', own.key).update(textOf(order)).digest('base64url')
    return { keyId: own.id, hash }
  }
}

function derivedKey(secret: string): OrderFingerprintKey {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', PURPOSE, MIN_KEY_BYTES))
  const id = createHash('sha256').update(PURPOSE).update(key).digest('base64url').slice(0, 16)
  return { id: `derived-${id}`, key }
}

function textOf(order: Order): string {
  const { tests, medicareTests } = order
  return canonical({ ...order, tests: inOrder(tests), medicareTests: inOrder(medicareTests) })
}

function inOrder(tests: readonly string[] | undefined): readonly string[] | undefined {
  return tests && [...tests].sort()
}

/** Writes JSON with sorted fields. `JSON.stringify` with a function as second argument takes three times as long. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null'
  let text = ''
  for (const name of Object.keys(value).sort()) {
    const field: unknown = Reflect.get(value, name)
    if (field !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonical(field)}`
  }
  return `{${text}}`
}
