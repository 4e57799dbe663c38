import { isPathologyError } from '../../common/errors.js'
import { ignore } from '../../common/ignore.js'
import type { Order, Referral } from '../../contract/types.js'
import type { CallContext } from '../call/api-client.js'
import type { WithResponse } from '../call/api-promise.js'
import { CallEnded, Deadline } from '../core/deadline.js'
import { RequestOutcomeError, TimeoutError } from '../errors/errors.js'
import type { SoughtOrder } from './find-order.js'
import type { PlacedOrder } from './order.js'
import { fingerprintOf, isAlike, keyInUse } from './same-order.js'

/** Maximum number of entries of each kind. The oldest is dropped first. */
const REMEMBERED = 5_000

/** Response of a call that sent no order. */
export const NOTHING_SENT = { status: 200, headers: {}, requestId: undefined, attempts: 0 } as const

/** Order that is being placed, with its contents. */
interface Placing {
  readonly fingerprint: string
  readonly placing: Promise<WithResponse<PlacedOrder>>
}

/** Tracks the orders of a client, so that it does not place an order twice. */
export class InFlightOrders {
  readonly #parts: Pick<CallContext, 'options' | 'signals'>
  readonly #running = new Map<string, Placing>()
  /** Time of the last sending by order key, on the monotonic clock. */
  readonly #sent = new Map<string, number>()
  readonly #placed = new Set<string>()
  /** Orders without a key that are being placed. */
  readonly #unkeyed = new Set<SoughtOrder>()

  constructor(parts: Pick<CallContext, 'options' | 'signals'>) {
    this.#parts = parts
  }

  /** Known referrals of placed orders: they do not belong to another order. */
  get knownReferrals(): ReadonlySet<string> {
    return this.#placed
  }

  /**
   * Assigns found referrals to an order. Returns `false` when they belong, or may belong, to another order
   * without a key.
   */
  claim(sought: SoughtOrder, found: readonly Referral[]): boolean {
    if (sought.orderKey !== undefined) return true
    if (found.some((referral) => this.#placed.has(uuidOf(referral)))) return false
    if ([...this.#unkeyed].some((other) => other !== sought && isAlike(other.order, sought.order)))
      return false
    for (const referral of found) remember(this.#placed, uuidOf(referral))
    return true
  }

  /**
   * Returns the time in milliseconds for which an order of this client may not show yet: lists can lag behind
   * responses.
   */
  waitMs(orderKey: string): number {
    const sentAt = this.#sent.get(orderKey)
    if (sentAt === undefined) return 0
    const { clock, orderRecoveryTimeoutMs } = this.#parts.options
    return Math.max(0, sentAt + orderRecoveryTimeoutMs - clock.monotonic())
  }

  /**
   * Runs `place`, unless a call with the same order and key is running: then both calls share its result, also
   * an unknown outcome. If that call fails finally or is aborted, this call starts.
   *
   * @param place - Receives the time waited so far, in milliseconds.
   */
  async oneAtATime(
    orderKey: string,
    order: Order,
    limitMs: number,
    signal: AbortSignal | undefined,
    place: (waitedMs: number) => Promise<WithResponse<PlacedOrder>>,
  ): Promise<WithResponse<PlacedOrder>> {
    const { options, signals } = this.#parts
    const beganAt = options.clock.monotonic()
    const fingerprint = fingerprintOf(order)
    for (;;) {
      const waitedMs = options.clock.monotonic() - beganAt
      const running = this.#running.get(orderKey)
      if (running === undefined) return this.#begin(orderKey, { fingerprint, placing: place(waitedMs) })
      if (running.fingerprint !== fingerprint) throw keyInUse('other contents')
      const deadline = new Deadline(options.clock, limitMs - waitedMs, signals.of(signal))
      const shared = await outcomeOf(running.placing, deadline, limitMs)
      if (shared !== undefined) return { data: { ...shared.data, recovered: true }, response: NOTHING_SENT }
    }
  }

  /** Tracks an order until its result is known. */
  async track(
    sought: SoughtOrder,
    sending: Promise<WithResponse<PlacedOrder>>,
  ): Promise<WithResponse<PlacedOrder>> {
    const { orderKey } = sought
    if (orderKey === undefined) this.#unkeyed.add(sought)
    try {
      const placed = await sending
      for (const referral of placed.data.referrals) remember(this.#placed, uuidOf(referral))
      this.#recordSent(orderKey)
      return placed
    } catch (error) {
      if (mayBePlaced(error)) this.#recordSent(orderKey)
      throw error
    } finally {
      this.#unkeyed.delete(sought)
    }
  }

  #begin(orderKey: string, order: Placing): Promise<WithResponse<PlacedOrder>> {
    this.#running.set(orderKey, order)
    const done = (): void => void this.#running.delete(orderKey)
    order.placing.then(done, done)
    return order.placing
  }

  #recordSent(orderKey: string | undefined): void {
    if (orderKey === undefined) return
    this.#sent.delete(orderKey)
    this.#sent.set(orderKey, this.#parts.options.clock.monotonic())
    for (const oldest of this.#sent.keys()) {
      if (this.#sent.size <= REMEMBERED) break
      this.#sent.delete(oldest)
    }
  }
}

/** Returns `true` unless the error states the outcome: an abort may come after the sending. */
function mayBePlaced(error: unknown): boolean {
  return !isPathologyError(error) || isUnknown(error)
}

function isUnknown(error: unknown): boolean {
  return error instanceof RequestOutcomeError && error.outcome === 'unknown'
}

/** Returns `true` when the other call timed out before it sent anything: this call may have more time. */
function isOwnTimeout(error: unknown): boolean {
  return error instanceof RequestOutcomeError && error.attempts === 0 && error.cause instanceof TimeoutError
}

/**
 * Returns the result of the running call; `undefined` when it ended without an order and this call may start.
 */
async function outcomeOf(
  running: Promise<WithResponse<PlacedOrder>>,
  deadline: Deadline,
  timeout: number,
): Promise<WithResponse<PlacedOrder> | undefined> {
  try {
    await deadline.race(running.then(ignore, ignore))
    return await running
  } catch (error) {
    if (isUnknown(error) && !isOwnTimeout(error)) throw error
    if (!(error instanceof CallEnded)) return undefined
    if (error.end.kind === 'aborted') throw error.end.reason
    const message = `referrals.create did not end within ${timeout} ms: this call sent nothing; another call with its orderKey may still place the order; repeat create() with the same orderKey`
    throw new TimeoutError(message, { outcome: 'unknown', attempts: 0, timeout })
  } finally {
    deadline.dispose()
  }
}

function uuidOf(referral: Referral | undefined): string {
  const uuid: unknown = referral?.uuid
  return typeof uuid === 'string' ? uuid : ''
}

function remember(set: Set<string>, uuid: string): void {
  set.add(uuid)
  for (const oldest of set) {
    if (set.size <= REMEMBERED) return
    set.delete(oldest)
  }
}
