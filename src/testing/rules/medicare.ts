import { endpoints } from '../../contract/endpoints.js'
import { SAMPLE_CARD, sampleOrder } from './order-samples.js'
import { type Refusal, type Samples, type ServiceRule, type WrongBody, wrongBodies } from './rule.js'

/** §4.1. */
export const MEDICARE_RULES: readonly ServiceRule[] = [
  {
    section: '4.1',
    text: 'Medicare tests create a separate referral, and the response is a list. One email contains both PDFs.',
    fake: 'Two referrals, or only the Medicare referral. One email when both are issued.',
    open: 'The condition for a list is described in two ways: `createShape`.',
    tests: ['testing/domain/referrals-medicare'],
  },
  {
    section: '4.1',
    text: 'An order with Medicare tests needs a practitioner with a provider record of the organisation. The record needs a signature.',
    fake: 'Otherwise MISSING_PROVIDER_NUMBER, INVALID_PROVIDER_NUMBER or MISSING_PROVIDER_SIGNATURE.',
    tests: ['testing/domain/referrals-medicare'],
    refusals: wrongPractitioner,
  },
  {
    section: '4.1',
    text: 'Only blood tests can be ordered under Medicare.',
    fake: 'INVALID_MEDICARE_TEST for a test whose `medicareListed` is `false` in `GET /v1/tests`.',
    tests: ['testing/domain/referrals-medicare'],
    refusals: wrongMedicareTests,
  },
  {
    section: '4.1',
    text: 'The Medicare card is checked on every order. An order with Medicare tests needs eleven digits, because the last digit is the IRN.',
    fake: 'INVALID_MEDICARE_NUMBER for an invalid checksum, first digit, issue number or IRN, and for an order with Medicare tests but without a card. A ten-digit card with Medicare tests gives INVALID_PAYLOAD.',
    open: 'Two codes are documented for a card number of ten digits: `shortMedicareCardCode`.',
    tests: ['testing/domain/referrals-create', 'testing/domain/referrals-medicare'],
    refusals: wrongCards,
  },
  {
    section: '4.1',
    text: 'If all problems have the same error code, such as INVALID_MEDICARE_NUMBER, the response has this code. Otherwise the code is INVALID_PAYLOAD. The error lists all problems.',
    fake: 'This applies to every combination of problems.',
    tests: ['testing/domain/referrals-medicare'],
    refusals: severalProblems,
  },
  {
    section: '4.1',
    text: 'A Medicare referral is created even if its results are not routed.',
    fake: '`routingMessage` says whether results are routed.',
    tests: ['testing/domain/referrals-medicare'],
  },
]

const INVALID = 'INVALID_PAYLOAD'
const CARD = 'INVALID_MEDICARE_NUMBER'
const { create } = endpoints.referrals

function medicareOrder({ tests: [test], practitioner }: Samples): Record<string, unknown> {
  return {
    ...sampleOrder({}),
    medicareTests: [test],
    medicareCardNumber: SAMPLE_CARD,
    orderingPractitioner: practitioner,
  }
}

function wrongPractitioner(samples: Samples): Refusal[] {
  const { practitioner, unsigned } = samples
  const doctor = (changes: Record<string, unknown>) => ({
    orderingPractitioner: {
      name: 'Contract Check',
      address: '1 Example Street',
      ...practitioner,
      ...changes,
    },
  })
  const unregistered = doctor({ providerNumber: '0000000X' })
  const malformed = ['', '242662B', '24266210B', '!!!!!!!!']
  return wrongBodies(create, medicareOrder(samples), [
    ['Medicare tests without a practitioner', { orderingPractitioner: undefined }, 'MISSING_PROVIDER_NUMBER'],
    ['unregistered provider number', unregistered, 'INVALID_PROVIDER_NUMBER'],
    ['text as orderingPractitioner', { orderingPractitioner: 'Dr Quill' }, INVALID, 'orderingPractitioner'],
    ['practitioner without a name', doctor({ name: undefined }), INVALID, 'name'],
    ['practitioner without an address', doctor({ address: undefined }), INVALID, 'address'],
    ...malformed.map(
      (providerNumber): WrongBody => [
        `provider number '${providerNumber}'`,
        doctor({ providerNumber }),
        [INVALID, 'INVALID_PROVIDER_NUMBER', 'MISSING_PROVIDER_NUMBER'],
      ],
    ),
    ...(unsigned === undefined
      ? []
      : [
          [
            'practitioner without a signature',
            doctor({ providerNumber: unsigned }),
            'MISSING_PROVIDER_SIGNATURE',
          ] as const,
        ]),
  ])
}

