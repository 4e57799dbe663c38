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

/** Tests that can be ordered (§4.3). Reached as `client.tests`. */
export class Tests {
  readonly #api: ApiClient

  constructor(api: ApiClient) {
    this.#api = api
  }

  /**
   * All tests, on one page (§2.7, §4.3). `price` is in dollars, `priceCents` in cents.
   *
   * @param query - `include: ['biomarkers']` adds each test's biomarkers.
   */
  list(query: TestListQuery & PaginationOptions = {}, options: RequestOptions = {}): CursorIterator<Test> {
    return listOf(this.#api, endpoints.tests.list, query, options)
  }
}

/** The biomarker catalogue (§4.3). Reached as `client.biomarkers`. */
export class Biomarkers {
  readonly #api: ApiClient

  constructor(api: ApiClient) {
    this.#api = api
  }

  /** All biomarkers, on one page (§2.8, §4.3). */
  list(query: PaginationOptions = {}, options: RequestOptions = {}): CursorIterator<CatalogueBiomarker> {
    return listOf(this.#api, endpoints.biomarkers.list, query, options)
  }
}

/** Bundles of tests (§4.3). Reached as `client.bundles`. */
export class Bundles {
  readonly #api: ApiClient

  constructor(api: ApiClient) {
    this.#api = api
  }

  /**
   * The organisation's bundles (§2.9, §4.3); 20 a page at most.
   *
   * @param query - `includeUnlisted: true` adds PRIVATE ones, which only a link leads to.
   */
  list(
    query: BundleListQuery & PaginationOptions = {},
    options: RequestOptions = {},
  ): CursorIterator<Bundle> {
    return listOf(this.#api, endpoints.bundles.list, query, options)
  }
}

/** The price calculator (§4.3). Reached as `client.prices`. */
export class Prices {
  readonly #api: ApiClient

  constructor(api: ApiClient) {
    this.#api = api
  }

  /**
   * What tests, a bundle, or both would cost (§2.13, §4.3). Nothing is ordered or recorded.
   *
   * @returns Amounts in whole cents.
   * @throws {@link BadRequestError} with code `INVALID_BUNDLE_ID` when the organisation has no such bundle.
   */
  calculate(request: PriceRequest, options: RequestOptions = {}): ApiPromise<Price> {
    return this.#api.call(endpoints.prices.calculate, { body: request }, options)
  }
}

/** Laboratory companies (§4.4). Reached as `client.vendors`. */
export class Vendors {
  readonly #api: ApiClient

  constructor(api: ApiClient) {
    this.#api = api
  }

  /** The laboratories that can be reached now (§2.10, §4.4). Read the ids here; they are not fixed. */
  list(query: PaginationOptions = {}, options: RequestOptions = {}): CursorIterator<Vendor> {
    return listOf(this.#api, endpoints.vendors.list, query, options)
  }
}
