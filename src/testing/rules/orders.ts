import { endpoints } from '../../contract/endpoints.js'
import { identifierRefusals } from './identifiers.js'
import { SAMPLE_CARD, sampleOrder } from './order-samples.js'
import {
  type Refusal,
  type Samples,
  type ServiceRule,
  type WrongBody,
  wrongBodies,
  wrongValues,
} from './rule.js'

const { create, retrieve, update, delete: remove, generateResults } = endpoints.referrals

/** §3.1, §4.1. */
export const ORDERS_RULES: readonly ServiceRule[] = [
  {
    section: '3.1',
    text: 'Referrals change their status by fixed transitions, each with its event.',
    fake: 'Requests and control methods share one table. A test tries every transition from every status.',
    open: 'Transitions to INSUFFICIENT_DATA, REFUNDED, FAILED_TEST and TRANSFERRED are not documented. The fake has plausible transitions ([table](fake.md#transitions-of-a-referral)).',
    tests: ['testing/domain/referrals-methods', 'testing/domain/webhooks', 'testing/console/console-reads'],
  },
  {
    section: '3.1',
    text: 'A new referral is CREATED and becomes ISSUED when its PDF exists. The response to an order can show either.',
    fake: 'The response shows CREATED. The next read shows ISSUED.',
    open: 'The status in the response: `createdStatus`. The time of the issue: `issueTiming`.',
    tests: ['testing/domain/referrals-create', 'testing/domain/referrals-methods'],
  },
  {
    section: '3.1',
    text: "An order can require verification of the patient's profile, or fail its billing.",
    fake: '`referrals.nextOrders()` or the option `orderOutcome` sets the outcome. `billing-failed` does not apply to Medicare referrals, because they are not billed.',
    open: 'The time of the verification: `verifyTiming`.',
    tests: ['testing/domain/referrals', 'testing/domain/referrals-create'],
  },
  {
    section: '3.1',
    text: 'An update schedules a new PDF. Only CREATED and ISSUED referrals can be updated.',
    fake: 'SCHEDULED_REISSUE without a PDF, then ISSUED again. INVALID_STATUS in other statuses.',
    open: 'The time of the new PDF: `reissueTiming`.',
    tests: ['testing/domain/referrals'],
  },
  {
    section: '4.1',
    text: 'Only the response to a Medicare order has a `routingMessage`.',
    fake: '`routingMessage` names the vendors that route results to the organisation, or says that no vendor does.',
    open: "The text is the fake's own.",
    tests: ['testing/domain/referrals-medicare'],
  },
  {
    section: '4.1',
    text: 'A DELETE marks the referral, removes its PDF and keeps its status.',
    fake: 'A deleted referral can be read and deleted again, but not updated. A control method can still add results.',
    open: 'The response of other endpoints for a deleted referral: `deletedReferrals`.',
    tests: ['testing/domain/referrals'],
  },
  {
    section: '4.1',
    text: '`GET /v1/referrals` lists referrals, oldest first by default.',
    fake: 'In order of creation. The duration of a request depends on the size of the page, not on the length of the list.',
    tests: ['testing/domain/referrals', 'testing/domain/orders-seed'],
  },
  {
    section: '4.1',
    text: '`GET /v1/referrals/{uuid}` returns one referral.',
    fake: 'INVALID_PARAMETER for an id that is not a UUID, REFERRAL_NOT_FOUND for an unknown UUID.',
    tests: ['testing/domain/referrals', 'testing/server/requests'],
    refusals: () => identifierRefusals(retrieve, 'REFERRAL_NOT_FOUND'),
  },
  {
    section: '4.1',
    text: '`PATCH /v1/referrals/{uuid}` changes the given fields. Metadata is merged; `null` removes a key.',
    fake: 'Problems have the form `<message> [field: <name>]`. If one field is invalid, nothing changes.',
    tests: ['testing/domain/referrals'],
    refusals: wrongUpdates,
  },
  {
    section: '4.1',
    text: '`DELETE /v1/referrals/{uuid}` returns the deleted referral.',
    fake: 'A repeated delete returns the same referral.',
    tests: ['testing/domain/referrals'],
    refusals: () => identifierRefusals(remove, 'REFERRAL_NOT_FOUND'),
  },
  {
    section: '4.1',
    text: '`PUT /v1/referrals/{uuid}` generates dummy results in staging. `?partial` generates a part of them.',
    fake: 'Random values that the seed determines. 404 in production.',
    open: 'The effect on a COMPLETE referral: `repeatedResults`.',
    tests: ['testing/domain/referrals', 'testing/domain/referrals-generate-results'],
    refusals: () => identifierRefusals(generateResults, 'REFERRAL_NOT_FOUND'),
  },
  {
    section: '4.1',
    text: '`POST /v1/referrals` accepts the documented fields.',
    fake: 'The error lists each missing field and each field of the wrong type. Unknown fields are rejected.',
    open: 'Whether unknown fields are rejected is not documented: `unknownBodyFields`.',
    tests: ['testing/domain/referrals-create'],
    refusals: wrongFields,
  },
  {
    section: '4.1',
    text: 'An order contains tests, a bundle or Medicare tests.',
    fake: 'Otherwise the response is 400, also for empty lists.',
    tests: ['testing/domain/referrals-create'],
    refusals: noContent,
  },
  {
    section: '4.1',
    text: 'A commercial order has tests, a bundle, or both. Each test is ordered once.',
    fake: 'The tests keep their order.',
    tests: ['testing/domain/referrals-create'],
  },
  {
    section: '4.1',
    text: 'Bundles and Medicare tests need version 1.1.0. An unknown bundle has its own code.',
    fake: 'In version 1.0.0 the response is a 400 that names the required version. An unknown bundle gives INVALID_BUNDLE_ID.',
    tests: ['testing/domain/referrals-create'],
    refusals: olderVersion,
  },
  {
    section: '4.1',
    text: 'An order can take more than ten seconds.',
    fake: "`orderLatencyMs` sets the latency on the fake's clock. The fault `latencyMs` sets it in real time.",
    open: 'No latency by default.',
    tests: ['testing/server/clock'],
  },
]

