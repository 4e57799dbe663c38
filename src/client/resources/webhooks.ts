import { isPrivateHost } from '../../common/private-addresses.js'
import { endpoints } from '../../contract/endpoints.js'
import type { EventName } from '../../contract/events.js'
import { fieldIssue } from '../../contract/issues.js'
import { fieldOf } from '../../contract/read.js'
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
import { JsonBody } from '../core/caller-input.js'
import { InvalidRequestError } from '../errors/errors.js'
import type { CursorIterator } from '../pagination/cursor-iterator.js'
import { listOf, type PaginationOptions } from '../pagination/list.js'
import { isLoopback, type ServiceUrl } from '../transport/addresses.js'
import { reconciler } from './lost-write.js'

const rows = endpoints.webhooks

/** Webhook subscriptions, as `client.webhooks`. To receive deliveries, see `pathology-sdk/webhooks`. */
export class Webhooks {
  readonly #api: ApiClient

  constructor(api: ApiClient) {
    this.#api = api
  }

  /**
   * Subscribes a URL to events. The service informs the organisation's owners and webhook managers by email.
   *
   * @param webhook - `url`: public https URL without credentials; `events`: at least one; `active`: default
   * `true`.
   * @returns The webhook with its ID, and its URL as the service stores it.
   * @throws {@link InvalidRequestError} with code `INVALID_WEBHOOK_URL` when the URL is not https, has credentials or
   * names a private host. Nothing is sent.
   * @throws {@link BadRequestError} when the service rejects the URL, or does not know the name of an event.
   * @throws {@link ConflictError} when another webhook already sends one of the events to that URL.
   *
   * @example
   * ```ts
   * const { id } = await client.webhooks.create({
   *   url: 'https://hooks.example.com/pathology',
   *   events: ['referral.issued', 'result.complete'],
   * })
   * ```
   */
  create(webhook: WebhookCreate, options?: RequestOptions): ApiPromise<Webhook> {
    const input = (): CallInput => this.#checked(rows.create.id, webhook)
    const lookUp = reconciler((code) => code.reconcileSubscription(this.#api.inner))
    return this.#api.call(rows.create, input, options, lookUp)
  }

  /**
   * Returns one webhook.
   *
   * @throws {@link NotFoundError} when the organisation has no webhook with this ID.
   *
   * @example
   * ```ts
   * const { url, active } = await client.webhooks.retrieve(id)
   * ```
   */
  retrieve(id: string, options?: RequestOptions): ApiPromise<Webhook> {
    return this.#api.call(rows.retrieve, { path: { id } }, options)
  }

  /**
   * Returns the organisation's webhooks, including those created in the portal: newest first, or oldest first with
   * `sort: 'asc'`; at most 20 a page.
   *
   * @example
   * ```ts
   * const webhooks = await client.webhooks.list().toArray()
   * ```
   */
  list(query: ListQuery & PaginationOptions = {}, options?: RequestOptions): CursorIterator<Webhook> {
    return listOf(this.#api, rows.list, query, options)
  }

  /**
   * Changes at least one of `url`, `events` (the complete list) and `active`, and returns the webhook. The service
   * informs the owners and webhook managers by email of a new URL, but not of other changes.
   *
   * @throws {@link InvalidRequestError} with code `INVALID_WEBHOOK_URL` when the URL is not https, has credentials or
   * names a private host. Nothing is sent.
   * @throws {@link BadRequestError} when the service rejects the URL, or does not know the name of an event.
   * @throws {@link NotFoundError} when the organisation has no webhook with this ID.
   * @throws {@link ConflictError} when another webhook already sends one of the events to that URL.
   *
   * @example
   * ```ts
   * await client.webhooks.update(id, { active: false })
   * ```
   */
  update(id: string, patch: WebhookUpdate, options?: RequestOptions): ApiPromise<Webhook> {
    const input = (): CallInput => ({ path: { id }, ...this.#checked(rows.update.id, patch) })
    return this.#api.call(rows.update, input, options)
  }

  /**
   * Deletes a subscription. Queued deliveries still arrive. The service informs the organisation's owners and webhook
   * managers by email.
   *
   * @throws {@link NotFoundError} when the organisation has no webhook with this ID.
   *
   * @example
   * ```ts
   * await client.webhooks.delete(id)
   * ```
   */
  delete(id: string, options?: RequestOptions): ApiPromise<DeletedWebhook> {
    const data = { object: 'webhook', id, deleted: true }
    const gone = reconciler((code) => code.reconcileRemoval('WEBHOOK_NOT_FOUND', data))
    return this.#api.call(rows.delete, { path: { id } }, options, gone)
  }

  /**
   * Returns the names of the events that can be subscribed to. New names may be added.
   *
   * @example
   * ```ts
   * const names = await client.webhooks.eventNames()
   * ```
   */
  eventNames(options?: RequestOptions): ApiPromise<EventName[]> {
    return this.#api.call(rows.eventNames, {}, options).map(({ events }) => events)
  }

  #checked(operation: string, given: WebhookCreate | WebhookUpdate): CallInput {
    const body = new JsonBody(operation, given)
    checkUrl(operation, body.value, this.#api.context.options.base)
    return { body }
  }
}

/**
 * Rejects a webhook URL that the service would certainly reject. If the base URL is a loopback address, the service is
 * a fake, which accepts loopback addresses.
 */
function checkUrl(operation: string, webhook: unknown, base: ServiceUrl): void {
  const url = fieldOf(webhook, 'url')
  if (typeof url !== 'string' || url.trim() === '') return
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed !== undefined && base.loopback && isLoopback(parsed.hostname)) return
  const plain = parsed?.username === '' && parsed.password === ''
  if (parsed?.protocol === 'https:' && plain && !isPrivateHost(parsed.hostname)) return
  const code = 'INVALID_WEBHOOK_URL'
  const issue = fieldIssue(['url'], 'must be a public https URL without credentials', code)
  throw new InvalidRequestError(operation, [issue], code)
}
