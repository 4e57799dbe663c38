import type { endpoints } from '../../src/contract/endpoints.js'
import type { SortOrder } from '../../src/contract/enums.js'
import type { KnownErrorCode } from '../../src/contract/error-codes.js'
import type { KnownEventName } from '../../src/contract/events.js'
import type { JsonObject } from './json.js'

type Rows = typeof endpoints
type IdsOf<Group> = {
  [Name in keyof Group]: Group[Name] extends { readonly id: infer Id } ? Id : never
}[keyof Group]
/** The id of an endpoint row. */
export type EndpointId = { [Name in keyof Rows]: IdsOf<Rows[Name]> }[keyof Rows]

/** Parts of an operation that the endpoint row does not contain. */
export interface OperationNotes {
  readonly summary: string
  readonly description?: string
  /** Error codes by HTTP status. `default` has the codes whose status the specification does not show. */
  readonly errors: { readonly [Status in ErrorStatus]?: readonly KnownErrorCode[] }
  /** Order of the list when a request has no `sort` parameter. */
  readonly sort?: SortOrder
  /** Query parameters without a schema in the row. */
  readonly parameters?: readonly JsonObject[]
}

export type ErrorStatus = '400' | '404' | '409' | 'default'

const UNREADABLE = { '400': ['INVALID_PARAMETER'] } as const

/** Codes of authentication errors, which any call can get. */
export const AUTHENTICATION_ERRORS = [
  'MISSING_AUTHORIZATION_HEADER',
  'INVALID_JWT',
  'INVALID_JWT_SIGNATURE',
] as const satisfies KnownErrorCode[]