function wrongMedicareTests(samples: Samples): Refusal[] {
  const { tests, otherTests, practitioner } = samples
  const [other] = otherTests
  if (practitioner === undefined || other === undefined) return []
  return wrongBodies(create, medicareOrder(samples), [
    ['test that Medicare does not accept', { medicareTests: [other] }, 'INVALID_MEDICARE_TEST'],
    ['one such test among others', { medicareTests: [tests[0], other] }, 'INVALID_MEDICARE_TEST'],
    ['unknown Medicare test', { medicareTests: ['no-such-test'] }, [INVALID, 'INVALID_MEDICARE_TEST']],
    ['text as medicareTests', { medicareTests: tests[0] }, INVALID, 'medicareTests'],
  ])
}

/** A first digit that no card has, a wrong check digit, a wrong length, and letters. */
const WRONG_CARDS = ['1234567890', '29502756511', '2950275', 'abcdefghij']

function wrongCards(samples: Samples): Refusal[] {
  const test = samples.tests[0]
  const either = [CARD, INVALID]
  const good = sampleOrder({ tests: test === undefined ? [] : [test] })
  const commercial = WRONG_CARDS.map(
    (medicareCardNumber): WrongBody => [
      `Medicare card ${medicareCardNumber}`,
      { medicareCardNumber },
      either,
    ],
  )
  const both: WrongBody = [
    'invalid card and date of birth',
    { medicareCardNumber: WRONG_CARDS[0], dob: 'x' },
    INVALID,
    'medicareCardNumber',
    'dob',
  ]
  return [
    ...wrongBodies(create, good, [...commercial, both]),
    ...wrongBodies(create, good, commercial.slice(0, 1), { version: '1.0.0' }),
    ...(samples.practitioner === undefined ? [] : wrongMedicareCards(samples)),
  ]
}

function wrongMedicareCards(samples: Samples): Refusal[] {
  const good = medicareOrder(samples)
  return [
    ...wrongBodies(create, good, [
      ['Medicare tests without a card', { medicareCardNumber: undefined }, CARD],
      ['Medicare tests with an invalid card', { medicareCardNumber: WRONG_CARDS[1] }, CARD],
      ['Medicare tests with null as the card', { medicareCardNumber: null }, [CARD, INVALID]],
    ]),
    ...wrongBodies(
      create,
      good,
      [['Medicare card without its IRN', { medicareCardNumber: SAMPLE_CARD.slice(0, 10) }, INVALID]],
      { documented: 'status' },
    ),
  ]
}

function severalProblems(samples: Samples): Refusal[] {
  const card = { medicareCardNumber: undefined }
  const doctor = { orderingPractitioner: undefined }
  const [cardName, doctorName] = ['medicareCardNumber', 'orderingPractitioner']
  return wrongBodies(create, medicareOrder(samples), [
    ['Medicare tests with two problems', { ...card, ...doctor }, INVALID, cardName, doctorName],
    ['no card and no first name', { ...card, firstName: undefined }, INVALID, cardName, 'firstName'],
    ['no practitioner and a wrong date', { ...doctor, dob: 'x' }, INVALID, doctorName, 'dob'],
    ['no card and an unknown bundle', { ...card, bundleId: 'no-such-bundle' }, INVALID, cardName, 'bundleId'],
    [
      'four problems',
      { ...card, ...doctor, phone: 5, lastName: null },
      ...([INVALID, cardName, doctorName, 'phone', 'lastName'] as const),
    ],
  ])
}
