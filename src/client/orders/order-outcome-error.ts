import { hide } from '../../common/errors.js'
import { WireError } from '../errors/errors.js'
import type { PlacedOrder } from './order.js'

/** What is left to find an order whose answer was lost. */
export interface OrderOutcomeFacts {
  readonly orderKey: string | undefined
  readonly startedAt: Date
  readonly attempts: number
  readonly candidates: readonly string[]
  readonly cause: unknown
  readonly recover: () => Promise<PlacedOrder | undefined>
}

/**
 * An order was sent and its response was lost, and the service does not show the order (yet): it may have been
 * placed or not. **Do not order again before `recover()` has found it**: the service has no idempotency key,
 * and a second order bills and e-mails a second time.
 *
 * With `attempts: 0` this call sent no order. Either the newest referrals could not be read, so that an earlier run may
 * have placed it (`cause` says why), or only a part of the order shows (`candidates`), as when the other referral was
 * cancelled.
 */
export class OrderOutcomeUnknownError extends WireError {
  override readonly name = 'OrderOutcomeUnknownError'
  /** The key that the order carries in its metadata; `undefined` when it was ordered with `orderKey: false`. */
  readonly orderKey: string | undefined
  /** When the order was sent, by the service's clock; with `attempts: 0`, how far back it was looked for. */
  readonly startedAt: Date
  /** UUIDs of referrals that are a part of the order, or could be it where there was no key to tell; none was picked. */
  readonly candidates: readonly string[]
  /**
   * Looks the order up once more. Resolves to the order when the service shows it, to `undefined` while it does not, or
   * while what shows could be that of another order without a key, alike and on its way. Call it again later: an order can
   * take more than ten seconds to appear. What it found once is this order's and no other's.
   *
   * @throws {@link OrderOutcomeUnknownError} again, with the reason in `cause`, when the newest referrals cannot be read.
   */
  declare readonly recover: () => Promise<PlacedOrder | undefined>

  /** The client makes these itself; make one to test how your own code takes it. */
  constructor(facts: OrderOutcomeFacts) {
    super(
      `whether the order was placed is unknown: ${reason(facts)}. ` +
        `Do not order again yet; call recover() later${facts.orderKey === undefined ? '' : ', or repeat create() with the same orderKey'}`,
      { outcome: 'unknown', attempts: facts.attempts },
      { code: 'ORDER_OUTCOME_UNKNOWN', cause: facts.cause },
    )
    this.orderKey = facts.orderKey
    this.startedAt = facts.startedAt
    this.candidates = facts.candidates
    hide(this, { recover: facts.recover })
  }

  /** What is safe to log. */
  override toJSON(): Record<string, unknown> {
    const { orderKey, startedAt, candidates } = this
    return { ...super.toJSON(), orderKey, startedAt: startedAt.toISOString(), candidates }
  }
}

function reason({ attempts, candidates, cause }: OrderOutcomeFacts): string {
  if (attempts > 0) return 'its response was lost, and the lookup did not find the order'
  if (candidates.length > 0)
    return 'this call sent nothing, because only a part of the order shows, or a referral that may be it'
  return `this call sent nothing, because the lookup failed${cause instanceof WireError ? ` (${cause.name})` : ''}`
}
