import { endpoints } from '../../contract/endpoints.js'
import type { ListQuery, Order, Referral, ReferralPatch } from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import { type ApiPromise, promiseOf } from '../call/api-promise.js'
import type { RequestOptions } from '../call/request-options.js'
import { snapshot } from '../core/snapshot.js'
import type { DocumentPromise } from '../documents/document.js'
import { entityDocument } from '../documents/entity-document.js'
import { type FindOptions, findByReferenceNumber } from '../orders/find-referrals.js'
import { checkMetadata, orderKeyOf, type PlacedOrder } from '../orders/order.js'
import { OrderDesk } from '../orders/order-desk.js'
import {
  findOrder,
  type OrderOptions,
  type OrderParts,
  placeOrder,
  validateOrder,
} from '../orders/place-order.js'
import { OrderRecovery } from '../orders/recover-order.js'
import type { CursorIterator } from '../pagination/cursor-iterator.js'
import { listOf, type PaginationOptions } from '../pagination/list.js'
import { reconcileDeletion, reconcileUpdate } from './reconcilers.js'
import { type WaitOptions, waitForReferral } from './wait-for.js'

const rows = endpoints.referrals

/** Orders and their referrals (§4.1). Reached as `client.referrals`. */
export class Referrals {
  readonly #api: ApiClient
  readonly #orders: OrderParts

  constructor(api: ApiClient) {
    this.#api = api
    this.#orders = { desk: new OrderDesk(api.context), recovery: new OrderRecovery(api) }
  }

