import { momentOf } from '../../common/clock.js'
import { withSet } from '../../common/known-options.js'
import { endpoints } from '../../contract/endpoints.js'
import { isUuid } from '../../contract/identifiers.js'
import { ownFieldOf } from '../../contract/read.js'
import type { Referral } from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import type { WithResponse } from '../call/api-promise.js'
import type { CallInput } from '../call/request.js'
import type { RequestOptions } from '../call/request-options.js'
import { timeOf } from '../core/caller-input.js'
import { CallEnded, Deadline } from '../core/deadline.js'
import { TimeoutError } from '../errors/errors.js'
import { ClaimLost, EntryChanges, HeldClaim } from '../ledger/claims.js'
import { RESEND_MARGIN_MS } from '../ledger/ledger-options.js'
import type { LedgerSession } from '../ledger/ledger-session.js'
import type { LedgerClaim, OrderFingerprint, OrderName } from '../ledger/order-ledger.js'
import { checkSameOrder, type InFlightOrders, isComplete, type SoughtOrder } from './match-order.js'
import { OrderOutcomeUnknownError, type PlacedOrder, placedOrder } from './order.js'
import { keyInUse } from './order-key.js'
import { LOOKUP_MARGIN_MS } from './order-window.js'
import { type LookupWindow, type OrderRecovery, timeLimitOf } from './recover-order.js'

/** Order with a key of the caller, and the settings of its call. */
export interface KeyedOrder {
  readonly sought: SoughtOrder
  readonly orderKey: string
  readonly options: RequestOptions
  /** Start of the lookup window if the ledger's entry is new, in milliseconds of the server clock. */
  readonly defaultWindowStart: () => number
  /** Earliest time at which an order with the key may have been placed; `undefined` for the ledger's default. */
  readonly ledgerSince: Date | undefined
  /** Time for which the lookup is repeated, in milliseconds, in addition to the time limit of the call. */
  readonly lookupTimeoutMs: number
  /** Sends the order with the calling `ApiClient`. {@link OrderParts.api} makes the other calls. */
  readonly sendOrder: (input: CallInput) => Promise<WithResponse<PlacedOrder>>
}

/** Objects that the orders of a client share. */
export interface OrderParts {
  /** Makes the reads and lookups. It accepts calls also when the queue is full or the client is closed. */
  readonly api: ApiClient
  readonly session: LedgerSession
  readonly recovery: OrderRecovery
  readonly inFlightOrders: InFlightOrders
}

const NOTHING_SENT = { status: 200, headers: {}, requestId: undefined, attempts: 0 } as const

/** Call of `create` with a key of the caller. An entry in the order ledger prevents a second order. */
export class KeyedCall {
  readonly #parts: OrderParts
  readonly #order: KeyedOrder
  readonly #name: OrderName
  readonly #fingerprint: OrderFingerprint
  readonly #beganAt: number
  /**
   * `timeout` plus `lookupTimeout`, in milliseconds: the time limit of a wait for the ledger, or for another call that
   * holds the entry. The wait uses `lookupTimeout` first, then `timeout`. The rest of `timeout` limits the first lookup
   * and then the request. Repeated lookups take additional time: see {@link OrderRecovery}.
   */
  readonly #limitMs: number

  constructor(parts: OrderParts, order: KeyedOrder) {
    const { api, session } = parts
    const { options } = api.context
    this.#parts = parts
    this.#order = order
    this.#beganAt = options.clock.monotonic()
    this.#limitMs = timeLimitOf(order.options, options) + order.lookupTimeoutMs
    this.#name = session.nameOf(order.orderKey)
    this.#fingerprint = session.options.fingerprintOf(order.sought.order)
  }

