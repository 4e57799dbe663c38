import { endpoints } from '../../contract/endpoints.js'
import { normaliseProviderNumber } from '../../contract/identifiers.js'
import type { SignatureInput } from '../../contract/signature-image.js'
import type {
  ListQuery,
  Provider,
  ProviderSave,
  ProviderUpdate,
  RetiredProvider,
  Routing,
  RoutingRequest,
} from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import type { ApiPromise } from '../call/api-promise.js'
import type { RequestOptions } from '../call/request-options.js'
import type { CursorIterator } from '../pagination/cursor-iterator.js'
import { listOf, type PaginationOptions } from '../pagination/list.js'
import { providerToSend, routingToSend } from './provider-input.js'
import { reconcileRemoval } from './reconcilers.js'

const rows = endpoints.providers

/** Signature as PNG bytes, base64 text or a data URI. */
type WithSignature<T> = Omit<T, 'encodedSignature'> & {
  readonly encodedSignature?: SignatureInput | undefined
}

/** Routing request; the time may be a `Date`. */
export type RoutingInput = Omit<RoutingRequest, 'attestation'> & {
  /** Confirmation that the doctor signed, and by whom. */
  readonly attestation: Omit<RoutingRequest['attestation'], 'doctorSignedAt'> & {
    /** Time of the doctor's signature. */
    readonly doctorSignedAt: Date | string
  }
}

/** Medicare provider records and the routing of their results, as `client.providers`. */
export class Providers {
  readonly #api: ApiClient

  constructor(api: ApiClient) {
    this.#api = api
  }

  /**
   * Creates a provider record, or updates the record with this number.
   *
   * @param record - `encodedSignature`: PNG bytes, base64 or a data URI. The client checks that it is a PNG.
   * @throws {@link ConflictError} or {@link BadRequestError} with code `PROVIDER_NUMBER_IN_USE` when another
   * organisation has the number.
   */
  save(record: WithSignature<ProviderSave>, options: RequestOptions = {}): ApiPromise<Provider> {
    return this.#api.call(rows.save, () => ({ body: providerToSend('providers.save', record) }), options)
  }

  /** Returns the organisation's provider records, newest first, at most 20 a page. */
  list(query: ListQuery & PaginationOptions = {}, options: RequestOptions = {}): CursorIterator<Provider> {
    return listOf(this.#api, rows.list, query, options)
  }

  /**
   * Returns a provider record with its routing connections. @throws {@link NotFoundError} when there is none.
   */
  retrieve(providerNumber: string, options: RequestOptions = {}): ApiPromise<Provider> {
    return this.#api.call(rows.retrieve, { path: path(providerNumber) }, options)
  }

  /**
   * Changes a record and returns it. Omitted fields keep their values, including the signature. The number
   * cannot change.
   */
  update(
    providerNumber: string,
    patch: WithSignature<ProviderUpdate>,
    options: RequestOptions = {},
  ): ApiPromise<Provider> {
    const input = () => ({ path: path(providerNumber), body: providerToSend('providers.update', patch) })
    return this.#api.call(rows.update, input, options)
  }

  /**
   * Retires a record and clears its signature: the number cannot be used for orders any more.
   *
   * @throws {@link ConflictError} with code `PROVIDER_HAS_ACTIVE_ROUTING` while a laboratory routes its
   * results.
   */
  retire(providerNumber: string, options: RequestOptions = {}): ApiPromise<RetiredProvider> {
    const gone = reconcileRemoval({ object: 'provider', providerNumber, deleted: true })
    return this.#api.call(rows.retire, { path: path(providerNumber) }, options, gone)
  }

  /**
   * Asks laboratories to send this provider's results to the organisation. The laboratories are not asked at
   * once: follow the connections with `retrieve`. A second request renews the attestation and removes nothing.
   */
  requestRouting(
    providerNumber: string,
    request: RoutingInput,
    options: RequestOptions = {},
  ): ApiPromise<Routing> {
    const input = () => ({ path: path(providerNumber), body: routingToSend(rows.requestRouting.id, request) })
    return this.#api.call(rows.requestRouting, input, options)
  }
}

function path(providerNumber: unknown): { readonly providerNumber: string } {
  return { providerNumber: typeof providerNumber === 'string' ? normaliseProviderNumber(providerNumber) : '' }
}