const INVALID = 'INVALID_PAYLOAD'
const REQUIRED = ['firstName', 'lastName', 'email', 'phone', 'address', 'dob', 'gender', 'referenceNumber']
const WRONG_FIELDS = ['dob', 'gender', 'metadata']

/** Values of a field that must not be absent, and of one that must also be a text or an object. */
const ABSENT = [undefined, null]
const UNFIT = [...ABSENT, 12]

function wrongFields({ tests: [test] }: Samples): Refusal[] {
  const good = sampleOrder({ tests: test === undefined ? [] : [test] })
  const { address } = good
  const empty = { endpoint: create, body: {}, code: INVALID, names: REQUIRED }
  return [
    { ...empty, situation: 'empty order' },
    { ...empty, situation: 'empty order in version 1.0.0', version: '1.0.0' },
    ...wrongBodies(create, good, [
      ...wrongValues(INVALID, {
        firstName: UNFIT,
        lastName: UNFIT,
        email: UNFIT,
        phone: UNFIT,
        address: [...UNFIT, {}],
        dob: [...UNFIT, '', '31/01/1980', '1980-1-31', '1981-02-29', '19800131', '1980-01-31T00:00:00Z'],
        gender: [...UNFIT, '', 'Male', 'other'],
        referenceNumber: UNFIT,
        tests: [test, [1]],
        emailReferralToCustomer: ['yes'],
        metadata: ['a', [1]],
        dvaNumber: [1],
        clinicalNotes: [1],
      }),
      ...wrongValues(
        INVALID,
        {
          addressLine1: ABSENT,
          city: ABSENT,
          state: ABSENT,
          country: ABSENT,
          postCode: [810],
        },
        (field) => ({ address: { ...address, ...field } }),
      ),
      ['several invalid fields', { dob: 'x', gender: 'x', metadata: 'x' }, INVALID, ...WRONG_FIELDS],
    ]),
    ...wrongBodies(
      create,
      good,
      [
        ['unknown test', { tests: ['no-such-test'] }, INVALID, 'tests'],
        ['unknown test next to a known one', { tests: [test, 'no-such-test'] }, INVALID, 'tests'],
        ['unknown field', { colour: 'red' }, INVALID, 'colour'],
      ],
      { documented: false },
    ),
  ]
}

function noContent(): Refusal[] {
  const rows: readonly WrongBody[] = [
    ['order without tests', {}, INVALID, 'tests'],
    ['order with an empty list of tests', { tests: [] }, INVALID, 'tests'],
  ]
  return [
    ...wrongBodies(create, sampleOrder({}), rows),
    ...wrongBodies(create, sampleOrder({}), rows.slice(1), { version: '1.0.0' }),
  ]
}

function olderVersion({ tests: [test], bundles: [bundle] }: Samples): Refusal[] {
  const older = wrongBodies(
    create,
    sampleOrder({}),
    [
      [
        'Medicare tests in version 1.0.0',
        { medicareTests: [test], medicareCardNumber: SAMPLE_CARD },
        INVALID,
      ],
      ...(bundle === undefined ? [] : [['bundle in version 1.0.0', { bundleId: bundle }, INVALID] as const]),
    ],
    { version: '1.0.0', documented: 'status' },
  )
  return [
    ...older,
    ...wrongBodies(create, sampleOrder({ tests: test === undefined ? [] : [test] }), [
      ['unknown bundle', { bundleId: 'no-such-bundle' }, 'INVALID_BUNDLE_ID'],
      ['number as bundleId', { bundleId: 1 }, [INVALID, 'INVALID_BUNDLE_ID']],
    ]),
  ]
}

function wrongUpdates(): Refusal[] {
  const fields = {
    firstName: ['', 'C', 5, null],
    lastName: ['C', null],
    phone: ['12345', 123456, null],
    dob: ['', '1980-1-31', '1981-02-29', 19800131, null],
    gender: ['other', 'Male', null],
    email: [5, null],
    address: ['text', {}, null],
    metadata: ['text', [1]],
  }
  const several = { firstName: 'C', phone: '1', dob: 'x' }
  return [
    ...identifierRefusals(update, 'REFERRAL_NOT_FOUND', { firstName: 'Contrast' }),
    ...wrongBodies(update, {}, [
      ...wrongValues(INVALID, fields),
      ['several invalid fields of an update', several, INVALID, ...Object.keys(several)],
    ]).map((refusal) => ({ ...refusal, names: (refusal.names ?? []).map((name) => `[field: ${name}`) })),
  ]
}
