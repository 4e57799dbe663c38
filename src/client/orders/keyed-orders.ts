import { type Moment, momentOf } from '../../common/clock.js'
import type { ApiClient } from '../call/api-client.js'
import type { WithResponse } from '../call/api-promise.js'
import type { SendingGuard } from '../call/request.js'
import { CallEnded, Deadline } from '../core/deadline.js'
import { TimeoutError } from '../errors/errors.js'
import { ClaimLost, EntryChanges, HeldClaim, leaseOf } from '../ledger/claims.js'
import { RESEND_MARGIN_MS } from '../ledger/ledger-options.js'
import type { LedgerSession } from '../ledger/ledger-session.js'
import type { LedgerClaim, OrderClaimRequest, OrderFingerprint, OrderName } from '../ledger/order-ledger.js'
import { limitOf } from './find-referrals.js'
import type { KeyedSearch } from './match-order.js'
import { keyInUse, type PlacedOrder } from './order.js'
import { PlacedOrders } from './placed-orders.js'
import { LOOKUP_MARGIN_MS, type OrderRecovery } from './recover-order.js'

/** Response of a call that sent no order. */
export const NOTHING_SENT = { status: 200, headers: {}, requestId: undefined, attempts: 0 } as const

/** Order with a key of the caller. */
export interface KeyedOrder extends KeyedSearch {
  /** Earliest time of an earlier order with the key; `undefined` when the caller gave none. */
  readonly since: Date | undefined
  /** Time for which the lookup is repeated, in milliseconds, in addition to the time limit of the call. */
  readonly windowMs: number
  /** Sends the order. `usedMs` is the used part of the time limit, and `mostMs` the longest time of the requests. */
  readonly send: (guard: SendingGuard, usedMs: number, mostMs: number) => Promise<WithResponse<PlacedOrder>>
}

/** Claim of an entry, as the ledger granted it. */
interface Granted {
  readonly found: LedgerClaim
  readonly token: string
  /** Mark that the ledger stored with the claim, and the time before the request to the ledger. */
  readonly marked: { readonly id: string; readonly at: Moment } | undefined
}

/** Places orders with a key of the caller once, by an entry in the order ledger. */
export class KeyedOrders {
  readonly #api: ApiClient
  readonly #session: LedgerSession
  readonly #recovery: OrderRecovery
  readonly #placed: PlacedOrders

  constructor(api: ApiClient, session: LedgerSession, recovery: OrderRecovery) {
    this.#api = api
    this.#session = session
    this.#recovery = recovery
    this.#placed = new PlacedOrders(api, session, recovery)
  }

