import type { endpoints } from '../../src/contract/endpoints.js'
import type { SortOrder } from '../../src/contract/enums.js'
import type { KnownErrorCode } from '../../src/contract/error-codes.js'
import type { KnownEventName } from '../../src/contract/events.js'
import type { JsonObject } from './json.js'

type Rows = typeof endpoints
type IdsOf<Group> = {
  [Name in keyof Group]: Group[Name] extends { readonly id: infer Id } ? Id : never
}[keyof Group]
/** An endpoint row's id. */
export type EndpointId = { [Name in keyof Rows]: IdsOf<Rows[Name]> }[keyof Rows]

/** What an endpoint row does not say and the document does. */
export interface OperationNotes {
  readonly summary: string
  readonly description?: string
  /** Error codes by HTTP status; `default` holds those whose status the specification does not show. */
  readonly errors: { readonly [Status in ErrorStatus]?: readonly KnownErrorCode[] }
  /** The order of the list when the caller names none. */
  readonly sort?: SortOrder
  /** Query parameters that the row has no schema for. */
  readonly parameters?: readonly JsonObject[]
}

export type ErrorStatus = '400' | '404' | '409' | 'default'

const UNREADABLE = { '400': ['INVALID_PARAMETER'] } as const

/** Errors that any call can meet. */
export const AUTHENTICATION_ERRORS = [
  'MISSING_AUTHORIZATION_HEADER',
  'INVALID_JWT',
  'INVALID_JWT_SIGNATURE',
] as const satisfies KnownErrorCode[]

/** One entry an endpoint, by its id. */
export const OPERATIONS: Readonly<Record<EndpointId, OperationNotes>> = {
  'referrals.create': {
    summary: 'Order tests for a patient',
    description:
      'Can take more than ten seconds, and has no idempotency key: look for the order before sending it again. With `medicareTests` it makes two referrals, one commercial and one under Medicare, or the latter alone; the answer is a list then.',
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
      'Only while it is CREATED or ISSUED. What is left out stays; `metadata` is merged, and a key set to null is removed. A new PDF is made: the status becomes SCHEDULED_REISSUE.',
    errors: {
      '400': ['INVALID_PARAMETER', 'INVALID_PAYLOAD', 'INVALID_STATUS'],
      '404': ['REFERRAL_NOT_FOUND'],
    },
  },
  'referrals.delete': {
    summary: 'Delete a referral',
    description: 'It stays readable with `deletedAt` set and without its PDF.',
    errors: { ...UNREADABLE, '404': ['REFERRAL_NOT_FOUND'] },
  },
  'referrals.generateResults': {
    summary: 'Make up results for a referral',
    description: 'On staging only: production answers 404.',
    errors: { ...UNREADABLE, '404': ['REFERRAL_NOT_FOUND'], default: ['INVALID_STATUS'] },
    parameters: [
      {
        name: 'partial',
        in: 'query',
        description: 'A flag: when it is there, whatever its value, only some of the results are made up.',
        allowEmptyValue: true,
        schema: { type: 'string' },
      },
    ],
  },
  'results.retrieve': {
    summary: 'Read a result',
    description: 'Always the whole current state, so a stored copy can be replaced.',
    errors: { ...UNREADABLE, '404': ['RESULT_NOT_FOUND'] },
  },
  'results.list': { summary: 'List results', errors: UNREADABLE },
  'tests.list': { summary: 'List the tests that can be ordered', errors: UNREADABLE },
  'biomarkers.list': { summary: 'List the biomarker catalogue', errors: UNREADABLE },
  'bundles.list': { summary: 'List bundles of tests', errors: UNREADABLE },
  'prices.calculate': {
    summary: 'Calculate a price',
    description: 'For tests, a bundle, or both. Nothing is ordered.',
    errors: { '400': ['INVALID_PAYLOAD'], default: ['INVALID_BUNDLE_ID'] },
  },
  'providers.save': {
    summary: 'Register a provider, or replace the record of one',
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
    description: 'What is left out stays. The number cannot change: retire the record and register another.',
    errors: {
      '400': ['INVALID_PARAMETER', 'INVALID_PAYLOAD'],
      default: ['PROVIDER_NOT_FOUND', 'INVALID_SIGNATURE', 'INVALID_PROVIDER_DETAILS'],
    },
  },
  'providers.retire': {
    summary: 'Retire a provider',
    description: 'Its signature is cleared, and its number orders no more.',
    errors: { ...UNREADABLE, '409': ['PROVIDER_HAS_ACTIVE_ROUTING'], default: ['PROVIDER_NOT_FOUND'] },
  },
  'providers.requestRouting': {
    summary: "Ask laboratories to route a provider's results",
    description:
      'Records the attestation and makes one NOT_SUBMITTED connection a laboratory. Sent again, it refreshes the attestation and moves no connection backwards.',
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
  'vendors.list': { summary: 'List the laboratories that can be reached', errors: UNREADABLE },
  'centres.list': {
    summary: 'Search collection centres',
    description:
      'Filters combine with AND, the values of one filter with OR. `lat` and `lng` go together and put the nearest first; `radiusKm` needs them; `north`, `south`, `east` and `west` go together. Without them the order is by name. RETIRED centres are listed only with `changedSince` or `uuids`.',
    errors: UNREADABLE,
  },
  'centres.retrieve': {
    summary: 'Read a collection centre, whatever its status',
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
    description: 'No new events are sent; deliveries already queued still are.',
    errors: { ...UNREADABLE, '404': ['WEBHOOK_NOT_FOUND'] },
  },
}

/** What brings each event about. */
export const EVENT_SUMMARIES = {
  'referral.created': 'A referral was created',
  'referral.updated': 'A referral was changed',
  'referral.billing_failed': 'Billing for an order failed',
  'referral.pending_verification': 'A profile must be completed before the referral is issued',
  'referral.complete': 'All results of a referral have arrived',
  'referral.insufficient_data': 'A referral has insufficient data',
  'referral.refunded': 'A referral was refunded',
  'referral.failed_test': 'A test failed, and a new referral is needed',
  'referral.partial_results': 'Some results of a referral have arrived; it may be sent again',
  'referral.transferred': 'A referral was moved to another person',
  'referral.issued': 'A referral was issued, and its PDF can be read',
  'referral.scheduled_reissue': 'A new PDF of a referral is being made',
  'result.created': 'A result record was created',
  'result.updated': 'A result was changed',
  'result.complete': 'All data of a result has arrived',
  'result.in_review': 'A result is held until the organisation releases it',
  'result.partial_results': 'Some data of a result has arrived; it may be sent again',
  'collection_centres.updated': 'A refresh changed the collection centre directory',
} as const satisfies Readonly<Record<KnownEventName, string>>