  /** Returns the order with the key. Places the order first if it was not placed yet. */
  async place(): Promise<WithResponse<PlacedOrder>> {
    const { api, session } = this.#parts
    for (;;) {
      const { found, granted } = await this.#claim()
      const { state, fingerprint, referrals = [] } = found
      if (state === 'placed') {
        const isCompared = fingerprint?.keyId === this.#fingerprint.keyId
        return { data: await this.#readPlaced(referrals, isCompared), response: NOTHING_SENT }
      }
      try {
        return await this.#run(found, new HeldClaim(session, granted, api.context.options.clock))
      } catch (error) {
        if (!(error instanceof ClaimLost)) throw error
      }
    }
  }

  /** Claims the entry. Waits while another call holds it. */
  async #claim() {
    const { api, session } = this.#parts
    const { options } = api.context
    const [token, mark] = [globalThis.crypto.randomUUID(), globalThis.crypto.randomUUID()]
    const { ledgerSince: since } = this.#order
    const request = { token, mark, fingerprint: this.#fingerprint, since, leaseMs: session.leaseMs }
    const deadline = this.#deadline()
    let changes: EntryChanges | undefined
    try {
      for (;;) {
        const at = momentOf(options.clock)
        const found = await session.claim(this.#name, request, deadline)
        this.#checkFingerprint(found, token)
        const marked = found.isMarked ? { id: mark, at } : undefined
        if (found.state !== 'busy') return { found, granted: { name: this.#name, token, marked } }
        changes ??= new EntryChanges(session, this.#name, options)
        await changes.wait(deadline)
      }
    } catch (error) {
      throw this.#publicError(error, changes !== undefined)
    } finally {
      changes?.stop()
      deadline.dispose()
    }
  }

  /**
   * Throws if the hash in the entry shows that the `orderKey` belongs to another order. Ignores a hash that was made
   * with another HMAC key, because it cannot be compared.
   */
  #checkFingerprint({ state, fingerprint }: LedgerClaim, token: string): void {
    const { keyId, hash } = this.#fingerprint
    if (state === 'new' || fingerprint?.keyId !== keyId || fingerprint.hash === hash) return
    if (state === 'sent') this.#parts.session.runLater('record', this.#name, { token, outcome: 'not-placed' })
    throw keyInUse('other contents')
  }

  /**
   * Returns an order that the ledger holds as placed. Reads each referral, and looks up a second referral that the
   * ledger does not have. The order may contain deleted referrals.
   *
   * @param isCompared - `true` when the fingerprints were compared.
   * @throws {@link OrderOutcomeUnknownError} when a read fails, with the UUIDs as candidates. Also thrown when the
   * second referral is not found.
   * @throws The error of {@link keyInUse}, when the fingerprints were not compared and no referral matches the order.
   */
  async #readPlaced(
    uuids: readonly string[],
    isCompared: boolean,
    options = this.#order.options,
    usedMs = this.#usedMs,
  ): Promise<PlacedOrder> {
    const { sought, orderKey } = this.#order
    const { api } = this.#parts
    const own = withSet(options, { timeout: timeLimitOf(options, api.context.options) })
    const read = (uuid: string): Promise<Referral> => {
      const contradictionOf = (content: unknown) =>
        isRecordOf(uuid, content) ? undefined : 'it is not the referral of the order'
      return api.call(endpoints.referrals.retrieve, { path: { uuid }, usedMs, contradictionOf }, own)
    }
    const referrals = await Promise.all(uuids.map(read)).catch((error: unknown) => {
      options.signal?.throwIfAborted()
      throw this.#unreadError(uuids, error, () =>
        this.#readPlaced(uuids, isCompared, withSet(options, { signal: undefined }), 0),
      )
    })
    if (!isCompared) checkSameOrder(sought.order, referrals)
    if (isComplete({ sought, startedAt: undefined }, referrals)) return placedOrder(referrals, orderKey, true)
    return this.#findOtherReferral(referrals, options, usedMs)
  }

  #unreadError(candidates: readonly string[], cause: unknown, read: () => Promise<PlacedOrder>) {
    const { orderKey, defaultWindowStart } = this.#order
    const recover = () => read().catch(noneIfIncomplete)
    return new OrderOutcomeUnknownError({
      orderKey,
      startedAt: new Date(defaultWindowStart()),
      attempts: 0,
      candidates,
      cause,
      hasOwnKey: true,
      recover: () => this.#parts.api.composite('recover()', recover),
      isPlaced: true,
    })
  }

  /** Looks up the other referral of an order with two referrals, of which the ledger has only one. */
  async #findOtherReferral(
    known: readonly Referral[],
    options: RequestOptions,
    usedMs: number,
  ): Promise<PlacedOrder> {
    const { sought, defaultWindowStart } = this.#order
    const { session, recovery } = this.#parts
    const createdAt = timeOf(known[0]?.createdAt)
    const sentAt = Number.isNaN(createdAt) ? defaultWindowStart : (): number => createdAt
    const windowStart = (): number => sentAt() - LOOKUP_MARGIN_MS
    const window = { windowStart, repeatMs: 0, usedMs, alreadyRead: known, sentEarlierAt: sentAt }
    const { placed } = await recovery.findByKey(sought, window, options)
    if (placed === undefined) throw new Error('findByKey did not find an order that was sent')
    const uuids = placed.referrals.map(({ uuid }) => uuid)
    if (uuids.every(isUuid)) session.runLater('resolve', this.#name, { placed: uuids })
    return placed
  }

  /** Runs the call that holds the entry, and records its outcome. */
  async #run(found: LedgerClaim, claim: HeldClaim): Promise<WithResponse<PlacedOrder>> {
    try {
      const placed = await this.#findOrSend(found, claim)
      const uuids = placed.data.referrals.map(({ uuid }) => uuid)
      // Never rejects: the order is placed, so `failed` must not follow.
      await claim.placed(uuids, this.#remainingMs)
      return placed
    } catch (error) {
      // The reason of an abort says nothing about this order: it can be any value, even the error of another call.
      const isAbort = error === this.#order.options.signal?.reason
      await claim.failed(isAbort ? undefined : error, this.#remainingMs)
      throw error
    }
  }

  async #findOrSend(found: LedgerClaim, guard: HeldClaim): Promise<WithResponse<PlacedOrder>> {
    const { sought, options, sendOrder } = this.#order
    const { recovery, session } = this.#parts
    // The request ends at least a minute before another call may send the order again.
    const mostMs = session.options.resendAfterMs - RESEND_MARGIN_MS
    if (found.state === 'new' && found.isVouched) return sendOrder({ guard, usedMs: this.#usedMs, mostMs })
    const { placed: data, usedMs } = await recovery.findByKey(sought, this.#windowOf(found), options)
    return data === undefined ? sendOrder({ guard, usedMs, mostMs }) : { data, response: NOTHING_SENT }
  }

  /**
   * Returns the window of the lookup. After an earlier request with an unknown outcome, the window starts five minutes
   * before the first request. While nothing is found, the lookup is then repeated at least until `orderRecoveryTimeout`
   * after the last request. The ledger's clock measures the time since a request, because the clocks of clients can
   * differ. If the Date header and the local clock differ, the window starts at the earlier time.
   */
  #windowOf({ state, sinceFirstSentMs = 0, sinceLastSentMs = 0 }: LedgerClaim): LookupWindow {
    const { defaultWindowStart, lookupTimeoutMs } = this.#order
    const waitMs = lookupTimeoutMs - this.#waitedMs
    if (state === 'new') return { windowStart: defaultWindowStart, repeatMs: waitMs, usedMs: this.#usedMs }
    const { api, recovery } = this.#parts
    const { options, serverClock } = api.context
    const now = serverClock.moment()
    const sentAt = (): number => serverClock.at(now) - sinceFirstSentMs
    const resendAt = recovery.resendAt(sinceLastSentMs)
    return {
      windowStart: () => Math.min(sentAt(), now.wall - sinceFirstSentMs) - LOOKUP_MARGIN_MS,
      repeatMs: Math.max(waitMs, options.orderRecoveryTimeoutMs - sinceLastSentMs),
      usedMs: this.#usedMs,
      // After the time for a resend, an order that is not listed is sent again. Until then, its outcome stays unknown.
      sentEarlierAt: resendAt > options.clock.monotonic() ? sentAt : undefined,
      resendAt,
    }
  }

  get #waitedMs(): number {
    return this.#parts.api.context.options.clock.monotonic() - this.#beganAt
  }

  /** Used part of the call's time limit, without `lookupTimeout`. */
  get #usedMs(): number {
    return Math.max(0, this.#waitedMs - this.#order.lookupTimeoutMs)
  }

  get #remainingMs(): number {
    return this.#limitMs - this.#waitedMs
  }

  #deadline(): Deadline {
    const { options, signals } = this.#parts.api.context
    return new Deadline(options.clock, this.#remainingMs, signals.of(this.#order.options.signal))
  }

  /** Converts the error of a wait for the ledger, or for another call that holds the entry. */
  #publicError(error: unknown, wasBusy: boolean): unknown {
    if (!(error instanceof CallEnded)) return error
    if (error.end.kind === 'aborted') return error.end.reason
    const timeout = this.#limitMs
    const effect = wasBusy
      ? 'this call sent nothing; another call with the same orderKey may still place the order'
      : 'nothing was sent, because the order ledger did not respond in time'
    const message = `referrals.create did not end within ${timeout} ms: ${effect}; repeat create() with the same orderKey`
    const outcome = wasBusy ? 'unknown' : 'not-sent'
    return new TimeoutError(message, { outcome, attempts: 0, timeout, isRepeatable: true })
  }
}

/** Returns `undefined` for the error of an order that the service does not show completely. Throws any other error. */
function noneIfIncomplete(error: unknown): undefined {
  if (!(error instanceof OrderOutcomeUnknownError) || error.cause !== undefined) throw error
}

function isRecordOf(uuid: string, content: unknown): boolean {
  const shown = ownFieldOf(content, 'uuid')
  return typeof shown === 'string' && shown.toLowerCase() === uuid.toLowerCase()
}
