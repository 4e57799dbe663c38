import { endpoints } from '../../contract/endpoints.js'
import type { EventName } from '../../contract/events.js'
import type {
  DeletedWebhook,
  ListQuery,
  Webhook,
  WebhookCreate,
  WebhookUpdate,
} from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import type { ApiPromise } from '../call/api-promise.js'
import type { CallInput } from '../call/request.js'
import type { RequestOptions } from '../call/request-options.js'
import { snapshot } from '../core/snapshot.js'
import type { CursorIterator } from '../pagination/cursor-iterator.js'
import { listOf, type PaginationOptions } from '../pagination/list.js'
import { reconcileRemoval, reconcileSubscription } from './reconcilers.js'
import { checkWebhookUrl } from './webhook-input.js'

const rows = endpoints.webhooks

/** Webhook subscriptions (§4.6). Reached as `client.webhooks`. To receive deliveries see `pathology-sdk/webhooks`. */
export class Webhooks {
  readonly #api: ApiClient

  constructor(api: ApiClient) {
    this.#api = api
  }

  /**
   * Subscribes a URL to events (§4.6). The organisation's owners are told by e-mail.
   *
   * @param webhook - `url`: public https without credentials; `events`: not empty; `active`: default `true`.
   * @returns The webhook with its id and its URL as the service stored it.
   * @throws {@link ConflictError} when another webhook already sends one of the events to that URL.
   */
  create(webhook: WebhookCreate, options: RequestOptions = {}): ApiPromise<Webhook> {
    const input = (): CallInput => this.#checked(rows.create.id, webhook)
    return this.#api.call(rows.create, input, options, reconcileSubscription(this.#api.inner))
  }

  /** One webhook (§4.6). @throws {@link NotFoundError} when the organisation has none with that id. */
  retrieve(id: string, options: RequestOptions = {}): ApiPromise<Webhook> {
    return this.#api.call(rows.retrieve, { path: { id } }, options)
  }

  /** The organisation's webhooks, newest first, those made in the portal included (§4.6). */
  list(query: ListQuery & PaginationOptions = {}, options: RequestOptions = {}): CursorIterator<Webhook> {
    return listOf(this.#api, rows.list, query, options)
  }

  /**
   * Changes a webhook: at least one of `url`, `events` (replaces the whole list) and `active` (§4.6). Pausing and
   * changing events sends no e-mail; another URL does.
   */
  update(id: string, patch: WebhookUpdate, options: RequestOptions = {}): ApiPromise<Webhook> {
    const input = (): CallInput => ({ path: { id }, ...this.#checked(rows.update.id, patch) })
    return this.#api.call(rows.update, input, options)
  }

  /** Ends a subscription; deliveries already queued still come (§3.5, §4.6). */
  delete(id: string, options: RequestOptions = {}): ApiPromise<DeletedWebhook> {
    return this.#api.call(
      rows.delete,
      { path: { id } },
      options,
      reconcileRemoval({ object: 'webhook', id, deleted: true }),
    )
  }

  /** The names of the events one can subscribe to; the list grows (§4.6, §6). */
  eventNames(options: RequestOptions = {}): ApiPromise<EventName[]> {
    return this.#api.call(rows.eventNames, {}, options).map(({ events }) => events)
  }

  #checked(operation: string, given: WebhookCreate | WebhookUpdate): CallInput {
    const webhook = snapshot(operation, given)
    checkWebhookUrl(operation, webhook, this.#api.context.options.base)
    return { body: webhook }
  }
}
