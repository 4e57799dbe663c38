import { loaded } from '../../common/lazy-import.js'
import { endpoints } from '../../contract/endpoints.js'
import type { ListQuery, Order, Referral, ReferralPatch } from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import { ApiPromise } from '../call/api-promise.js'
import { CALL_OPTIONS, type RequestOptions } from '../call/request-options.js'
import { JsonBody, optionsCopy } from '../core/caller-input.js'
import { type DocumentPromise, entityDocument } from '../documents/document-promise.js'
import {
  checkMetadata,
  type OrderOptions,
  orderKeyOf,
  type PlacedOrder,
  type ReferralEvent,
} from '../orders/order.js'
import type { FindOptions, Orders } from '../orders/orders.js'
import type { ValidateOptions } from '../orders/validate-order.js'
import type { CursorIterator } from '../pagination/cursor-iterator.js'
import { listInRange, type PaginationOptions, type TimeRange } from '../pagination/list.js'
import { reconciler } from './lost-write.js'
import type { WaitOptions } from './wait-for.js'

const rows = endpoints.referrals
const WAIT_OPTIONS = new Set([...CALL_OPTIONS, 'status', 'until', 'interval'])

/** Orders and their referrals, as `client.referrals`. */
export class Referrals {
  readonly #api: ApiClient
  readonly #orders: Orders

  constructor(api: ApiClient, orders: Orders) {
    this.#api = api
    this.#orders = orders
  }

