import { endpoints } from '../../contract/endpoints.js'
import type { ListQuery, Result } from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import type { ApiPromise } from '../call/api-promise.js'
import type { RequestOptions } from '../call/request-options.js'
import type { DocumentPromise } from '../documents/document.js'
import { entityDocument } from '../documents/entity-document.js'
import type { CursorIterator } from '../pagination/cursor-iterator.js'
import { listOf, type PaginationOptions } from '../pagination/list.js'

const rows = endpoints.results

/** Laboratory results (§4.2). Reached as `client.results`. */
export class Results {
  readonly #api: ApiClient

  constructor(api: ApiClient) {
    this.#api = api
  }

  /**
   * One result with its biomarkers (§2.5, §4.2): always the whole current state, so that a stored copy can be
   * overwritten. ORDERED and INCOMING results alike.
   *
   * @throws {@link InvalidRequestError} when `uuid` is no UUID, {@link NotFoundError} when there is no such result.
   */
  retrieve(uuid: string, options: RequestOptions = {}): ApiPromise<Result> {
    return this.#api.call(rows.retrieve, { path: { uuid } }, options)
  }

  /** The organisation's results, oldest first, or newest first with `sort: 'desc'` (§4.2, §4.7); 20 a page at most. */
  list(query: ListQuery & PaginationOptions = {}, options: RequestOptions = {}): CursorIterator<Result> {
    return listOf(this.#api, rows.list, query, options)
  }

  /**
   * The result's PDF, ready to be read or saved; nothing is downloaded yet (§2.5).
   *
   * @param options - `signal` ends the downloads too; the rest is for reading the result.
   * @throws {@link InvalidResponseError} with reason `no-document` while there is none.
   */
  document(uuid: string, options: RequestOptions = {}): DocumentPromise {
    return entityDocument(this.#api, 'result', uuid, options)
  }
}
