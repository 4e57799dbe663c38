import type { Endpoint, ListSort, PageSizes, RecordIdentity, RecordMarks, Wrapper } from './endpoint.js'
import { DEFAULT_CENTRE_PAGE_SIZE, DEFAULT_PAGE_SIZE, MAX_CENTRE_PAGE_SIZE, MAX_PAGE_SIZE } from './limits.js'
import type { ResponseSchemaName } from './schemas/index.js'

const one = <Name extends ResponseSchemaName>(schema: Name) => ({ kind: 'one', schema }) as const
const under = <Name extends ResponseSchemaName>(key: string, schema: Name) =>
  ({ kind: 'under', key, schema }) as const
const PAGES: PageSizes = { byDefault: DEFAULT_PAGE_SIZE, atMost: MAX_PAGE_SIZE }
const CENTRE_PAGES: PageSizes = { byDefault: DEFAULT_CENTRE_PAGE_SIZE, atMost: MAX_CENTRE_PAGE_SIZE }

const OLDEST_FIRST: ListSort = { byDefault: 'asc', documented: true }
const NEWEST_FIRST: ListSort = { byDefault: 'desc', documented: true }
const ASSUMED: ListSort = { byDefault: 'asc', documented: false }
const NO_SORT = undefined

const list = <Name extends ResponseSchemaName>(
  key: string,
  schema: Name,
  identity: RecordIdentity,
  sort: ListSort | undefined,
  { paged = PAGES, marks }: { readonly paged?: PageSizes | false; readonly marks?: RecordMarks } = {},
) => ({ kind: 'list', key, schema, identity, paged, marks, sort, documented: marks === undefined }) as const

// §2.5, §2.7, §2.8
const RESULT: RecordMarks = { object: 'result', fields: ['provenance', 'biomarkers', 'referralUuid'] }
const TEST: RecordMarks = {
  object: 'test',
  fields: ['turnAroundTimes', 'turnAroundTimeAverage', 'medicareListed', 'priceCents'],
}
const BIOMARKER: RecordMarks = { object: 'biomarker', fields: ['valueType', 'sampleType', 'canonicalUnit'] }

/** Writes the rows of the requests with a method and a retry class. */
const rows =
  <const Method extends Endpoint['method'], const Retry extends Endpoint['retry']>(
    method: Method,
    retry: Retry,
  ) =>
  <
    const Id extends string,
    const Path extends Endpoint['path'],
    const Response extends Wrapper,
    const More extends Omit<Endpoint, 'id' | 'method' | 'path' | 'retry' | 'response'> = object,
  >(
    id: Id,
    path: Path,
    response: Response,
    // The cast is safe: without the argument, the type is that of no fields.
    more: More = {} as More,
  ) => ({ id, method, path, retry, response, ...more })

const get = rows('GET', 'safe')
const calculate = rows('POST', 'safe')
const create = rows('POST', 'once')
const post = rows('POST', 'repeatable')
const generate = rows('PUT', 'once')
const put = rows('PUT', 'repeatable')
const patchOnce = rows('PATCH', 'once')
const patch = rows('PATCH', 'repeatable')
const remove = rows('DELETE', 'repeatable')

const GONE = { reconcile: 'gone' } as const
const PAGED = { query: 'ListQuery' } as const

