import type { endpoints } from '../../src/contract/endpoints.js'
import type { KnownErrorCode } from '../../src/contract/error-codes.js'
import type { KnownEventName } from '../../src/contract/events.js'
import type { JsonObject } from './json.js'

type Rows = typeof endpoints
type IdsOf<Group> = {
  [Name in keyof Group]: Group[Name] extends { readonly id: infer Id } ? Id : never
}[keyof Group]
export type EndpointId = { [Name in keyof Rows]: IdsOf<Rows[Name]> }[keyof Rows]

/** Parts of an operation that the endpoint row does not contain. */
export interface OperationNotes {
  readonly summary: string
  readonly description?: string
  /** Codes of this operation, next to those of invalid parameters, bodies and tokens. */
  readonly errors?: readonly KnownErrorCode[]
  /** Query parameters without a schema in the row. */
  readonly parameters?: readonly JsonObject[]
}

/** One entry for each endpoint, by its id. */
export const OPERATIONS: Readonly<Record<EndpointId, OperationNotes>> = {
  'referrals.create': {
    summary: 'Order tests for a patient',
    description:
      'An order can take more than ten seconds, and has no idempotency key: look the order up before you send it again. With `medicareTests` the response is a list: a Medicare referral, and a commercial referral if the order also has `tests` or a `bundleId`.',
    errors: [
      ...(['INVALID_MEDICARE_NUMBER', 'MISSING_PROVIDER_NUMBER', 'INVALID_PROVIDER_NUMBER'] as const),
      ...(['MISSING_PROVIDER_SIGNATURE', 'INVALID_BUNDLE_ID', 'INVALID_MEDICARE_TEST'] as const),
    ],
  },
  'referrals.list': { summary: 'List referrals' },
  'referrals.retrieve': { summary: 'Read a referral', errors: ['REFERRAL_NOT_FOUND'] },
  'referrals.update': {
    summary: 'Change a referral',
    description:
      'Only a CREATED or ISSUED referral can be changed. Omitted fields stay; `metadata` is merged, and a key set to null is removed. The service creates a new PDF: the status becomes SCHEDULED_REISSUE.',
    errors: ['REFERRAL_NOT_FOUND', 'INVALID_STATUS'],
  },
  'referrals.delete': {
    summary: 'Delete a referral',
    description: 'Sets `deletedAt` and removes the PDF. The referral can still be read.',
    errors: ['REFERRAL_NOT_FOUND'],
  },
  'referrals.generateResults': {
    summary: 'Generate results for a referral',
    description: 'Only in staging: production returns 404.',
    errors: ['REFERRAL_NOT_FOUND', 'INVALID_STATUS'],
    parameters: [
      {
        name: 'partial',
        in: 'query',
        description: 'If present, with any value, only some of the results are generated.',
        allowEmptyValue: true,
        schema: { type: 'string' },
      },
    ],
  },
  'results.retrieve': {
    summary: 'Read a result',
    description: 'Returns the complete current state: overwrite your copy with it.',
    errors: ['RESULT_NOT_FOUND'],
  },
  'results.list': { summary: 'List results' },
  'tests.list': { summary: 'List the tests that can be ordered' },
  'biomarkers.list': { summary: 'List the biomarker catalogue' },
  'bundles.list': { summary: 'List bundles of tests' },
  'prices.calculate': {
    summary: 'Calculate a price',
    description: 'Calculates the price of tests, a bundle, or both. Does not place an order.',
    errors: ['INVALID_BUNDLE_ID'],
  },
  'providers.save': {
    summary: 'Create or update a provider',
    errors: [
      ...(['INVALID_PROVIDER_NUMBER', 'PROVIDER_NUMBER_IN_USE'] as const),
      ...(['INVALID_SIGNATURE', 'INVALID_PROVIDER_DETAILS'] as const),
    ],
  },
  'providers.list': { summary: 'List providers' },
  'providers.retrieve': {
    summary: 'Read a provider with its routing connections',
    errors: ['PROVIDER_NOT_FOUND'],
  },
  'providers.update': {
    summary: 'Change a provider',
    description:
      'Omitted fields keep their values. The provider number cannot change: retire the record and create another.',
    errors: ['PROVIDER_NOT_FOUND', 'INVALID_SIGNATURE', 'INVALID_PROVIDER_DETAILS'],
  },
  'providers.retire': {
    summary: 'Retire a provider',
    description: 'The signature is cleared, and the number can no longer be used for orders.',
    errors: ['PROVIDER_HAS_ACTIVE_ROUTING', 'PROVIDER_NOT_FOUND'],
  },
  'providers.requestRouting': {
    summary: "Ask laboratories to route a provider's results",
    description:
      'Records the attestation and creates a NOT_SUBMITTED connection for each laboratory. A repeated request renews the attestation and does not reset a connection.',
    errors: [
      ...(['PROVIDER_NOT_FOUND', 'MISSING_SIGNATURE', 'NO_VENDORS_SELECTED'] as const),
      ...(['UNKNOWN_VENDOR', 'MISSING_ATTESTATION'] as const),
    ],
  },
  'vendors.list': { summary: 'List the laboratories that are available' },
  'centres.list': {
    summary: 'Search collection centres',
    description:
      'A centre must match one value of every given filter. With `lat` and `lng`, which need each other, the nearest centre is first, and `radiusKm` limits the distance; without them, centres are sorted by name. A box needs all of `north`, `south`, `east` and `west`. RETIRED centres are listed only with `changedSince` or `uuids`, and those without usable coordinates only with `uuids`.',
  },
  'centres.retrieve': {
    summary: 'Read a collection centre of any status',
    errors: ['COLLECTION_CENTRE_NOT_FOUND'],
  },
  'webhooks.create': {
    summary: 'Subscribe to events',
    errors: ['INVALID_WEBHOOK_URL', 'INVALID_WEBHOOK_EVENTS', 'DUPLICATE_WEBHOOK_SUBSCRIPTION'],
  },
  'webhooks.list': { summary: 'List webhooks' },
  'webhooks.eventNames': { summary: 'List the events that can be subscribed to' },
  'webhooks.retrieve': { summary: 'Read a webhook', errors: ['WEBHOOK_NOT_FOUND'] },
  'webhooks.update': {
    summary: 'Change, pause or resume a webhook',
    errors: [
      ...(['WEBHOOK_NOT_FOUND', 'INVALID_WEBHOOK_URL', 'INVALID_WEBHOOK_EVENTS'] as const),
      'DUPLICATE_WEBHOOK_SUBSCRIPTION',
    ],
  },
  'webhooks.delete': {
    summary: 'Delete a webhook',
    description: 'New events are not sent. Deliveries that are already queued are still sent.',
    errors: ['WEBHOOK_NOT_FOUND'],
  },
}

/** Summary of each event: the change that causes it. */
export const EVENT_SUMMARIES = {
  'referral.created': 'A referral was created',
  'referral.updated': 'A referral was changed',
  'referral.billing_failed': 'Billing for an order failed',
  'referral.pending_verification': 'A profile must be completed before the referral is issued',
  'referral.complete': 'All results of a referral have arrived',
  'referral.insufficient_data': 'A referral has insufficient data',
  'referral.refunded': 'A referral was refunded',
  'referral.failed_test': 'A test failed, and a new referral is required',
  'referral.partial_results': 'Some results of a referral have arrived; the event may be sent again',
  'referral.transferred': 'A referral was moved to another person',
  'referral.issued': 'A referral was issued: its PDF is available',
  'referral.scheduled_reissue': 'The service creates a new PDF of a referral',
  'result.created': 'A result record was created',
  'result.updated': 'A result was changed',
  'result.complete': 'All data of a result has arrived',
  'result.in_review': 'A result is held until the organisation releases it',
  'result.partial_results': 'Some data of a result has arrived; the event may be sent again',
  'collection_centres.updated': 'A refresh changed the collection centre directory',
} as const satisfies Readonly<Record<KnownEventName, string>>
