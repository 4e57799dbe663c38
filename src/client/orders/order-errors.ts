import { hide } from '../../common/errors.js'
import { InvalidRequestError, RequestOutcomeError, type RequestOutcomeFacts } from '../errors/errors.js'
import type { PlacedOrder } from './order.js'

/** Facts for finding an order whose response was lost. */
export interface OrderOutcomeFacts {
  readonly orderKey: string | undefined
  readonly startedAt: Date
  readonly attempts: number
  readonly candidates: readonly string[]
  readonly cause: unknown
  readonly recover: () => Promise<PlacedOrder | undefined>
  /** `true` for a key of the caller: `create` may be repeated with this key. Default: `false`. */
  readonly hasOwnKey?: boolean | undefined
  /** Time after which a repeated `create` sends the order again, in milliseconds. */
  readonly retryAfter?: number | undefined
  /** Reason why a call that sent nothing does not know the outcome. Default: the lookup failed. */
  readonly problem?: string | undefined
}

/**
 * The response to an order was lost, and the service does not list the order. The order may or may not have been
 * placed. **Do not order again while the outcome is unknown**: the service has no idempotency key, so a second order
 * means a second bill and a second e-mail to the patient. The error object is lost on restart: save the error's
 * `orderKey` and `startedAt`.
 *
 * With `attempts: 0` this call sent no order. Possible reasons: an earlier call sent the order, and the service does
 * not show it yet; a lookup or a read failed (`cause`); or only a part of the order was found (`candidates`), for
 * example after the other referral was deleted.
 *
 * `retryAfter` is in milliseconds, and only for your own key. With the client option `resendAfter`, and if the service
 * does not list the order, `create` with this key sends the order again when `retryAfter` has passed. Otherwise
 * `retryAfter` is the wait that the service requested, if any.
 */
export class OrderOutcomeUnknownError extends RequestOutcomeError {
  override readonly name = 'OrderOutcomeUnknownError'
  /** Order key in the metadata; `undefined` with `orderKey: false`. */
  readonly orderKey: string | undefined
  /**
   * Time at which the order was sent, by the server clock. With `attempts: 0`, the time at which an earlier call sent
   * the order; if that time is unknown, the start of the lookup window.
   */
  readonly startedAt: Date
  /**
   * UUIDs of referrals that are a part of the order, or may be: there is no key, or the service does not show their
   * metadata.
   */
  readonly candidates: readonly string[]
  /**
   * Looks the order up again. Resolves to the order, or to `undefined` while the service does not show it, or
   * while a similar order without a key is being placed. Call `recover` again later: an order can take more than ten
   * seconds to appear. Referrals that `recover` has returned are not assigned to another order.
   *
   * @throws {@link OrderOutcomeUnknownError} with the reason in `cause`, when the lookup fails again.
   */
  declare readonly recover: () => Promise<PlacedOrder | undefined>

  /** Creates an error. The client does this itself; use it to test your own error handling. */
  constructor(facts: OrderOutcomeFacts) {
    super(
      `it is unknown whether the order was placed: ${reason(facts)}. ` +
        `Do not order again yet; call recover() later${facts.orderKey === undefined ? '' : ', or repeat create() with the same orderKey'}`,
      { outcome: 'unknown', attempts: facts.attempts },
      {
        code: 'ORDER_OUTCOME_UNKNOWN',
        cause: facts.cause,
        retryable: facts.hasOwnKey,
        retryAfter: retryAfterOf(facts),
      },
    )
    this.orderKey = facts.orderKey
    this.startedAt = facts.startedAt
    this.candidates = facts.candidates
    hide(this, { recover: facts.recover })
  }

  /** Returns the fields that are safe to log. */
  override toJSON(): Record<string, unknown> {
    const { orderKey, startedAt, candidates } = this
    return { ...super.toJSON(), orderKey, startedAt: startedAt.toISOString(), candidates }
  }
}

/** Returns the given time, or the time that the service requested when it rejected the order or the lookup. */
function retryAfterOf({ hasOwnKey, retryAfter, cause }: OrderOutcomeFacts): number | undefined {
  if (hasOwnKey !== true || retryAfter !== undefined) return retryAfter
  return cause instanceof RequestOutcomeError ? cause.retryAfter : undefined
}

function reason({ attempts, candidates, cause, problem }: OrderOutcomeFacts): string {
  if (problem !== undefined)
    return `this call sent nothing, because ${problem}${cause instanceof RequestOutcomeError ? ` (${cause.name})` : ''}`
  if (attempts > 0) return 'its response was lost, and the lookup did not find the order'
  if (candidates.length > 0)
    return 'this call sent nothing, because the lookup found only a part of the order or a referral that may be the order'
  return `this call sent nothing, because the lookup failed${cause instanceof RequestOutcomeError ? ` (${cause.name})` : ''}`
}

/**
 * The referral that `waitFor` reads cannot reach the requested status any more: its billing or its test failed,
 * or it was deleted.
 */
export class ReferralFailedError extends RequestOutcomeError {
  override readonly name = 'ReferralFailedError'
  /** Status of the referral, such as `BILLING_FAILED`; `unknown` for a status that this version does not know. */
  readonly status: string
  /**
   * Time of the deletion, ISO 8601; `undefined` when the referral was not deleted. Empty when the service's time has
   * another format.
   */
  readonly deletedAt: string | undefined

  /** Creates an error. The client does this itself; use it to test your own error handling. */
  constructor(
    message: string,
    facts: Pick<RequestOutcomeFacts, 'attempts'> & { status: string; deletedAt?: string | undefined },
  ) {
    super(message, { outcome: 'failed', attempts: facts.attempts }, { code: 'REFERRAL_FAILED' })
    this.status = facts.status
    this.deletedAt = facts.deletedAt
  }

  /** Returns the fields that are safe to log. */
  override toJSON(): Record<string, unknown> {
    const { status, deletedAt } = this
    return { ...super.toJSON(), status, ...(deletedAt === undefined ? {} : { deletedAt }) }
  }
}

/** Creates the error of a key that belongs to another order. The error repeats no value of the orders. */
export function keyInUse(difference: string): InvalidRequestError {
  const message = `orderKey belongs to an order with ${difference}; use a new key for a new order`
  return new InvalidRequestError('referrals.create', [{ message, field: 'orderKey' }], 'ORDER_KEY_IN_USE')
}
