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

/** A signature: PNG bytes, their base64 text, or a data URI of it. */
type WithSignature<T> = Omit<T, 'encodedSignature'> & {
  readonly encodedSignature?: SignatureInput | undefined
}

/** A routing request; the time may be a `Date`. */
export type RoutingInput = Omit<RoutingRequest, 'attestation'> & {
  /** That the doctor signed, and who says so. */
  readonly attestation: Omit<RoutingRequest['attestation'], 'doctorSignedAt'> & {
    /** When the doctor signed. */
    readonly doctorSignedAt: Date | string
  }
}

/** Medicare provider records and the routing of their results (§4.4). Reached as `client.providers`. */
export class Providers {
  readonly #api: ApiClient

  constructor(api: ApiClient) {
    this.#api = api
  }

  /**
   * Creates a provider record, or updates the one with that number (§2.10, §4.4).
   *
   * @param record - `encodedSignature`: PNG bytes, base64 or a data URI; it is checked to be a PNG before it is sent.
   * @throws {@link ConflictError} or {@link BadRequestError} with code `PROVIDER_NUMBER_IN_USE` when another
   *   organisation holds the number.
   */
  save(record: WithSignature<ProviderSave>, options: RequestOptions = {}): ApiPromise<Provider> {
    return this.#api.call(rows.save, () => ({ body: providerToSend('providers.save', record) }), options)
  }

  /** The organisation's provider records, newest first (§4.4); 20 a page at most. */
  list(query: ListQuery & PaginationOptions = {}, options: RequestOptions = {}): CursorIterator<Provider> {
    return listOf(this.#api, rows.list, query, options)
  }

  /** One provider record with its routing connections (§4.4). @throws {@link NotFoundError} when there is none. */
  retrieve(providerNumber: string, options: RequestOptions = {}): ApiPromise<Provider> {
    return this.#api.call(rows.retrieve, { path: path(providerNumber) }, options)
  }

  /** Changes a record; what is left out stays, the signature too. The number cannot change (§4.4). */
  update(
    providerNumber: string,
    patch: WithSignature<ProviderUpdate>,
    options: RequestOptions = {},
  ): ApiPromise<Provider> {
    const input = () => ({ path: path(providerNumber), body: providerToSend('providers.update', patch) })
    return this.#api.call(rows.update, input, options)
  }

  /**
   * Retires a record and clears its signature: the number can order no more (§4.4).
   *
   * @throws {@link ConflictError} with code `PROVIDER_HAS_ACTIVE_ROUTING` while a laboratory routes its results.
   */
  retire(providerNumber: string, options: RequestOptions = {}): ApiPromise<RetiredProvider> {
    const gone = reconcileRemoval({ object: 'provider', providerNumber, deleted: true })
    return this.#api.call(rows.retire, { path: path(providerNumber) }, options, gone)
  }

  /**
   * Asks laboratories to send this provider's results to the organisation (§3.3, §4.4). Nothing is sent to them at
   * once; follow the connections with `retrieve`. Asking again renews the attestation and takes nothing back.
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
