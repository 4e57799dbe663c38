import type { Endpoint, ListSort, PageSizes, RecordIdentity, RecordMarks } from './endpoint.js'
import { DEFAULT_CENTRE_PAGE_SIZE, DEFAULT_PAGE_SIZE, MAX_CENTRE_PAGE_SIZE, MAX_PAGE_SIZE } from './limits.js'
import type { ResponseSchemaName } from './schemas/index.js'

const one = <Name extends ResponseSchemaName>(schema: Name) => ({ kind: 'one', schema }) as const
const under = <Name extends ResponseSchemaName>(key: string, schema: Name) =>
  ({ kind: 'under', key, schema }) as const
const PAGES: PageSizes = { byDefault: DEFAULT_PAGE_SIZE, atMost: MAX_PAGE_SIZE }
const CENTRE_PAGES: PageSizes = { byDefault: DEFAULT_CENTRE_PAGE_SIZE, atMost: MAX_CENTRE_PAGE_SIZE }

interface ListTraits {
  readonly paged?: PageSizes | false
  readonly marks?: RecordMarks
  readonly sort?: ListSort
}

const OLDEST_FIRST: ListSort = { byDefault: 'asc', documented: true }
const NEWEST_FIRST: ListSort = { byDefault: 'desc', documented: true }
const ASSUMED: ListSort = { byDefault: 'asc', documented: false }

const list = <Name extends ResponseSchemaName>(
  key: string,
  schema: Name,
  identity: RecordIdentity,
  { paged = PAGES, marks, sort }: ListTraits = {},
) => ({ kind: 'list', key, schema, identity, paged, marks, sort, documented: marks === undefined }) as const

// §2.5, §2.7, §2.8
const RESULT: RecordMarks = { object: 'result', fields: ['provenance', 'biomarkers', 'referralUuid'] }
const TEST: RecordMarks = {
  object: 'test',
  fields: ['turnAroundTimes', 'turnAroundTimeAverage', 'medicareListed', 'priceCents'],
}
const BIOMARKER: RecordMarks = { object: 'biomarker', fields: ['valueType', 'sampleType', 'canonicalUnit'] }

const safe = { method: 'GET', retry: 'safe', since: '1.0.0' } as const

