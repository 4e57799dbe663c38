/** @type {readonly import('./resources.mjs').FakeRule[]} */
export const ORDER_RULES = [
  {
    at: '4.1',
    rule: '`POST /v1/referrals` takes the fields of the table.',
    fake: 'Each required field missing, and each of the wrong kind, is named; fields that no order has are refused.',
    tests: [
      ['conformance/orders', 'an order without %s'],
      ['testing/domain/referrals-create', '§7 names every problem at once'],
      [
        'testing/domain/referrals-create',
        'refuses a field that no order has, and lets it pass by the switch',
      ],
    ],
    open: 'Whether unknown fields are refused is not said: `unknownBodyFields`.',
  },
  {
    at: '4.1 rule 1',
    rule: 'An order must ask for tests, a bundle or Medicare tests.',
    fake: '400 otherwise, for empty lists too.',
    tests: [['conformance/orders', 'rule 1: neither tests nor bundle %j']],
  },
  {
    at: '4.1 rule 2',
    rule: 'Tests alone, a bundle alone with its product, or both; each test once.',
    fake: 'So it is, in their order.',
    tests: [
      [
        'testing/domain/referrals-create',
        '§4.1 rule 2 both: the bundle and the extra tests on one referral, duplicates removed',
      ],
      ['conformance/order-rules', 'bundleId alone: the tests of the bundle and its product'],
    ],
  },
  {
    at: '4.1 rule 3',
    rule: 'Bundles and Medicare tests need version 1.1.0; an unknown bundle has a code of its own.',
    fake: '400 that names the version to ask for; INVALID_BUNDLE_ID.',
    tests: [
      ['conformance/order-rules', 'rule 3: %s on v1.0.0 is 400 and speaks of the version'],
      ['testing/domain/referrals-create', '§4.1 rule 3 an unknown bundle gives INVALID_BUNDLE_ID'],
    ],
  },
  {
    at: '4.1 rule 4',
    rule: 'Medicare tests make a second referral, and the answer a list; one email carries both PDFs.',
    fake: 'Two referrals, or the Medicare one alone; one email once both are issued.',
    tests: [
      ['conformance/medicare', 'the commercial one holds tests, the Medicare one medicareTests'],
      ['testing/domain/referrals-medicare', '§4.1 rule 4 one email carries both PDFs'],
    ],
    open: 'When the answer is a list has two readings: `createShape`.',
  },
  {
    at: '4.1 rule 5',
    rule: 'The practitioner’s number must be registered with the organisation and have a signature.',
    fake: 'MISSING_PROVIDER_NUMBER, INVALID_PROVIDER_NUMBER, MISSING_PROVIDER_SIGNATURE.',
    tests: [
      ['conformance/medicare-refusals', '§4.1 rules 5 to 7: one problem'],
      [
        'testing/domain/referrals-medicare',
        '§4.4 once its record has a signature the number can order, and once retired no more',
      ],
    ],
  },
  {
    at: '4.1 rule 6',
    rule: 'Only blood tests can be ordered under Medicare.',
    fake: 'INVALID_MEDICARE_TEST for tests that `GET /v1/tests` does not show as `medicareListed`.',
    tests: [['conformance/medicare-refusals', 'rule 6: %s is not for Medicare']],
  },
  {
    at: '4.1 rule 7',
    rule: 'A Medicare card is checked on every order; ten digits are too few for a Medicare one.',
    fake: 'INVALID_MEDICARE_NUMBER by checksum, first digit, issue and IRN; a ten-digit card with Medicare tests is INVALID_PAYLOAD.',
    tests: [
      ['conformance/order-rules', '§4.1 rule 7 on a commercial order'],
      [
        'testing/domain/referrals-medicare',
        'ten digits with medicareTests: INVALID_PAYLOAD by rule 7, INVALID_MEDICARE_NUMBER by §7',
      ],
    ],
    open: 'Two sections name two codes for the short card: `shortMedicareCardCode`.',
  },
  {
    at: '4.1 rule 8',
    rule: 'The codes of card and practitioner stand for a sole problem; several are INVALID_PAYLOAD with each of them.',
    fake: 'So it is, in every combination.',
    tests: [
      [
        'conformance/medicare-refusals',
        '§4.1 rule 8: several problems are INVALID_PAYLOAD, each in errorList',
      ],
      ['testing/domain/referrals-medicare', '§4.1 rule 8: which code is given'],
    ],
  },
  {
    at: '4.1 rule 9',
    rule: 'Routing is advice: the referral is created without it too.',
    fake: 'The message says which it is.',
    tests: [['testing/domain/referrals-medicare', '§4.1 rule 9: routing is advice']],
  },
  {
    at: '4.1',
    rule: '`GET /v1/referrals` lists, oldest first unless asked otherwise.',
    fake: 'In order of creation, in time that grows with the page.',
    tests: [
      ['testing/domain/referrals', '§4.1 oldest first by default and with asc, newest first with desc'],
      ['testing/domain/orders-seed', 'ten thousand referrals: a page from the middle holds the right ones'],
    ],
  },
  {
    at: '4.1',
    rule: '`GET /v1/referrals/{uuid}` gives one.',
    fake: 'INVALID_PARAMETER for what is no UUID, REFERRAL_NOT_FOUND for one that is not there.',
    tests: [
      ['testing/domain/referrals', '§4.1 %s with an id that is no uuid: 400 INVALID_PARAMETER'],
      ['conformance/envelopes', '%s is INVALID_PARAMETER'],
    ],
  },
  {
    at: '4.1',
    rule: '`PATCH /v1/referrals/{uuid}` changes what is given; metadata is merged, `null` removes a key.',
    fake: 'So it is; problems read `<message> [field: <name>]`; nothing changes when one field is bad.',
    tests: [
      ['conformance/referral-changes', '§4.1 PATCH merges metadata'],
      ['conformance/referral-changes', 'a good field beside a bad one is not taken'],
    ],
  },
  {
    at: '4.1',
    rule: '`DELETE /v1/referrals/{uuid}` answers the referral as deleted.',
    fake: 'Again and again alike.',
    tests: [['testing/domain/referrals', '§4.1 a second delete answers as the first did']],
  },
  {
    at: '4.1',
    rule: '`PUT /v1/referrals/{uuid}`, in staging alone, makes dummy results; `?partial` some of them.',
    fake: 'Random values from the seed; partial, partial again, then the rest; 404 in production.',
    tests: [
      ['conformance/referral-changes', '§4.1 PUT makes dummy results'],
      ['testing/domain/referrals-generate-results', '§9 is not there in production: 404'],
    ],
    open: 'On a COMPLETE referral: `repeatedResults`.',
  },
  {
    at: '4.2',
    rule: '`GET /v1/results/{uuid}` and `GET /v1/results` give ordered and incoming results.',
    fake: 'RESULT_NOT_FOUND, and the paging of every list.',
    tests: [
      ['testing/domain/results', '§4.2 pages like the other lists, ORDERED and INCOMING together'],
      ['testing/domain/results', '§4.2 an id that is no uuid: 400; one that is not there: 404'],
    ],
    open: 'The list’s wrapper is not shown: `resultListWrapper`.',
  },
]