/** Every endpoint of the service, by resource and method. */
export const endpoints = {
  // §4.1
  referrals: {
    create: create('referrals.create', '/v1/referrals', one('PlacedReferrals'), {
      reconcile: 'order',
      body: 'Order',
      timeoutMs: 120_000,
    }),
    list: get('referrals.list', '/v1/referrals', list('referrals', 'Referral', 'uuid', OLDEST_FIRST), PAGED),
    retrieve: get('referrals.retrieve', '/v1/referrals/{uuid}', one('Referral')),
    update: patchOnce('referrals.update', '/v1/referrals/{uuid}', one('Referral'), {
      reconcile: 'update',
      body: 'ReferralPatch',
    }),
    delete: remove('referrals.delete', '/v1/referrals/{uuid}', one('Referral'), GONE),
    generateResults: generate('referrals.generateResults', '/v1/referrals/{uuid}', one('Referral'), {
      flag: 'partial',
      stagingOnly: true,
    }),
  },
  // §4.2
  results: {
    retrieve: get('results.retrieve', '/v1/results/{uuid}', one('Result')),
    list: get(
      'results.list',
      '/v1/results',
      list('results', 'Result', 'uuid', ASSUMED, { marks: RESULT }),
      PAGED,
    ),
  },
  // §4.3
  tests: {
    list: get(
      'tests.list',
      '/v1/tests',
      list('tests', 'Test', 'id', NO_SORT, { paged: false, marks: TEST }),
      {
        query: 'TestListQuery',
      },
    ),
  },
  biomarkers: {
    list: get(
      'biomarkers.list',
      '/v1/biomarkers',
      list('biomarkers', 'CatalogueBiomarker', 'id', NO_SORT, { paged: false, marks: BIOMARKER }),
    ),
  },
  bundles: {
    list: get('bundles.list', '/v1/bundles', list('bundles', 'Bundle', 'id', ASSUMED), {
      query: 'BundleListQuery',
    }),
  },
  prices: {
    calculate: calculate('prices.calculate', '/v1/calculate', under('calculatePrice', 'Price'), {
      body: 'PriceRequest',
    }),
  },
  // §4.4
  providers: {
    save: post('providers.save', '/v1/providers', one('Provider'), { body: 'ProviderSave' }),
    list: get(
      'providers.list',
      '/v1/providers',
      list('providers', 'Provider', 'providerNumber', NEWEST_FIRST),
      PAGED,
    ),
    retrieve: get('providers.retrieve', '/v1/providers/{providerNumber}', one('Provider')),
    update: put('providers.update', '/v1/providers/{providerNumber}', one('Provider'), {
      body: 'ProviderUpdate',
    }),
    retire: remove('providers.retire', '/v1/providers/{providerNumber}', one('RetiredProvider'), GONE),
    requestRouting: post(
      'providers.requestRouting',
      '/v1/providers/{providerNumber}/routing',
      one('Routing'),
      { body: 'RoutingRequest' },
    ),
  },
  vendors: {
    list: get('vendors.list', '/v1/vendors', list('vendors', 'Vendor', 'id', NO_SORT, { paged: false })),
  },
  // §4.5
  centres: {
    list: get(
      'centres.list',
      '/v1/collection-centres',
      list('collectionCentres', 'CollectionCentre', 'uuid', NO_SORT, { paged: CENTRE_PAGES }),
      { query: 'CentreQuery' },
    ),
    retrieve: get('centres.retrieve', '/v1/collection-centres/{uuid}', one('CollectionCentre')),
  },
  // §4.6
  webhooks: {
    create: create('webhooks.create', '/v1/webhooks', one('Webhook'), {
      reconcile: 'subscription',
      body: 'WebhookCreate',
    }),
    list: get('webhooks.list', '/v1/webhooks', list('webhooks', 'Webhook', 'id', NEWEST_FIRST), PAGED),
    eventNames: get('webhooks.eventNames', '/v1/webhook-events', one('EventNames')),
    retrieve: get('webhooks.retrieve', '/v1/webhooks/{id}', one('Webhook')),
    update: patch('webhooks.update', '/v1/webhooks/{id}', one('Webhook'), { body: 'WebhookUpdate' }),
    delete: remove('webhooks.delete', '/v1/webhooks/{id}', one('DeletedWebhook'), GONE),
  },
} as const satisfies Record<string, Record<string, Endpoint>>

/** Every endpoint as one list. */
export const ENDPOINTS: readonly Endpoint[] = /* @__PURE__ */ Object.values(endpoints).flatMap((group) =>
  Object.values<Endpoint>(group),
)