// §4
/** Every endpoint of the service, by resource and method. */
export const endpoints = {
  referrals: {
    create: {
      id: 'referrals.create',
      method: 'POST',
      path: '/v1/referrals',
      section: '4.1',
      retry: 'once',
      reconcile: 'order',
      body: 'Order',
      response: one('PlacedReferrals'),
      since: '1.0.0',
      timeoutMs: 120_000,
    },
    list: {
      ...safe,
      id: 'referrals.list',
      path: '/v1/referrals',
      section: '4.1',
      query: 'ListQuery',
      response: list('referrals', 'Referral', 'uuid', { sort: OLDEST_FIRST }),
    },
    retrieve: {
      ...safe,
      id: 'referrals.retrieve',
      path: '/v1/referrals/{uuid}',
      section: '4.1',
      response: one('Referral'),
    },
    update: {
      id: 'referrals.update',
      method: 'PATCH',
      path: '/v1/referrals/{uuid}',
      section: '4.1',
      retry: 'once',
      reconcile: 'update',
      body: 'ReferralPatch',
      response: one('Referral'),
      since: '1.0.0',
    },
    delete: {
      id: 'referrals.delete',
      method: 'DELETE',
      path: '/v1/referrals/{uuid}',
      section: '4.1',
      retry: 'repeatable',
      reconcile: 'gone',
      response: one('Referral'),
      since: '1.0.0',
    },
    generateResults: {
      id: 'referrals.generateResults',
      method: 'PUT',
      path: '/v1/referrals/{uuid}',
      section: '4.1',
      retry: 'once',
      flag: 'partial',
      response: one('Referral'),
      since: '1.0.0',
      stagingOnly: true,
    },
  },
  results: {
    retrieve: {
      ...safe,
      id: 'results.retrieve',
      path: '/v1/results/{uuid}',
      section: '4.2',
      response: one('Result'),
    },
    list: {
      ...safe,
      id: 'results.list',
      path: '/v1/results',
      section: '4.2',
      query: 'ListQuery',
      response: list('results', 'Result', 'uuid', { marks: RESULT, sort: ASSUMED }),
    },
  },
  tests: {
    list: {
      ...safe,
      id: 'tests.list',
      path: '/v1/tests',
      section: '4.3',
      query: 'TestListQuery',
      response: list('tests', 'Test', 'id', { paged: false, marks: TEST }),
    },
  },
  biomarkers: {
    list: {
      ...safe,
      id: 'biomarkers.list',
      path: '/v1/biomarkers',
      section: '4.3',
      response: list('biomarkers', 'CatalogueBiomarker', 'id', { paged: false, marks: BIOMARKER }),
    },
  },
  bundles: {
    list: {
      ...safe,
      id: 'bundles.list',
      path: '/v1/bundles',
      section: '4.3',
      query: 'BundleListQuery',
      response: list('bundles', 'Bundle', 'id', { sort: ASSUMED }),
    },
  },
  prices: {
    calculate: {
      id: 'prices.calculate',
      method: 'POST',
      path: '/v1/calculate',
      section: '4.3',
      retry: 'safe',
      body: 'PriceRequest',
      response: under('calculatePrice', 'Price'),
      since: '1.0.0',
    },
  },
  providers: {
    save: {
      id: 'providers.save',
      method: 'POST',
      path: '/v1/providers',
      section: '4.4',
      retry: 'repeatable',
      body: 'ProviderSave',
      response: one('Provider'),
      since: '1.0.0',
    },
    list: {
      ...safe,
      id: 'providers.list',
      path: '/v1/providers',
      section: '4.4',
      query: 'ListQuery',
      response: list('providers', 'Provider', 'providerNumber', { sort: NEWEST_FIRST }),
    },
    retrieve: {
      ...safe,
      id: 'providers.retrieve',
      path: '/v1/providers/{providerNumber}',
      section: '4.4',
      response: one('Provider'),
    },
    update: {
      id: 'providers.update',
      method: 'PUT',
      path: '/v1/providers/{providerNumber}',
      section: '4.4',
      retry: 'repeatable',
      body: 'ProviderUpdate',
      response: one('Provider'),
      since: '1.0.0',
    },
    retire: {
      id: 'providers.retire',
      method: 'DELETE',
      path: '/v1/providers/{providerNumber}',
      section: '4.4',
      retry: 'repeatable',
      reconcile: 'gone',
      response: one('RetiredProvider'),
      since: '1.0.0',
    },
    requestRouting: {
      id: 'providers.requestRouting',
      method: 'POST',
      path: '/v1/providers/{providerNumber}/routing',
      section: '4.4',
      retry: 'repeatable',
      body: 'RoutingRequest',
      response: one('Routing'),
      since: '1.0.0',
    },
  },
  vendors: {
    list: {
      ...safe,
      id: 'vendors.list',
      path: '/v1/vendors',
      section: '4.4',
      response: list('vendors', 'Vendor', 'id', { paged: false }),
    },
  },
  centres: {
    list: {
      ...safe,
      id: 'centres.list',
      path: '/v1/collection-centres',
      section: '4.5',
      query: 'CentreQuery',
      response: list('collectionCentres', 'CollectionCentre', 'uuid', { paged: CENTRE_PAGES }),
    },
    retrieve: {
      ...safe,
      id: 'centres.retrieve',
      path: '/v1/collection-centres/{uuid}',
      section: '4.5',
      response: one('CollectionCentre'),
    },
  },
  webhooks: {
    create: {
      id: 'webhooks.create',
      method: 'POST',
      path: '/v1/webhooks',
      section: '4.6',
      retry: 'once',
      reconcile: 'subscription',
      body: 'WebhookCreate',
      response: one('Webhook'),
      since: '1.0.0',
    },
    list: {
      ...safe,
      id: 'webhooks.list',
      path: '/v1/webhooks',
      section: '4.6',
      query: 'ListQuery',
      response: list('webhooks', 'Webhook', 'id', { sort: NEWEST_FIRST }),
    },
    eventNames: {
      ...safe,
      id: 'webhooks.eventNames',
      path: '/v1/webhook-events',
      section: '4.6',
      response: one('EventNames'),
    },
    retrieve: {
      ...safe,
      id: 'webhooks.retrieve',
      path: '/v1/webhooks/{id}',
      section: '4.6',
      response: one('Webhook'),
    },
    update: {
      id: 'webhooks.update',
      method: 'PATCH',
      path: '/v1/webhooks/{id}',
      section: '4.6',
      retry: 'repeatable',
      body: 'WebhookUpdate',
      response: one('Webhook'),
      since: '1.0.0',
    },
    delete: {
      id: 'webhooks.delete',
      method: 'DELETE',
      path: '/v1/webhooks/{id}',
      section: '4.6',
      retry: 'repeatable',
      reconcile: 'gone',
      response: one('DeletedWebhook'),
      since: '1.0.0',
    },
  },
} as const satisfies Record<string, Record<string, Endpoint>>

/** Every endpoint as one list. */
export const ENDPOINTS: readonly Endpoint[] = /* @__PURE__ */ Object.values(endpoints).flatMap((group) =>
  Object.values<Endpoint>(group),
)
