import { isPathologyError } from '../../common/errors.js'
import { ignore } from '../../common/ignore.js'
import type { Order, Referral } from '../../contract/types.js'
import type { CallContext } from '../call/api-client.js'
import type { WithResponse } from '../call/api-promise.js'
import { CallEnded, Deadline } from '../core/deadline.js'
import { TimeoutError, WireError } from '../errors/errors.js'
import type { SoughtOrder } from './find-order.js'
import type { PlacedOrder } from './order.js'
import { fingerprintOf, isAlike, keyInUse } from './same-order.js'

/** The most that is remembered of each kind; the oldest goes first. */
const REMEMBERED = 5_000

/** The response of a call that sent no order. */
export const NOTHING_SENT = { status: 200, headers: {}, requestId: undefined, attempts: 0 } as const

/** An order under way, and what was ordered. */
interface Placing {
  readonly fingerprint: string
  readonly placing: Promise<WithResponse<PlacedOrder>>
}

/** What a client remembers of its orders, so that it does not place one of them twice by itself (§4.1). */
export class OrderDesk {
  readonly #parts: Pick<CallContext, 'options' | 'signals'>
  readonly #underWay = new Map<string, Placing>()
  /** When an order with this key was answered, or its answer lost, by the monotonic clock. */
  readonly #sent = new Map<string, number>()
  readonly #placed = new Set<string>()
  /** Orders without a key that are on their way. */
  readonly #unkeyed = new Set<SoughtOrder>()

  constructor(parts: Pick<CallContext, 'options' | 'signals'>) {
    this.#parts = parts
  }

  /** Referrals of orders that were answered: they are no other order's. */
  get others(): ReadonlySet<string> {
    return this.#placed
  }

  /** Takes what was found for an order; `false` where it is, or may turn out to be, that of another without a key. */
  claim(sought: SoughtOrder, found: readonly Referral[]): boolean {
    if (sought.orderKey !== undefined) return true
    if (found.some((referral) => this.#placed.has(uuidOf(referral)))) return false
    if ([...this.#unkeyed].some((other) => other !== sought && isAlike(other.order, sought.order)))
      return false
    for (const referral of found) remember(this.#placed, uuidOf(referral))
    return true
  }

  /** How long an order with this key that was sent here may yet take to show: lists can lag behind answers. */
  waitMs(orderKey: string): number {
    const sentAt = this.#sent.get(orderKey)
    if (sentAt === undefined) return 0
    const { clock, orderRecoveryTimeoutMs } = this.#parts.options
    return Math.max(0, sentAt + orderRecoveryTimeoutMs - clock.monotonic())
  }

  /**
   * Runs `place` unless the same order is under way under the same key: then its referrals are this one's too, and so is
   * not knowing what became of it. When that one failed for good, or its caller went away, this one begins.
   *
   * @param place - Is told how long this one has waited.
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
      const running = this.#underWay.get(orderKey)
      if (running === undefined) return this.#begin(orderKey, { fingerprint, placing: place(waitedMs) })
      if (running.fingerprint !== fingerprint) throw keyInUse('other contents')
      const deadline = new Deadline(options.clock, limitMs - waitedMs, signals.of(signal))
      const shared = await outcomeOf(running.placing, deadline, limitMs)
      if (shared !== undefined) return { data: { ...shared.data, recovered: true }, response: NOTHING_SENT }
    }
  }

  /** Notes what comes of an order that was sent. */
  async note(
    sought: SoughtOrder,
    sending: Promise<WithResponse<PlacedOrder>>,
  ): Promise<WithResponse<PlacedOrder>> {
    const { orderKey } = sought
    if (orderKey === undefined) this.#unkeyed.add(sought)
    try {
      const answered = await sending
      for (const referral of answered.data.referrals) remember(this.#placed, uuidOf(referral))
      this.#noteSent(orderKey)
      return answered
    } catch (error) {
      if (mayBePlaced(error)) this.#noteSent(orderKey)
      throw error
    } finally {
      this.#unkeyed.delete(sought)
    }
  }

  #begin(orderKey: string, order: Placing): Promise<WithResponse<PlacedOrder>> {
    this.#underWay.set(orderKey, order)
    const done = (): void => void this.#underWay.delete(orderKey)
    order.placing.then(done, done)
    return order.placing
  }

  #noteSent(orderKey: string | undefined): void {
    if (orderKey === undefined) return
    this.#sent.delete(orderKey)
    this.#sent.set(orderKey, this.#parts.options.clock.monotonic())
    for (const oldest of this.#sent.keys()) {
      if (this.#sent.size <= REMEMBERED) break
      this.#sent.delete(oldest)
    }
  }
}

/** Anything but an error that says what became of the order: an abort may have come when it was sent. */
function mayBePlaced(error: unknown): boolean {
  return !isPathologyError(error) || isUnknown(error)
}

function isUnknown(error: unknown): boolean {
  return error instanceof WireError && error.outcome === 'unknown'
}

/** The other call's time was up before it had sent anything: this one may have more. */
function isOwnTimeout(error: unknown): boolean {
  return error instanceof WireError && error.attempts === 0 && error.cause instanceof TimeoutError
}

/** What the call under way brought; `undefined` when it ended so that another may begin. */
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
    const message = `referrals.create did not end within ${timeout} ms: it sent nothing, another with its orderKey may yet place the order`
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
