import { hide } from '../../common/errors.js'
import { CHECK_ADDRESS } from '../errors/error-texts.js'
import { InvalidResponseError, RequestOutcomeError, type RequestOutcomeFacts } from '../errors/errors.js'
import type { PlacedOrder } from './order.js'

/** Facts about an order with an unknown outcome. */
export interface OrderOutcomeFacts {
  readonly orderKey: string
  readonly startedAt: Date
  readonly attempts: number
  readonly candidates: readonly string[]
  readonly cause: unknown
  readonly recover: () => Promise<PlacedOrder | undefined>
  /** `true` for a key of the caller: `create` may be repeated with this key. Default: `false`. */
  readonly hasOwnKey?: boolean | undefined
  /** Time after which a repeated `create` sends the order again, in milliseconds. */
  readonly retryAfter?: number | undefined
  /** Reason why a call that sent nothing does not know the outcome. Default: derived from the other facts. */
  readonly problem?: string | undefined
  /** `true` when the order ledger has the order as placed, and reading its referrals failed. Default: `false`. */
  readonly isPlaced?: boolean | undefined
}

/**
 * The response to an order was lost, and the lookup did not find the complete order. The order may or may not have been
 * placed. **Do not order again while the outcome is unknown.** The service has no idempotency key. A second order means
 * a second bill and a second email to the patient. The error object is lost on restart: save the error's `orderKey` and
 * `startedAt`.
 *
 * With `attempts: 0` this call did not send the order. Possible reasons:
 *
 * - An earlier call sent the order, and the service does not show the order yet.
 * - The lookup failed; `cause` has the reason.
 * - An earlier call placed the order, and its referrals cannot be read; `cause` has the reason.
 * - Only a part of the order was found, for example after the other referral was deleted; see `candidates`.
 * - Only a referral without visible metadata was found, which may be the order; see `candidates`.
 *
 * `retryAfter` is in milliseconds, and is set only for your own key. A value has one of two meanings:
 *
 * - Time until `create` with this key sends the order again. Only with the client option `resendAfter`, and if the
 * service does not list the order.
 * - Otherwise the wait that the service requested, or the rest of the client's own pause after a 429.
 */
export class OrderOutcomeUnknownError extends RequestOutcomeError {
  override readonly name = 'OrderOutcomeUnknownError'
  /** Order key in the metadata. */
  readonly orderKey: string
  /**
   * Time at which the order was sent, by the server clock. With `attempts: 0`, the time at which an earlier call sent
   * the order. If that time is unknown, `startedAt` is the start of the lookup window.
   */
  readonly startedAt: Date
  /**
   * UUIDs of referrals that are a part of the order. If the service does not show a referral's metadata, the referral
   * can also belong to another order.
   */
  readonly candidates: readonly string[]
  /**
   * Looks the order up again. Resolves to the order, or to `undefined` while the service does not show the complete
   * order. Call `recover` again later: an order can take more than ten seconds to appear.
   *
   * @throws {@link OrderOutcomeUnknownError} with the reason in `cause`, when the lookup fails.
   * @throws {@link InvalidRequestError} with the code `ORDER_KEY_IN_USE`, when your own key belongs to another order.
   * @throws `ConnectionError` with reason `closed` after `client.close()`.
   */
  declare readonly recover: () => Promise<PlacedOrder | undefined>

  /** Creates an error. The client does this itself; use it to test your own error handling. */
  constructor(facts: OrderOutcomeFacts) {
    super(
      `${situation(facts)}. Do not order again yet; call recover() later${laterAdvice(facts)}`,
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

/**
 * Returns the given time. Without a given time, and with a key of the caller, returns the `retryAfter` of the cause.
 */
function retryAfterOf({ hasOwnKey, retryAfter, cause }: OrderOutcomeFacts): number | undefined {
  if (hasOwnKey !== true || retryAfter !== undefined) return retryAfter
  return cause instanceof RequestOutcomeError ? cause.retryAfter : undefined
}

/** Returns the further ways to learn the outcome, also after a restart, as the end of a sentence. */
function laterAdvice({ hasOwnKey, orderKey }: OrderOutcomeFacts): string {
  const key = JSON.stringify(orderKey)
  if (hasOwnKey === true) return `, or repeat create() with the same orderKey, ${key}`
  return `; after a restart, call findByOrderKey(${key}, { since: startedAt })`
}

/** Returns the beginning of the message: what is known about the order, and why the outcome is unknown. */
function situation(facts: OrderOutcomeFacts): string {
  if (facts.isPlaced !== true) return `it is unknown whether the order was placed: ${reason(facts)}`
  return `an earlier call placed the order, but its referrals cannot be read now${failureOf(facts)}; this call sent nothing`
}

function failureOf({ cause }: OrderOutcomeFacts): string {
  return cause instanceof RequestOutcomeError ? ` (${isOtherServer(cause) ? cause.message : cause.name})` : ''
}

/** Returns `true` when another server than the service answered. The message says which address to check. */
function isOtherServer(cause: unknown): boolean {
  return cause instanceof InvalidResponseError && cause.message.includes(CHECK_ADDRESS)
}

function reason(facts: OrderOutcomeFacts): string {
  const { attempts, candidates, problem, cause } = facts
  const failure = failureOf(facts)
  if (problem !== undefined) return `this call sent nothing, because ${problem}${failure}`
  if (attempts > 0) {
    const why = isOtherServer(cause) ? failure : ''
    return `its response was lost, and the lookup did not find the complete order${why}`
  }
  if (candidates.length > 0)
    return 'this call sent nothing, because the lookup found only a part of the order or a referral that may be the order'
  return `this call sent nothing, because the lookup failed${failure}`
}

/**
 * `waitFor` ended the wait for ISSUED or for results, because the billing or the test of the referral failed, or the
 * referral was deleted.
 */
export class ReferralFailedError extends RequestOutcomeError {
  override readonly name = 'ReferralFailedError'
  /** Status of the referral, such as `BILLING_FAILED`; `unknown` for a status that this version does not know. */
  readonly status: string
  /**
   * Time of the deletion, ISO 8601; `undefined` when the referral was not deleted. An empty string when the service's
   * time has another format.
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
