import { isRecord } from '../../common/known-options.js'
import { endpoints } from '../../contract/endpoints.js'
import { normaliseProviderNumber } from '../../contract/identifiers.js'
import { fieldIssue } from '../../contract/issues.js'
import { isArrayBuffer, isBytes } from '../../contract/realms.js'
import { type SignatureInput, signatureText } from '../../contract/signature-image.js'
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
import { InvalidRequestError } from '../errors/errors.js'
import type { CursorIterator } from '../pagination/cursor-iterator.js'
import { listOf, type PaginationOptions } from '../pagination/list.js'
import { reconciler } from './lost-write.js'

const rows = endpoints.providers

/** Signature as PNG bytes, base64 text or a data URI. */
type WithSignature<T> = Omit<T, 'encodedSignature'> & {
  readonly encodedSignature?: SignatureInput | undefined
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
   * @param record - `encodedSignature`: PNG bytes, base64 or a data URI. The client checks that the signature is a PNG.
   * @throws {@link InvalidRequestError} when a field is invalid, before anything is sent. The code is
   * `INVALID_SIGNATURE` when the signature is not a PNG.
   * @throws {@link ApiError} with code `PROVIDER_NUMBER_IN_USE` when another organisation has the number.
   *
   * @example
   * ```ts
   * await client.providers.save({
   *   providerNumber: '2426621B',
   *   name: 'Dr Amelia Hartono',
   *   address: '120 Collins Street, Melbourne VIC 3000',
   * })
   * ```
   */
  save(record: WithSignature<ProviderSave>, options?: RequestOptions): ApiPromise<Provider> {
    return this.#api.call(rows.save, () => ({ body: providerToSend('providers.save', record) }), options)
  }

  /**
   * Returns the organisation's provider records, newest first, or oldest first with `sort: 'asc'`; at most 20 a page.
   *
   * @example
   * ```ts
   * const providers = await client.providers.list().toArray()
   * ```
   */
  list(query: ListQuery & PaginationOptions = {}, options?: RequestOptions): CursorIterator<Provider> {
    return listOf(this.#api, rows.list, query, options)
  }

  /**
   * Returns a provider record with its routing connections.
   *
   * @throws {@link ApiError} with code `PROVIDER_NOT_FOUND` when the organisation has no record with this number.
   *
   * @example
   * ```ts
   * const { connections } = await client.providers.retrieve('2426621B')
   * ```
   */
  retrieve(providerNumber: string, options?: RequestOptions): ApiPromise<Provider> {
    return this.#api.call(rows.retrieve, { path: path(providerNumber) }, options)
  }

  /**
   * Changes a record and returns it. Omitted fields keep their values, including the signature. The number
   * cannot change.
   *
   * @throws {@link InvalidRequestError} when a field is invalid, before anything is sent. The code is
   * `INVALID_SIGNATURE` when the signature is not a PNG.
   * @throws {@link ApiError} with code `PROVIDER_NOT_FOUND` when the organisation has no record with this number.
   *
   * @example
   * ```ts
   * await client.providers.update('2426621B', { phone: '03 9000 0000' })
   * ```
   */
  update(
    providerNumber: string,
    patch: WithSignature<ProviderUpdate>,
    options?: RequestOptions,
  ): ApiPromise<Provider> {
    const input = () => ({ path: path(providerNumber), body: providerToSend('providers.update', patch) })
    return this.#api.call(rows.update, input, options)
  }

  /**
   * Retires a record and clears its signature: the number cannot be used for orders any more.
   *
   * @throws {@link ConflictError} with code `PROVIDER_HAS_ACTIVE_ROUTING` while a laboratory routes results for the
   * record.
   * @throws {@link ApiError} with code `PROVIDER_NOT_FOUND` when the organisation has no record with this number.
   *
   * @example
   * ```ts
   * await client.providers.retire('2426621B')
   * ```
   */
  retire(providerNumber: string, options?: RequestOptions): ApiPromise<RetiredProvider> {
    const parameters = path(providerNumber)
    const data = { object: 'provider', ...parameters, deleted: true }
    const gone = reconciler((code) => code.reconcileRemoval('PROVIDER_NOT_FOUND', data))
    return this.#api.call(rows.retire, { path: parameters }, options, gone)
  }

  /**
   * Requests that laboratories send this provider's results to the organisation. The service does not contact the
   * laboratories at once: check the connections with `retrieve`. A second request renews the attestation and does not
   * remove connections.
   *
   * @param request - `vendorIds`: at least one id of `client.vendors.list()`. `attestation.attestedBy`: the person who
   * attests that the doctor has signed. `attestation.doctorSignedAt`: the time of the signature, a `Date` or ISO 8601.
   * @throws {@link InvalidRequestError} with all problems, before anything is sent.
   * @throws {@link ApiError} with code `PROVIDER_NOT_FOUND` when the organisation has no record with this number.
   * @throws {@link ApiError} with code `MISSING_SIGNATURE` when the record has no signature.
   *
   * @example
   * ```ts
   * const attestation = { attestedBy: 'Practice manager', doctorSignedAt: new Date() }
   * const request = { vendorIds: ['lowanna-pathology'], attestation }
   * const { connections } = await client.providers.requestRouting('2426621B', request)
   * ```
   */
  requestRouting(
    providerNumber: string,
    request: RoutingRequest,
    options?: RequestOptions,
  ): ApiPromise<Routing> {
    return this.#api.call(rows.requestRouting, { path: path(providerNumber), body: request }, options)
  }
}

function path(providerNumber: unknown): { readonly providerNumber: string } {
  return { providerNumber: typeof providerNumber === 'string' ? normaliseProviderNumber(providerNumber) : '' }
}

/** Copies a provider record as it is sent: the number in its normalised form, the signature as a data URI. */
function providerToSend(
  operation: string,
  record: { readonly encodedSignature?: SignatureInput | undefined; readonly providerNumber?: string },
): unknown {
  if (!isRecord(record)) return record
  const { encodedSignature, providerNumber } = record
  return {
    ...record,
    ...(typeof providerNumber === 'string' && { providerNumber: normaliseProviderNumber(providerNumber) }),
    ...(encodedSignature !== undefined && { encodedSignature: signature(operation, encodedSignature) }),
  }
}

function signature(operation: string, given: SignatureInput): string {
  if (typeof given === 'string' || isBytes(given) || isArrayBuffer(given)) return signatureText(given)
  const rule = 'must be PNG bytes (Uint8Array or ArrayBuffer), base64 or a data URI'
  const issue = fieldIssue(['encodedSignature'], rule, 'INVALID_SIGNATURE')
  throw new InvalidRequestError(operation, [issue], 'INVALID_SIGNATURE')
}
