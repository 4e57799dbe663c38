import { endpoints } from '../../contract/endpoints.js'
import type { ListQuery, Result } from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import type { ApiPromise } from '../call/api-promise.js'
import type { RequestOptions } from '../call/request-options.js'
import { type DocumentPromise, entityDocument } from '../documents/document-promise.js'
import type { CursorIterator } from '../pagination/cursor-iterator.js'
import { listInRange, type PaginationOptions, type TimeRange } from '../pagination/list.js'

const rows = endpoints.results

/** Laboratory results, as `client.results`. */
export class Results {
  readonly #api: ApiClient

  constructor(api: ApiClient) {
    this.#api = api
  }

  /**
   * Returns an ORDERED or INCOMING result with its biomarkers. The response is always the complete present state:
   * overwrite your copy with the response.
   *
   * @throws {@link InvalidRequestError} when `uuid` is not a UUID, {@link NotFoundError} when the result does
   * not exist.
   *
   * @example
   * ```ts
   * const { status, biomarkers } = await client.results.retrieve(uuid)
   * ```
   */
  retrieve(uuid: string, options?: RequestOptions): ApiPromise<Result> {
    return this.#api.call(rows.retrieve, { path: { uuid } }, options)
  }

  /**
   * Returns the organisation's results, at most 20 a page: oldest first with `sort: 'asc'`, newest first with
   * `sort: 'desc'`. The service does not document the default order.
   *
   * @param query - `since` and `until` select by time of creation: see {@link TimeRange}.
   *
   * @example
   * ```ts
   * const { items } = await client.results.list({ sort: 'desc' }).firstPage()
   * ```
   */
  list(
    query: ListQuery & PaginationOptions & TimeRange = {},
    options?: RequestOptions,
  ): CursorIterator<Result> {
    return listInRange(this.#api, rows.list, query, options)
  }

  /**
   * Returns the result's PDF. Reading or saving it starts the download.
   *
   * @param result - UUID, or a result that you have just read: its PDF needs no further request for the URL.
   * @param options - `signal` also ends the downloads; the other options apply to the request of the result.
   * @throws {@link InvalidResponseError} with reason `no-document` while there is no PDF.
   *
   * @example
   * ```ts
   * const bytes = await client.results.document(uuid).bytes()
   * ```
   */
  document(result: string | Result, options?: RequestOptions): DocumentPromise {
    return entityDocument(this.#api, 'result', result, options)
  }
}
