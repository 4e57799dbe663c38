import { endpoints } from '../../contract/endpoints.js'
import type {
  Bundle,
  BundleListQuery,
  CatalogueBiomarker,
  Price,
  PriceRequest,
  Test,
  TestListQuery,
  Vendor,
} from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import type { ApiPromise } from '../call/api-promise.js'
import type { RequestOptions } from '../call/request-options.js'
import type { CursorIterator } from '../pagination/cursor-iterator.js'
import { listOf, type PaginationOptions } from '../pagination/list.js'

/** Tests that can be ordered, as `client.tests`. */
export class Tests {
  readonly #api: ApiClient

  constructor(api: ApiClient) {
    this.#api = api
  }

  /**
   * Returns all tests, on one page. `price` is in dollars, `priceCents` in cents.
   *
   * @param query - `include: ['biomarkers']` adds each test's biomarkers.
   *
   * @example
   * ```ts
   * const tests = await client.tests.list().toArray()
   * ```
   */
  list(query: TestListQuery & PaginationOptions = {}, options?: RequestOptions): CursorIterator<Test> {
    return listOf(this.#api, endpoints.tests.list, query, options)
  }
}

/** Catalogue of biomarkers, as `client.biomarkers`. */
export class Biomarkers {
  readonly #api: ApiClient

  constructor(api: ApiClient) {
    this.#api = api
  }

  /**
   * Returns all biomarkers, on one page.
   *
   * @example
   * ```ts
   * const biomarkers = await client.biomarkers.list().toArray()
   * ```
   */
  list(query: PaginationOptions = {}, options?: RequestOptions): CursorIterator<CatalogueBiomarker> {
    return listOf(this.#api, endpoints.biomarkers.list, query, options)
  }
}

/** Bundles of tests, as `client.bundles`. */
export class Bundles {
  readonly #api: ApiClient

  constructor(api: ApiClient) {
    this.#api = api
  }

  /**
   * Returns the organisation's public bundles, at most 20 a page.
   *
   * @param query - `includeUnlisted: true` adds PRIVATE bundles, which are available only by link.
   *
   * @example
   * ```ts
   * const bundles = await client.bundles.list().toArray()
   * ```
   */
  list(query: BundleListQuery & PaginationOptions = {}, options?: RequestOptions): CursorIterator<Bundle> {
    return listOf(this.#api, endpoints.bundles.list, query, options)
  }
}

/** Price calculator, as `client.prices`. */
export class Prices {
  readonly #api: ApiClient

  constructor(api: ApiClient) {
    this.#api = api
  }

  /**
   * Calculates the price of tests, of a bundle, or of both. Does not place or record an order.
   *
   * @returns Amounts in cents, as integers.
   * @throws {@link InvalidRequestError} with all problems, before anything is sent.
   * @throws {@link ApiError} with code `INVALID_BUNDLE_ID` when the organisation does not have the bundle.
   *
   * @example
   * ```ts
   * const { grandTotalIncTax } = await client.prices.calculate({ tests: ['full-blood-count'] }) // cents
   * ```
   */
  calculate(request: PriceRequest, options?: RequestOptions): ApiPromise<Price> {
    return this.#api.call(endpoints.prices.calculate, { body: request }, options)
  }
}

/** Laboratory companies, as `client.vendors`. */
export class Vendors {
  readonly #api: ApiClient

  constructor(api: ApiClient) {
    this.#api = api
  }

  /**
   * Returns the laboratories that are available now. Their IDs may change: read them here.
   *
   * @example
   * ```ts
   * const vendors = await client.vendors.list().toArray()
   * ```
   */
  list(query: PaginationOptions = {}, options?: RequestOptions): CursorIterator<Vendor> {
    return listOf(this.#api, endpoints.vendors.list, query, options)
  }
}
