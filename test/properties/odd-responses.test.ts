import fc from 'fast-check'
import {
  type FetchLike,
  isPathologyError,
  type PathologyClient,
  type ResponseValidation,
} from 'pathology-sdk'
import { expect, it } from 'vitest'
import { clientOf, fetchOf } from '../support/clients.js'
import { medicareOrder, order, PROVIDER_NUMBER, UUID, WEBHOOK_ID } from '../support/samples.js'
import { API } from './list-world.js'

const attestation = { attestedBy: 'Dr Roe', doctorSignedAt: new Date() }
const hook = { url: 'https://hooks.example.com/in', events: ['referral.issued'] }
const brief = { timeout: 50, interval: 1 }

/** Every method that reads a response, with its arguments. */
const METHODS: Readonly<Record<string, (client: PathologyClient) => PromiseLike<unknown>>> = {
  'referrals.create': ({ referrals }) => referrals.create(order()),
  'referrals.create, Medicare': ({ referrals }) => referrals.create(medicareOrder()),
  'referrals.create, own key': ({ referrals }) => referrals.create(order(), { orderKey: 'k' }),
  'referrals.retrieve': ({ referrals }) => referrals.retrieve(UUID),
  'referrals.list': ({ referrals }) => referrals.list({ skipDuplicates: true }).toArray(),
  'referrals.update': ({ referrals }) =>
    referrals.update(UUID, { metadata: { a: { b: [1] } }, lastName: 'Roe' }),
  'referrals.delete': ({ referrals }) => referrals.delete(UUID),
  'referrals.generateResults': ({ referrals }) => referrals.generateResults(UUID),
  'referrals.findByReferenceNumber': ({ referrals }) =>
    referrals.findByReferenceNumber('ref-77', { since: new Date(0) }).toArray(),
  'referrals.findByOrderKey': ({ referrals }) => referrals.findByOrderKey('k'),
  'referrals.waitFor': ({ referrals }) => referrals.waitFor(UUID, { status: 'ISSUED', ...brief }),
  'referrals.document': ({ referrals }) => referrals.document(UUID),
  'results.retrieve': ({ results }) => results.retrieve(UUID),
  'results.list': ({ results }) => results.list().toArray(),
  'results.document': ({ results }) => results.document(UUID).then((document) => document.bytes()),
  'tests.list': ({ tests }) => tests.list().toArray(),
  'biomarkers.list': ({ biomarkers }) => biomarkers.list().toArray(),
  'bundles.list': ({ bundles }) => bundles.list().toArray(),
  'prices.calculate': ({ prices }) => prices.calculate({ tests: ['fbc'] }),
  'providers.save': ({ providers }) =>
    providers.save({ providerNumber: PROVIDER_NUMBER, name: 'Dr Roe', address: '1 Road' }),
  'providers.list': ({ providers }) => providers.list().toArray(),
  'providers.retrieve': ({ providers }) => providers.retrieve(PROVIDER_NUMBER),
  'providers.update': ({ providers }) => providers.update(PROVIDER_NUMBER, { name: 'Dr Roe' }),
  'providers.retire': ({ providers }) => providers.retire(PROVIDER_NUMBER),
  'providers.requestRouting': ({ providers }) =>
    providers.requestRouting(PROVIDER_NUMBER, { vendorIds: ['a'], attestation }),
  'vendors.list': ({ vendors }) => vendors.list().toArray(),
  'centres.list': ({ centres }) => centres.list().toArray(),
  'centres.nearest': ({ centres }) => centres.nearest({ lat: 0, lng: 0 }).toArray(),
  'centres.retrieve': ({ centres }) => centres.retrieve(UUID),
  'centres.changes': async ({ centres }) => {
    for await (const _ of centres.changes({ since: new Date(0) }));
  },
  'webhooks.create': ({ webhooks }) => webhooks.create(hook),
  'webhooks.retrieve': ({ webhooks }) => webhooks.retrieve(WEBHOOK_ID),
  'webhooks.list': ({ webhooks }) => webhooks.list().toArray(),
  'webhooks.update': ({ webhooks }) => webhooks.update(WEBHOOK_ID, hook),
  'webhooks.delete': ({ webhooks }) => webhooks.delete(WEBHOOK_ID),
  'webhooks.eventNames': ({ webhooks }) => webhooks.eventNames(),
}

