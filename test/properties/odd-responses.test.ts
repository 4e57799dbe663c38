import fc from 'fast-check'
import { type FetchLike, isPathologyError, type ResponseValidation } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { clientOf, fetchOf } from '../support/clients.js'
import { callMethod, EVERY_METHOD, type MethodCall } from '../support/every-method.js'
import { medicareOrder, order, UUID } from '../support/samples.js'
import { API } from './list-world.js'

const METHODS: readonly MethodCall[] = [
  ...EVERY_METHOD.filter(([name]) => name !== 'referrals.waitFor'),
  ['referrals.waitFor', () => [UUID, { status: 'ISSUED', timeout: 50, interval: 1 }]],
  ['referrals.create', () => [order()]],
  ['referrals.create', () => [medicareOrder()]],
]

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

it.each(METHODS)(
  '%s returns a value, or an error of this package, for any JSON as a response (property)',
  async (name, args) => {
    const mode = fc.constantFrom<ResponseValidation>('strict', 'warn', 'off')
    const responses = fc.array(body, { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(mode, responses, async (responseValidation, bodies) => {
        const fetch = answering(bodies)
        const options = { fetch, responseValidation, maxRetries: 1, orderRecoveryTimeout: 0 }
        const error: unknown = await callMethod(clientOf(API, options), name, args()).then(
          () => undefined,
          (reason: unknown) => reason,
        )
        expect([error, error === undefined || isPathologyError(error)]).toEqual([error, true])
      }),
      { numRuns: 30 },
    )
  },
)