/** One entry for each endpoint, by its id. */
export const OPERATIONS: Readonly<Record<EndpointId, OperationNotes>> = {
  'referrals.create': {
    summary: 'Order tests for a patient',
    description:
      'An order can take more than ten seconds, and has no idempotency key: look the order up before you send it again. With `medicareTests` the response is a list: a Medicare referral, and a commercial referral if the order also has `tests` or a `bundleId`.',
    errors: {
      '400': [
        'INVALID_PAYLOAD',
        'INVALID_MEDICARE_NUMBER',
        'MISSING_PROVIDER_NUMBER',
        'INVALID_PROVIDER_NUMBER',
      ],
      default: ['MISSING_PROVIDER_SIGNATURE', 'INVALID_BUNDLE_ID', 'INVALID_MEDICARE_TEST'],
    },
  },
  'referrals.list': { summary: 'List referrals', errors: UNREADABLE, sort: 'asc' },
  'referrals.retrieve': {
    summary: 'Read a referral',
    errors: { ...UNREADABLE, '404': ['REFERRAL_NOT_FOUND'] },
  },
  'referrals.update': {
    summary: 'Change a referral',
    description:
      'Only a CREATED or ISSUED referral can be changed. Omitted fields stay; `metadata` is merged, and a key set to null is removed. The service creates a new PDF: the status becomes SCHEDULED_REISSUE.',
    errors: {
      '400': ['INVALID_PARAMETER', 'INVALID_PAYLOAD', 'INVALID_STATUS'],
      '404': ['REFERRAL_NOT_FOUND'],
    },
  },
  'referrals.delete': {
    summary: 'Delete a referral',
    description: 'Sets `deletedAt` and removes the PDF. The referral can still be read.',
    errors: { ...UNREADABLE, '404': ['REFERRAL_NOT_FOUND'] },
  },
  'referrals.generateResults': {
    summary: 'Generate results for a referral',
    description: 'Only in staging: production returns 404.',
    errors: { ...UNREADABLE, '404': ['REFERRAL_NOT_FOUND'], default: ['INVALID_STATUS'] },
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
    errors: { ...UNREADABLE, '404': ['RESULT_NOT_FOUND'] },
  },
  'results.list': { summary: 'List results', errors: UNREADABLE },
  'tests.list': { summary: 'List the tests that can be ordered', errors: UNREADABLE },
  'biomarkers.list': { summary: 'List the biomarker catalogue', errors: UNREADABLE },
  'bundles.list': { summary: 'List bundles of tests', errors: UNREADABLE },
  'prices.calculate': {
    summary: 'Calculate a price',
    description: 'Calculates the price of tests, a bundle, or both. Does not place an order.',
    errors: { '400': ['INVALID_PAYLOAD'], default: ['INVALID_BUNDLE_ID'] },
  },
  'providers.save': {
    summary: 'Create or update a provider',
    errors: {
      '400': ['INVALID_PAYLOAD'],
      default: [
        'INVALID_PROVIDER_NUMBER',
        'PROVIDER_NUMBER_IN_USE',
        'INVALID_SIGNATURE',
        'INVALID_PROVIDER_DETAILS',
      ],
    },
  },
  'providers.list': { summary: 'List providers', errors: UNREADABLE, sort: 'desc' },
  'providers.retrieve': {
    summary: 'Read a provider with its routing connections',
    errors: { ...UNREADABLE, default: ['PROVIDER_NOT_FOUND'] },
  },
  'providers.update': {
    summary: 'Change a provider',
    description:
      'Omitted fields keep their values. The provider number cannot change: retire the record and create another.',
    errors: {
      '400': ['INVALID_PARAMETER', 'INVALID_PAYLOAD'],
      default: ['PROVIDER_NOT_FOUND', 'INVALID_SIGNATURE', 'INVALID_PROVIDER_DETAILS'],
    },
  },
  'providers.retire': {
    summary: 'Retire a provider',
    description: 'The signature is cleared, and the number can no longer be used for orders.',
    errors: { ...UNREADABLE, '409': ['PROVIDER_HAS_ACTIVE_ROUTING'], default: ['PROVIDER_NOT_FOUND'] },
  },
  'providers.requestRouting': {
    summary: "Ask laboratories to route a provider's results",
    description:
      'Records the attestation and creates a NOT_SUBMITTED connection for each laboratory. A repeated request renews the attestation and does not reset a connection.',
    errors: {
      '400': ['INVALID_PARAMETER', 'INVALID_PAYLOAD'],
      default: [
        'PROVIDER_NOT_FOUND',
        'MISSING_SIGNATURE',
        'NO_VENDORS_SELECTED',
        'UNKNOWN_VENDOR',
        'MISSING_ATTESTATION',
      ],
    },
  },
  'vendors.list': { summary: 'List the laboratories that are available', errors: UNREADABLE },
  'centres.list': {
    summary: 'Search collection centres',
    description:
      'A centre must match one value of every given filter. `lat` and `lng` require each other. With them, the nearest centre is first; without them, centres are sorted by name. `radiusKm` requires `lat` and `lng`. `north`, `south`, `east` and `west` require each other. RETIRED centres are listed only with `changedSince` or `uuids`. Centres without usable coordinates are listed only with `uuids`.',
    errors: UNREADABLE,
  },
  'centres.retrieve': {
    summary: 'Read a collection centre of any status',
    errors: { ...UNREADABLE, '404': ['COLLECTION_CENTRE_NOT_FOUND'] },
  },
  'webhooks.create': {
    summary: 'Subscribe to events',
    errors: {
      '400': ['INVALID_PAYLOAD', 'INVALID_WEBHOOK_URL', 'INVALID_WEBHOOK_EVENTS'],
      '409': ['DUPLICATE_WEBHOOK_SUBSCRIPTION'],
    },
  },
  'webhooks.list': { summary: 'List webhooks', errors: UNREADABLE, sort: 'desc' },
  'webhooks.eventNames': { summary: 'List the events that can be subscribed to', errors: UNREADABLE },
  'webhooks.retrieve': {
    summary: 'Read a webhook',
    errors: { ...UNREADABLE, '404': ['WEBHOOK_NOT_FOUND'] },
  },
  'webhooks.update': {
    summary: 'Change, pause or resume a webhook',
    errors: {
      '400': ['INVALID_PARAMETER', 'INVALID_PAYLOAD', 'INVALID_WEBHOOK_URL', 'INVALID_WEBHOOK_EVENTS'],
      '404': ['WEBHOOK_NOT_FOUND'],
      '409': ['DUPLICATE_WEBHOOK_SUBSCRIPTION'],
    },
  },
  'webhooks.delete': {
    summary: 'Delete a webhook',
    description: 'New events are not sent. Deliveries that are already queued are still sent.',
    errors: { ...UNREADABLE, '404': ['WEBHOOK_NOT_FOUND'] },
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