const FIELDS = [
  ...[
    'object',
    'status',
    'person',
    'tests',
    'bundleId',
    'createdAt',
    'updatedAt',
    'deletedAt',
    'metadata',
    'events',
  ],
  ...[
    'medicare',
    'bulkBilled',
    'referenceNumber',
    'referralAttachment',
    'resultAttachment',
    'url',
    'connections',
  ],
]
const ENVELOPE = ['uuid', 'id', 'providerNumber', 'calculatePrice', 'error', 'code', 'errorList', 'data']
const LIST_NAMES = [
  ...['referrals', 'results', 'tests', 'biomarkers', 'bundles', 'providers', 'vendors', 'webhooks'],
  'collectionCentres',
]

/** These cannot be converted to a text or a number. */
const stubborn = { toString: 1, valueOf: null, toJSON: 1, length: -1 }

const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(stubborn, [stubborn]),
  fc.constantFrom<unknown>(null, true, 0, -1, 1e300, '', 'text', [], {}, [null]),
  fc.constantFrom(
    '1970-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    'ref-77',
    UUID,
    'ISSUED',
    'SCHEDULED_REISSUE',
  ),
  fc.constantFrom('http://127.0.0.1:1/x.pdf', 'https://a.example/x', 'data:,x', 'blob:x', '//x', '\\u0000'),
  fc.constant({ pathologySdkOrderKey: 'k' }),
  fc.constant({ pathologySdkOrderKey: stubborn }),
  fc.constant({ firstName: stubborn, lastName: 7, dob: [] }),
  fc.jsonValue({ maxDepth: 2 }),
)

/** Each of some fields, or not. */
const some = (names: readonly string[]): fc.Arbitrary<object> =>
  fc.record(Object.fromEntries(names.map((name) => [name, odd])), { requiredKeys: [] })

const record = fc
  .tuple(some(FIELDS), fc.constantFrom('a', 'b', UUID))
  .map(([given, name]) => ({ ...given, uuid: name, id: name, providerNumber: name }))
const cursor = fc.oneof(
  odd,
  fc.record({ cursor: fc.oneof(odd, fc.string()), count: odd, resultCount: odd }, { requiredKeys: [] }),
)
/** A page of the requested list. */
const page = fc
  .tuple(fc.array(record, { maxLength: 25 }), cursor, odd)
  .map(([records, given, totalResults]) => ({
    ...Object.fromEntries(LIST_NAMES.map((name) => [name, records])),
    cursor: given,
    totalResults,
  }))
const body: fc.Arbitrary<unknown> = fc.oneof(
  { arbitrary: page, weight: 3 },
  { arbitrary: record, weight: 3 },
  { arbitrary: fc.array(record, { maxLength: 3 }), weight: 1 },
  { arbitrary: some([...FIELDS, ...ENVELOPE]), weight: 1 },
  { arbitrary: odd, weight: 1 },
)

const END = Object.fromEntries(LIST_NAMES.map((name) => [name, []]))

/** Responds with the bodies in turn; the last one repeats, and later pages of a list are empty. */
function answering(bodies: readonly unknown[]): FetchLike {
  let sent = 0
  return fetchOf(() => {
    const json = sent < 12 ? bodies[Math.min(sent, bodies.length - 1)] : END
    sent += 1
    return Response.json(json)
  })
}

it.each(Object.entries(METHODS))(
  '%s returns a value, or an error of this package, for any JSON as a response (property)',
  async (_, call) => {
    const mode = fc.constantFrom<ResponseValidation>('strict', 'warn', 'off')
    const responses = fc.array(body, { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(mode, responses, async (responseValidation, bodies) => {
        const fetch = answering(bodies)
        const options = { fetch, responseValidation, maxRetries: 1, orderRecoveryTimeout: 0 }
        const error: unknown = await call(clientOf(API, options)).then(
          () => undefined,
          (reason: unknown) => reason,
        )
        expect([error, error === undefined || isPathologyError(error)]).toEqual([error, true])
      }),
      { numRuns: 60 },
    )
  },
)
