/**
 * What the fake does about one rule of the interface. `tests` are files below test/, each with a title in it; `open` is
 * what the interface does not settle, or what the fake does not do.
 *
 * @typedef {{ readonly at: string, readonly rule: string, readonly fake: string,
 *   readonly tests: readonly (readonly [file: string, title: string])[], readonly open?: string }} FakeRule
 */

/** @type {readonly FakeRule[]} */
export const RESOURCE_RULES = [
  {
    at: '1',
    rule: 'Everything belongs to one organisation; another’s records are not found.',
    fake: 'A second organisation owns every eighth seeded order, bundles, webhooks and provider numbers. No endpoint finds its records.',
    tests: [
      ['testing/domain/referrals', "§1 %s of another organisation's referral: 404"],
      ['testing/domain/results', "§1 another organisation's result: 404"],
      ['testing/domain/catalogue-bundles', '§1 never shows a bundle of another organisation'],
    ],
    open: 'One set of credentials: the other organisation cannot be logged in to.',
  },
  {
    at: '1',
    rule: 'Results are ordered, incoming, or (one day) uploaded.',
    fake: 'ORDERED and INCOMING results from the start, and by `results.receiveIncoming()`.',
    tests: [
      ['conformance/results', 'both ORDERED and INCOMING are there'],
      ['testing/domain/results', 'have no referral, and the patient as the laboratory wrote them'],
    ],
    open: 'UPLOADED is not sent, as the service does not send it; `unknownEnums` shows values nobody knows.',
  },
  {
    at: '2',
    rule: 'Every object names its type; times are ISO 8601.',
    fake: 'Every answer is held against the schemas that the client uses.',
    tests: [['testing/domain/contract', 'every answer of the fake fits the contract']],
  },
  {
    at: '2.1',
    rule: 'An address has a line, a city, a state and a country; the rest may be missing.',
    fake: 'Each missing part is named on its own.',
    tests: [['testing/domain/referrals-create', '§2.1 names each missing part of the address']],
  },
  {
    at: '2.2',
    rule: 'What is not known of a client is an empty string, a date of birth `null`.',
    fake: 'One in five seeded incoming results has such gaps.',
    tests: [
      ['testing/domain/results', '§2.2 what is not known of a client'],
      ['conformance/results', 'missing details of a client are empty strings, a missing dob is null'],
    ],
  },
  {
    at: '2.3',
    rule: 'An ordering practitioner needs a name, an address and a provider number.',
    fake: 'Each one missing is refused.',
    tests: [['testing/domain/referrals-medicare', '§2.3 refuses a practitioner without %s']],
  },
  {
    at: '2.4',
    rule: 'A referral has the fields of the table; `reference` is the service’s own, of eight digits.',
    fake: 'Every field on every endpoint, references unique.',
    tests: [
      ['conformance/orders', '§2.4 %s has its type'],
      ['testing/domain/referrals-create', '§2.4 gives every referral its own eight-digit reference'],
    ],
  },
  {
    at: '2.4',
    rule: 'The PDF is behind a signed URL that ends; a read gives a fresh one, and there is none before it exists or once deleted.',
    fake: 'Real PDFs on an origin of their own that refuses `Authorization`. URLs end on the fake’s clock.',
    tests: [
      ['testing/domain/documents', 'expire on the fake clock, and a fresh one comes with every read'],
      ['conformance/documents', 'links are time-limited; a re-fetch gives a fresh one'],
      ['testing/domain/referrals-methods', '§3.1, §2.4 where there is a PDF'],
    ],
    open: 'The lifetime is not published: `documentUrlLifetimeMs`. Nor the status of a dead link: 403, and `deletedDocumentStatus`.',
  },
  {
    at: '2.4',
    rule: '`emailSentAt` tells when the patient was emailed, if at all.',
    fake: '`referrals.emails()` has the emails themselves; none with `emailReferralToCustomer: false`.',
    tests: [
      ['testing/domain/referrals-create', '§2.4 sends no email with emailReferralToCustomer false'],
      ['conformance/environments', 'without an email when none was wanted'],
    ],
    open: 'No email leaves the machine.',
  },
  {
    at: '2.4',
    rule: '`medicare` tells a Medicare referral; an older description names the field differently.',
    fake: '`medicareFieldName` chooses.',
    tests: [['testing/domain/referrals-medicare', '§2.4 an older description calls the field bulkBilled']],
  },
  {
    at: '2.4',
    rule: '`routingMessage` comes with the Medicare referral in the answer to an order, and nowhere else.',
    fake: 'A sentence that names the laboratories that route, or says how to set it up.',
    tests: [
      ['testing/domain/referrals-medicare', '§2.4 the message is null on every other answer'],
      ['conformance/medicare', 'rule 9: routingMessage is a sentence on the Medicare one'],
    ],
    open: 'The wording is the fake’s own.',
  },
  {
    at: '2.5',
    rule: 'A result is the whole current snapshot: person, laboratory’s patient, report, summary, biomarkers.',
    fake: 'All of it, from the values of one seed, so that more arriving changes nothing that was there.',
    tests: [
      ['conformance/results', '%s has its type'],
      ['testing/domain/referrals-generate-results', 'one result that grows and keeps its values'],
      ['testing/domain/results', '§2.5 the person is as entered on the referral, also after an edit'],
    ],
  },
  {
    at: '2.5',
    rule: 'Report text is one entry a laboratory message, line-numbered; `null` on old results; for some results it is all there is.',
    fake: 'PIT lines with three-digit codes; seeded results of all three kinds; `reportOnly` makes more.',
    tests: [
      [
        'testing/domain/results',
        'one entry a laboratory message, in order, line-numbered, partial then full',
      ],
      ['conformance/results', 'a report without biomarkers is the whole result'],
    ],
  },
  {
    at: '2.6',
    rule: 'A biomarker has its value, unit, interval, additional ranges and a canonical reading.',
    fake: 'A catalogue of more than a hundred, units spelt as laboratories spell them, some converted; the flag follows from value and interval.',
    tests: [
      ['testing/domain/results', 'isAbnormal follows from the value and the interval'],
      ['testing/domain/results', 'laboratories spell units differently'],
      ['conformance/results', 'canonical already-standard repeats value and unit'],
      ['testing/console/console', '§2.6 draws each value where it lies in its interval'],
    ],
    open: '`canonical.status` beyond `already-standard` is not published: the fake says `converted` and `not-numeric`.',
  },
  {
    at: '2.6',
    rule: 'Female hormones have their phases in `additionalRanges`, some lipids a target at high risk.',
    fake: 'Both, in the laboratory’s unit and the canonical one.',
    tests: [
      ['testing/domain/results', 'female sex hormones: no primary interval, the phases in additionalRanges'],
      ['testing/domain/results', 'lipids: a primary interval, and a high-risk target beside it'],
    ],
  },
  {
    at: '2.10',
    rule: 'A provider record has a signature, dated, and one connection a laboratory.',
    fake: 'The image comes back as a data URI, byte for byte.',
    tests: [
      ['conformance/providers', 'the image comes back byte for byte as a data URI'],
      ['testing/domain/providers', '§2.10 absentProviderDetails: null'],
    ],
    open: 'How a missing title, phone or email shows: `absentProviderDetails`.',
  },
  {
    at: '2.11',
    rule: 'A collection centre has brand, vendor, address, coordinates, and hours of seven days or `null`.',
    fake: '5,900 generated ones in real towns, with breaks, 24:00, UNKNOWN days and none at all.',
    tests: [
      ['testing/domain/centres-data', '§2.11 has centres %s'],
      ['conformance/centre-records', '§2.11 opening hours over all centres'],
    ],
    open: 'Brands, names and vendors are invented.',
  },
  {
    at: '2.12',
    rule: 'A webhook’s URL is stored normalised.',
    fake: 'As the URL standard has it; comparisons go by what is stored.',
    tests: [
      ['conformance/webhook-urls', '§2.12 the url is stored normalised'],
      ['testing/domain/webhooks', '§2.12 URLs are compared as they are stored'],
    ],
  },
  {
    at: '2.13',
    rule: 'A price is whole cents: tests, discounts, fees, tax and totals that agree.',
    fake: 'Test prices of the catalogue, a bulk discount, a fee, ten per cent GST.',
    tests: [
      ['testing/domain/prices', '§2.13 amounts agree with each other for any choice of tests'],
      ['conformance/catalogue', 'tax makes the difference of the grand totals'],
    ],
    open: 'The service’s own discounts and fees are not published.',
  },
]