  /**
   * Orders tests for a patient (§4.1). It can take more than ten seconds.
   *
   * The service has no idempotency key, so the order is sent again only when it certainly was not carried out. It
   * carries a key in its metadata; when its answer is lost, the SDK looks for that key among the newest referrals
   * instead of ordering twice. With your own `orderKey`, a repeated `create` first looks whether the order was placed;
   * of calls of this client with the same key at the same time, one orders and the others get what it got, if it comes
   * within their own `timeout`.
   *
   * @param order - Who and what. At least one of `tests`, `bundleId` and `medicareTests`; the latter two need API
   *   version 1.1.0. Medicare card and provider numbers may hold the spaces people write. `metadata` may be nested 32 levels
   *   deep and take 256 KiB as JSON. The order is copied at the call: later changes of the object are not sent.
   * @param options - `orderKey`: your own key, or `false` for none; `since` and `lookupTimeout`, which need a key of your own:
   *   how far back, and how long, to look for an order with it.
   * @returns The order's one or two referrals, in one shape whatever the version. `commercial` holds `tests` and
   *   `bundleId`, `medicare` holds `medicareTests`.
   * @throws {@link InvalidRequestError} before anything is sent, with every problem; with the code `ORDER_KEY_IN_USE` when
   *   the key belongs to an order of other tests or another `referenceNumber`.
   * @throws {@link ConfigurationError} before anything is sent, when an option is wrong.
   * @throws {@link BadRequestError} when the service refuses the order.
   * @throws {@link OrderOutcomeUnknownError} when it may or may not have been placed.
   * @throws {@link TimeoutError} when the time was up before it was sent: with outcome `not-sent`, or `unknown` where another
   *   call with its key had not ended and may place it.
   */
  create(order: Order, options: OrderOptions = {}): ApiPromise<PlacedOrder> {
    const place = (api: ApiClient) => placeOrder(api, this.#orders, order, options).withResponse()
    return promiseOf(this.#api.composite(rows.create.id, place))
  }

  /**
   * Checks an order as `create` does before it sends, and sends nothing: for the form that it came from, when a job
   * places it later. What only the service knows, such as which tests there are, shows when it is placed.
   *
   * @param order - What may be an order, such as the body of a request to you.
   * @returns The same object.
   * @throws {@link InvalidRequestError} with every problem, each with its field.
   */
  validate(order: unknown, options: RequestOptions = {}): Promise<Order> {
    return validateOrder(this.#api, order, options)
  }

  /**
   * Looks for the order with a key, as `create` does before it sends, and never orders. For what became of an order when
   * the {@link OrderOutcomeUnknownError} and its `recover()` went with the process.
   *
   * @param orderKey - Your own key, or the one in the error or the `PlacedOrder`.
   * @param options - `since`: as for `create`.
   * @returns What the service shows of the order, with `recovered: true`. `undefined` when it shows nothing (yet): an
   *   order in progress shows only after ten seconds or more, and of two referrals one may show first (§4.1).
   */
  findByOrderKey(
    orderKey: string,
    options: RequestOptions & Pick<OrderOptions, 'since'> = {},
  ): Promise<PlacedOrder | undefined> {
    return this.#api.lookup('referrals.findByOrderKey', (api) =>
      findOrder(api, this.#orders.recovery, orderKey, options),
    )
  }

  /**
   * One referral, in its current state (§2.4, §4.1).
   *
   * @throws {@link InvalidRequestError} when `uuid` is no UUID, {@link NotFoundError} when there is no such referral.
   */
  retrieve(uuid: string, options: RequestOptions = {}): ApiPromise<Referral> {
    return this.#api.call(rows.retrieve, { path: { uuid } }, options)
  }

  /**
   * The organisation's referrals, oldest first, or newest first with `sort: 'desc'` (§4.1, §4.7). The service gives at
   * most 20 a page.
   */
  list(query: ListQuery & PaginationOptions = {}, options: RequestOptions = {}): CursorIterator<Referral> {
    return listOf(this.#api, rows.list, query, options)
  }

  /**
   * Changes a CREATED or ISSUED referral and has its PDF made anew; the status goes to SCHEDULED_REISSUE (§3.1, §4.1).
   * What is left out stays. `metadata` is merged into what is there; a key set to `null` is removed. It may be nested 32
   * levels deep and take 256 KiB as JSON.
   *
   * @throws {@link BadRequestError} with code `INVALID_STATUS` in any other status.
   */
  update(uuid: string, patch: ReferralPatch, options: RequestOptions = {}): ApiPromise<Referral> {
    const input = () => {
      const body = snapshot(rows.update.id, patch)
      checkMetadata(rows.update.id, body)
      return { path: { uuid }, body }
    }
    return this.#api.call(rows.update, input, options, reconcileUpdate(this.#api.inner))
  }

  /** Deletes a referral softly: `deletedAt` is set, its PDF is gone, its status stays (§3.1, §4.1). */
  delete(uuid: string, options: RequestOptions = {}): ApiPromise<Referral> {
    return this.#api.call(rows.delete, { path: { uuid } }, options, reconcileDeletion(this.#api.inner))
  }

  /**
   * Makes up results for a referral, in the staging environment only (§3.1, §4.1).
   *
   * @param options - `partial: true` for a part of the results; the status then is PARTIAL_RESULTS, else COMPLETE.
   * @returns The referral with its `resultsUuid`.
   * @throws {@link NotFoundError} in production.
   */
  generateResults(
    uuid: string,
    options: RequestOptions & { readonly partial?: boolean | undefined } = {},
  ): ApiPromise<Referral> {
    return this.#api.call(rows.generateResults, { path: { uuid } }, options)
  }

  /**
   * The referrals ordered under your reference, newest first. The service cannot search: the list is read from its
   * newest referral back to `since`, or whole. White space at the ends of a reference tells nothing.
   *
   * @param options - `since`: leave out what was created before; `prefetch` as in `list`.
   */
  findByReferenceNumber(referenceNumber: string, options: FindOptions = {}): CursorIterator<Referral> {
    return findByReferenceNumber(this.#api, referenceNumber, options)
  }

  /**
   * Reads a referral again and again until it has a status or is otherwise as wished. In a server prefer webhooks.
   *
   * It knows no end but yours: where things can turn out otherwise, name every status that ends them
   * (`['ISSUED', 'BILLING_FAILED']`), or give `until`. The error tells the status seen last.
   *
   * @returns The referral as it then is.
   * @throws {@link TimeoutError} when that does not happen within `timeout` milliseconds. A look that fails, its retries
   *   included, ends the wait with its own error; so does one that takes longer than the client's `timeout`.
   */
  waitFor(uuid: string, options: WaitOptions): Promise<Referral> {
    return this.#api.composite('referrals.waitFor', (api) => waitForReferral(api, uuid, options))
  }

  /**
   * The referral's PDF for the patient, ready to be read or saved; nothing is downloaded yet (§2.4).
   *
   * @param options - `signal` ends the downloads too; the rest is for reading the referral.
   * @throws {@link InvalidResponseError} with reason `no-document` while there is none: wait for ISSUED.
   */
  document(uuid: string, options: RequestOptions = {}): DocumentPromise {
    return entityDocument(this.#api, 'referral', uuid, options)
  }

  /** The key that `create` put into an order, from a referral, a result or a webhook event. */
  orderKeyOf(source: unknown): string | undefined {
    return orderKeyOf(source)
  }
}