  /** Returns the order with the key. Places the order when no call has sent it. */
  async place(order: KeyedOrder): Promise<WithResponse<PlacedOrder>> {
    const time = new CallTime(this.#api, order)
    const fingerprint = this.#session.options.fingerprintOf(order.sought.order)
    for (;;) {
      const granted = await this.#claim(order, fingerprint, time)
      const { found } = granted
      if (found.state === 'placed') {
        const mustCompare = found.fingerprint?.keyId !== fingerprint.keyId
        const data = await this.#placed.read(order, found.referrals ?? [], {
          mustCompare,
          usedMs: time.usedMs,
        })
        return { data, response: NOTHING_SENT }
      }
      try {
        return await this.#run(order, granted, time)
      } catch (error) {
        if (!(error instanceof ClaimLost)) throw error
      }
    }
  }

  /** Runs the call that holds the entry, and records its outcome. */
  async #run(
    order: KeyedOrder,
    { found, token, marked }: Granted,
    time: CallTime,
  ): Promise<WithResponse<PlacedOrder>> {
    const { clock } = this.#api.context.options
    const name = this.#session.nameOf(order.sought.orderKey)
    const claim = new HeldClaim(this.#session, { name, token, marked }, clock)
    try {
      const placed = await this.#findOrSend(order, found, claim, time)
      const uuids = placed.data.referrals.map(({ uuid }) => uuid)
      await claim.placed(uuids, time.remainingMs)
      return placed
    } catch (error) {
      await claim.failed(error, time.remainingMs)
      throw error
    }
  }

  async #findOrSend(
    order: KeyedOrder,
    found: LedgerClaim,
    claim: HeldClaim,
    time: CallTime,
  ): Promise<WithResponse<PlacedOrder>> {
    const { sought, call } = order
    const send = (usedMs: number) => order.send(claim, usedMs, this.#mostMs)
    if (found.state === 'new' && found.isVouched) return send(time.usedMs)
    const window =
      found.state === 'new' ? this.#windowOfNew(order, time) : this.#windowOfSent(order, found, time)
    const { placed, usedMs } = await this.#recovery.findByKey(sought, window, call)
    return placed === undefined ? send(usedMs) : { data: placed, response: NOTHING_SENT }
  }

  /** Longest time of the requests, in milliseconds. After this time, another call may already send the order again. */
  get #mostMs(): number {
    const { resendAfterMs = Number.POSITIVE_INFINITY } = this.#session.options
    return resendAfterMs - RESEND_MARGIN_MS
  }

  #windowOfNew({ searchFrom, windowMs }: KeyedOrder, time: CallTime) {
    return { since: searchFrom, waitMs: Math.max(0, windowMs - time.waitedMs), usedMs: time.usedMs }
  }

  /**
   * Returns the window of the lookup of an order that was sent without a known outcome. The window starts five minutes
   * before the first request. The lookup is repeated while the order can be in progress. The ledger's clock measures
   * the time since the request, because the clocks of clients can differ.
   */
  #windowOfSent({ windowMs }: KeyedOrder, found: LedgerClaim, time: CallTime) {
    const { sinceFirstSentMs = 0, sinceLastSentMs = 0 } = found
    const { options, serverClock } = this.#api.context
    const now = serverClock.moment()
    const sentAt = (): number => serverClock.at(now) - sinceFirstSentMs
    const untilResendMs = this.#recovery.untilResend(sinceLastSentMs)
    return {
      since: () => sentAt() - LOOKUP_MARGIN_MS,
      waitMs: Math.max(0, windowMs - time.waitedMs, options.orderRecoveryTimeoutMs - sinceLastSentMs),
      usedMs: time.usedMs,
      // Only a lookup that starts after the time for a resend shows that the order was not placed.
      earlier: untilResendMs() > 0 ? { sentAt, untilResendMs } : undefined,
    }
  }

  /** Claims the entry. Waits while another call holds it. */
  async #claim(order: KeyedOrder, fingerprint: OrderFingerprint, time: CallTime): Promise<Granted> {
    const name = this.#session.nameOf(order.sought.orderKey)
    const token = this.#session.newId()
    const mark = this.#session.newId()
    const leaseMs = leaseOf(this.#session)
    const request: OrderClaimRequest = { token, mark, fingerprint, since: order.since, leaseMs }
    const { clock } = this.#api.context.options
    // The client's own ledger responds at once. A wait starts only if another call holds the entry.
    let deadline = this.#session.options.isPrivate ? undefined : time.deadline()
    let changes: EntryChanges | undefined
    try {
      for (;;) {
        const at = momentOf(clock)
        const found = await this.#session.claim(name, request, deadline)
        this.#refuseOtherContents(found, name, request)
        const marked = found.isMarked ? { id: mark, at } : undefined
        if (found.state !== 'busy') return { found, token, marked }
        changes ??= new EntryChanges(this.#session, name, this.#api.context.options)
        deadline ??= time.deadline()
        await changes.wait(deadline)
      }
    } catch (error) {
      throw time.publicError(error, changes !== undefined)
    } finally {
      changes?.stop()
      deadline?.dispose()
    }
  }

  /**
   * Throws if the hash shows that the `orderKey` belongs to another order. A hash made with another key is ignored,
   * because it cannot be compared.
   */
  #refuseOtherContents(
    { state, fingerprint }: LedgerClaim,
    name: OrderName,
    { token, fingerprint: own }: OrderClaimRequest,
  ): void {
    if (state === 'new' || fingerprint?.keyId !== own.keyId || fingerprint.hash === own.hash) return
    if (state === 'sent') this.#session.runLater('record', name, { token, outcome: 'not-placed' })
    throw keyInUse('other contents')
  }
}

/** Time limit of a call, including `lookupTimeout`. A wait for another call uses `lookupTimeout` first. */
class CallTime {
  readonly #api: ApiClient
  readonly #order: KeyedOrder
  readonly #beganAt: number
  readonly #timeoutMs: number

  constructor(api: ApiClient, order: KeyedOrder) {
    const { options } = api.context
    this.#api = api
    this.#order = order
    this.#beganAt = options.clock.monotonic()
    this.#timeoutMs = limitOf(order.call, options)
  }

  get #limitMs(): number {
    return this.#timeoutMs + this.#order.windowMs
  }

  get waitedMs(): number {
    return this.#api.context.options.clock.monotonic() - this.#beganAt
  }

  /** Used part of the call's time limit. */
  get usedMs(): number {
    return Math.max(0, this.waitedMs - this.#order.windowMs)
  }

  get remainingMs(): number {
    return this.#limitMs - this.waitedMs
  }

  deadline(): Deadline {
    const { options, signals } = this.#api.context
    return new Deadline(options.clock, this.remainingMs, signals.of(this.#order.call.signal))
  }

  /** Converts the error of a wait for the ledger, or for another call that holds the entry. */
  publicError(error: unknown, wasBusy: boolean): unknown {
    if (!(error instanceof CallEnded)) return error
    if (error.end.kind === 'aborted') return error.end.reason
    const timeout = this.#limitMs
    const effect = wasBusy
      ? 'this call sent nothing; another call with its orderKey may still place the order'
      : 'nothing was sent, because the order ledger did not respond in time'
    const message = `referrals.create did not end within ${timeout} ms: ${effect}; repeat create() with the same orderKey`
    const outcome = wasBusy ? 'unknown' : 'not-sent'
    return new TimeoutError(message, { outcome, attempts: 0, timeout, isRepeatable: true })
  }
}