  /**
   * Creates an order for a patient and returns its referrals. An order can take more than ten seconds.
   *
   * Never orders twice, unless the client option `resendAfter` is set. The client retries only when the first request
   * definitely failed; otherwise the client looks the order up. By default, the order has a key in its metadata, and
   * the lookup finds this key among the newest referrals. With your own `orderKey`, all calls with the key share one
   * order: the calls of this client, and of every process with the same `orderLedger`. If another call is placing the
   * order, `create` waits for that call within its own `timeout` and `lookupTimeout`.
   *
   * @param order - At least one of `tests`, `bundleId` and `medicareTests`. `bundleId` and `medicareTests` require
   * API version 1.1.0. Medicare card and provider numbers may contain spaces and hyphens. `metadata` may be nested 32
   * levels deep and 256 KiB long as JSON. The order is copied: later changes of the object are not sent.
   * @param options - `orderKey`: your own key. `since` and `lookupTimeout`, only with your own key: how far back and for
   * how long the order is looked up.
   * @returns One or two referrals, in one shape for all versions. `commercial` has `tests` and `bundleId`,
   * `medicare` has `medicareTests`. The promise itself has the `orderKey`: after an abort, look the order up with it.
   * @throws {@link InvalidRequestError} with all problems, before anything is sent. Also thrown with code
   * `ORDER_KEY_IN_USE`, before the order is sent: your own key belongs to an order with other contents. If the ledger
   * has no hash that can be compared, only other tests and another `referenceNumber` are detected.
   * @throws {@link ConfigurationError} when an option is invalid, before anything is sent.
   * @throws {@link ApiError} when the service rejects the order, usually {@link BadRequestError}.
   * @throws {@link OrderLedgerError} when `orderLedger` fails before the order is sent. Also thrown when it fails
   * before the order is sent again after a 401 or 429.
   * @throws {@link OrderOutcomeUnknownError} when the order may or may not have been placed. With `attempts: 0`, this
   * call sent nothing: an earlier call with your own key may have placed the order.
   * @throws {@link TimeoutError} when the time limit expires and this call placed no order. The outcome is `not-sent`,
   * or `refused` after a 401 or 429. The outcome is `unknown` if another call with the same key is still running and
   * may place the order.
   *
   * @example
   * ```ts
   * const { referrals, orderKey } = await client.referrals.create(order, { orderKey: 'booking-1001' })
   * ```
   */
  create(order: Order, options: OrderOptions = {}): ApiPromise<PlacedOrder> & { readonly orderKey: string } {
    const key = globalThis.crypto.randomUUID()
    const placing = new ApiPromise(this.#orders.place(order, options, key))
    return Object.assign(placing, { orderKey: options?.orderKey ?? key })
  }

  /**
   * Checks an order as `create` does, but does not place it. Use `validate` for a form whose order a job places later.
   * Only the service knows which practitioners are registered: `create` reports an unregistered practitioner.
   *
   * @param order - Data to check, such as the body of a request to your server.
   * @param options - `plausible: true` also rejects mistakes that the service accepts, such as a date of birth in the
   * future; `catalogue: true` also rejects unknown tests and bundles, and reads their lists from the service.
   * @returns The same object.
   * @throws {@link InvalidRequestError} with all problems, each with its field, except a problem of the entire order.
   * Data that is not JSON, and `metadata` that is too large, can hide other problems.
   * @throws {@link ConfigurationError} when an option is invalid.
   * @throws The errors of a call, with `catalogue: true`.
   *
   * @example
   * ```ts
   * await client.referrals.validate(order, { plausible: true })
   * ```
   */
  validate(order: unknown, options: ValidateOptions = {}): Promise<Order> {
    return this.#orders.validate(order, options)
  }

  /**
   * Looks up the order with a key. Never places an order. Use this method when the process that had the {@link
   * OrderOutcomeUnknownError} has ended.
   *
   * @param orderKey - Your own key, or the key in the error or in the `PlacedOrder`.
   * @param options - `since`: as for `create`.
   * @returns The order as the service shows it, with `recovered: true`. `undefined` when the service shows no order
   * with the key after `since`, by default in the last 24 hours. An order in progress can take more than ten seconds to
   * appear. One of its two referrals may appear first.
   * @throws {@link InvalidRequestError} for an invalid `orderKey`, {@link ConfigurationError} for an invalid option.
   * @throws {@link OrderOutcomeUnknownError} when the newest referrals cannot be read; `cause` has the reason.
   *
   * @example
   * ```ts
   * const placed = await client.referrals.findByOrderKey('booking-1001')
   * ```
   */
  findByOrderKey(
    orderKey: string,
    options: RequestOptions & Pick<OrderOptions, 'since'> = {},
  ): Promise<PlacedOrder | undefined> {
    return this.#orders.find(orderKey, options)
  }

  /**
   * Returns a referral in its present state.
   *
   * @throws {@link InvalidRequestError} when `uuid` is not a UUID, {@link NotFoundError} when the referral does
   * not exist.
   *
   * @example
   * ```ts
   * const { status, resultsUuid } = await client.referrals.retrieve(uuid)
   * ```
   */
  retrieve(uuid: string, options?: RequestOptions): ApiPromise<Referral> {
    return this.#api.call(rows.retrieve, { path: { uuid } }, options)
  }

  /**
   * Returns the organisation's referrals, oldest first, or newest first with `sort: 'desc'`; at most 20 a page.
   *
   * @param query - `since` and `until` select by time of creation: see {@link TimeRange}.
   *
   * @example
   * ```ts
   * for await (const referral of client.referrals.list({ sort: 'desc' })) {
   *   if (referral.status !== 'CREATED') break
   * }
   * ```
   */
  list(
    query: ListQuery & PaginationOptions & TimeRange = {},
    options?: RequestOptions,
  ): CursorIterator<Referral> {
    return listInRange(this.#api, rows.list, query, options)
  }

  /**
   * Changes a CREATED or ISSUED referral and returns it. The service creates the referral's PDF again, and the status
   * becomes SCHEDULED_REISSUE. Omitted fields keep their values. `metadata` is merged into the existing data;
   * `null` removes a key. `metadata` may be nested 32 levels deep and 256 KiB long as JSON.
   *
   * @throws {@link InvalidRequestError} with all problems, before anything is sent.
   * @throws {@link ApiError} with code `INVALID_STATUS` in any other status.
   * @throws {@link NotFoundError} when the referral does not exist.
   *
   * @example
   * ```ts
   * const { status } = await client.referrals.update(uuid, { email: 'alex@example.com' })
   * ```
   */
  update(uuid: string, patch: ReferralPatch, options?: RequestOptions): ApiPromise<Referral> {
    const input = () => {
      const body = new JsonBody(rows.update.id, patch)
      checkMetadata(rows.update.id, body.value)
      return { path: { uuid }, body }
    }
    const lookUp = reconciler((code) => code.reconcileUpdate(this.#api.inner))
    return this.#api.call(rows.update, input, options, lookUp)
  }

  /**
   * Deletes a referral and returns it. The service sets `deletedAt` and removes the PDF; the status does not change.
   *
   * @throws {@link InvalidRequestError} when `uuid` is not a UUID, {@link NotFoundError} when the referral does
   * not exist.
   *
   * @example
   * ```ts
   * const { deletedAt } = await client.referrals.delete(uuid)
   * ```
   */
  delete(uuid: string, options?: RequestOptions): ApiPromise<Referral> {
    const lookUp = reconciler((code) => code.reconcileDeletion(this.#api.inner))
    return this.#api.call(rows.delete, { path: { uuid } }, options, lookUp)
  }

  /**
   * Generates results for a referral. Available only in the staging environment.
   *
   * @param options - With `partial: true` the status becomes PARTIAL_RESULTS, otherwise COMPLETE.
   * @returns The referral with its `resultsUuid`.
   * @throws {@link NotFoundError} in production.
   *
   * @example
   * ```ts
   * const { resultsUuid } = await client.referrals.generateResults(uuid, { partial: true })
   * ```
   */
  generateResults(
    uuid: string,
    options: RequestOptions & { readonly partial?: boolean | undefined } = {},
  ): ApiPromise<Referral> {
    return this.#api.call(rows.generateResults, { path: { uuid } }, options)
  }

  /**
   * Returns the referrals with your reference, newest first. The service has no search: the client reads the list from
   * the newest referral back to `since`, or to the end of the list. White space around a reference is ignored.
   *
   * @param options - `since`: omits referrals that were created earlier; `prefetch` as in `list`.
   * @throws {@link InvalidRequestError} in the iteration, when `referenceNumber` is empty or only white space, or
   * `since` is not a time.
   * @throws {@link InvalidResponseError} with reason `incomplete-list` in the iteration, when the list may lack
   * records. This does not depend on `responseValidation`.
   *
   * @example
   * ```ts
   * const found = await client.referrals.findByReferenceNumber('order-1001').toArray()
   * ```
   */
  findByReferenceNumber(referenceNumber: string, options: FindOptions = {}): CursorIterator<Referral> {
    return this.#orders.findByReferenceNumber(referenceNumber, options)
  }

  /**
   * Waits until the referral reaches a listed status or the timeout expires. If ISSUED, PARTIAL_RESULTS or COMPLETE is
   * listed, a failed (BILLING_FAILED, FAILED_TEST) or deleted referral also ends the wait, with an error. A referral
   * with a listed status is returned, even if it failed or was deleted. On a server, prefer webhooks.
   *
   * @param options - `status`: one status or several; or `until`: a function that returns `true` to end the wait.
   * @returns The referral in that state.
   * @throws {@link InvalidRequestError} when `uuid` is not a UUID, a status is misspelt, or no condition is given.
   * @throws {@link ReferralFailedError} with the `status` of a referral that failed or was deleted.
   * @throws {@link TimeoutError} with the last status when `timeout` (in milliseconds) expires. A read that still fails
   * after its retries, or takes longer than the client's `timeout`, ends the wait with its own error.
   *
   * @example
   * ```ts
   * await client.referrals.waitFor(uuid, { status: ['ISSUED', 'BILLING_FAILED'], timeout: 60_000 })
   * ```
   */
  waitFor(uuid: string, options: WaitOptions): Promise<Referral> {
    return this.#api.composite('referrals.waitFor', async (api) => {
      const own = optionsCopy('referrals.waitFor', options === undefined ? {} : options, WAIT_OPTIONS)
      const { waitForReferral } = await loaded(import('./wait-for.js'))
      return waitForReferral(api, uuid, own)
    })
  }

  /**
   * Returns the referral's PDF for the patient. Reading or saving it starts the download.
   *
   * @param referral - UUID, or a referral that you have just read: its PDF needs no further request for the URL.
   * @param options - `signal` also ends the downloads; the other options apply to the request of the referral.
   * @throws {@link InvalidResponseError} with reason `no-document` while there is no PDF: wait for ISSUED.
   *
   * @example
   * ```ts
   * await client.referrals.document(uuid).saveTo(`${uuid}.pdf`)
   * ```
   */
  document(referral: string | Referral, options?: RequestOptions): DocumentPromise {
    return entityDocument(this.#api, 'referral', referral, options)
  }

  /**
   * Records in `orderLedger` that an order was placed, from a referral or a webhook event with its `orderKey`. Call
   * this method in the handler of `referral.created`. The ledger then has the outcome of an order whose response was
   * lost, and a repeated `create` returns the order. You may call this method any number of times.
   *
   * @param referralOrEvent - Referral, or an event about a referral. Each of the two referrals of an order is
   * recorded by its own event.
   * @returns `true` when the ledger has an entry of the order. `false` in these cases:
   * - The referral or event has no order key, or the ledger has no entry for the key, as for a generated key.
   * - The event has no UUID, or is not about a referral.
   * @throws {@link InvalidRequestError} for any other value, such as a result. Nothing is recorded.
   * @throws {@link OrderLedgerError} when the ledger fails: let your handler fail, so that the service sends the
   * event again.
   *
   * @example
   * ```ts
   * await client.referrals.recordOrder(await client.referrals.retrieve(uuid))
   * ```
   */
  recordOrder(referralOrEvent: Referral | ReferralEvent): Promise<boolean> {
    return this.#orders.record(referralOrEvent)
  }

  /**
   * Returns the order key in a referral, a result or a webhook event; `undefined` when the source has no key.
   *
   * @example
   * ```ts
   * const orderKey = client.referrals.orderKeyOf(await client.referrals.retrieve(uuid))
   * ```
   */
  orderKeyOf(source: unknown): string | undefined {
    return orderKeyOf(source)
  }
}
