/** @type {readonly import('./resources.mjs').FakeRule[]} */
export const GROUND_RULES = [
  {
    at: '4.7',
    rule: 'Lists page by an opaque cursor; the server says the size it applied; an empty page has no cursor.',
    fake: 'A cursor holds the position of the last record, so that records that come and go move nothing.',
    tests: [
      ['conformance/paging', '§4.7 records that come in between'],
      ['testing/server/lists', 'every record once and in order, whatever the page size and direction'],
    ],
  },
  {
    at: '4.7',
    rule: 'A cursor works only where it came from, with the same filters and sort.',
    fake: 'INVALID_PARAMETER for foreign, changed and unreadable ones.',
    tests: [
      ['conformance/paging', 'a cursor of each other list is refused'],
      ['testing/server/lists', 'no changed character passes'],
    ],
  },
  {
    at: '5',
    rule: 'The token service grants tokens for client credentials, in the header or the form.',
    fake: 'JWTs with issue and expiry on the fake’s clock; another pair each time.',
    tests: [
      ['conformance/token-service', '§5 grant by %s'],
      ['testing/auth/token-service', 'issues a JWT with issue and expiry on the fake clock'],
    ],
    open: 'Claims of the token are the fake’s own (its issuer is `pathology-fake`).',
  },
  {
    at: '5',
    rule: 'A refresh gives a new refresh token.',
    fake: 'Each works once; of many at the same moment one is granted.',
    tests: [
      ['testing/auth/token-service', 'rotates: a refresh token works once'],
      ['conformance/together', '30 refreshes with one refresh token: one is granted'],
    ],
    open: 'Whether the old one dies is not said: the fake is strict.',
  },
  {
    at: '5',
    rule: 'Errors of the token service have numbers, types and a shape of their own.',
    fake: 'All of 102, 108 to 111, 117, 118 and 123.',
    tests: [
      ['conformance/token-service', '§5 token errors {error, code, type, message}'],
      ['testing/auth/token-service', '102 UserNotFound once the account is closed, for both grants'],
    ],
    open: 'Their HTTP statuses are not shown: `tokenErrorStatuses`.',
  },
  {
    at: '5',
    rule: 'Every endpoint needs a bearer token, of its own environment.',
    fake: 'MISSING_AUTHORIZATION_HEADER, INVALID_JWT, INVALID_JWT_SIGNATURE, before anything else is looked at.',
    tests: [
      ['conformance/authentication', '§5 the door comes before everything else'],
      ['conformance/environments', '§9 a token of staging does not work in production'],
    ],
    open: '`tokens.revokeAll()`, `rotateSigningKey()` and the lifetimes bring each about.',
  },
  {
    at: '7',
    rule: 'Errors come in one envelope, as JSON, with every problem listed.',
    fake: 'Whatever the Accept header; unknown paths and methods too.',
    tests: [
      ['conformance/envelopes', '§7 roads that lead nowhere answer in the envelope'],
      ['testing/server/requests', '%s is 400 INVALID_PARAMETER with every problem'],
    ],
    open: 'Statuses that the table leaves empty: `errorStatuses`. Wordings are the fake’s own.',
  },
  {
    at: '7',
    rule: 'A parameter that nobody knows is an error.',
    fake: 'INVALID_PARAMETER on every endpoint.',
    tests: [
      ['conformance/envelopes', '§7 a query parameter nobody knows'],
      ['testing/server/requests', 'unknown query parameters pass with the option'],
    ],
    open: 'The rule stands in §4.5 and §7: `unknownQueryParameters`.',
  },
  {
    at: '8',
    rule: 'Pages have sizes: 20, or 10,000 centres; more is cut to that.',
    fake: '`cursor.count` shows what was applied; below 1 or no whole number is refused.',
    tests: [
      ['conformance/paging', 'count=%i is capped to 20'],
      ['conformance/centre-paging', '§4.5, §8 count'],
    ],
  },
  {
    at: '8',
    rule: 'An order can take over ten seconds.',
    fake: '`orderLatencyMs` on the fake’s clock, or the fault `latencyMs` in real time.',
    tests: [['testing/server/clock', '§8 a slow order is answered when its time has passed on the clock']],
    open: 'By default it takes none.',
  },
  {
    at: '8',
    rule: 'There are rate limits, without published numbers.',
    fake: '`faults.quota()` answers 429 with Retry-After.',
    tests: [
      [
        'testing/faults/fault-injector',
        'answers 429 with Retry-After above it, until the window ends on the fake clock',
      ],
    ],
    open: 'None unless asked for; the code of a 429 is the fake’s own.',
  },
  {
    at: '8',
    rule: 'Names, phones, searches, lists of UUIDs, radii and images have limits.',
    fake: 'Each to the last character or byte.',
    tests: [
      ['testing/domain/referrals', '§4.1, §8 refuses %s %j, as <message> [field: <name>]'],
      ['testing/domain/centres-filters', '§8 takes 100 and refuses 101'],
      ['testing/domain/providers', '§8 the size of a signature is checked on the decoded bytes'],
    ],
  },
  {
    at: '9',
    rule: 'The Accept header chooses the version; 1.0.0 when it names none.',
    fake: '1.0.0 orders blood tests and answers one object, 1.1.0 more and a list.',
    tests: [
      ['conformance/order-rules', '§9 the versions'],
      ['testing/server/requests', 'Accept %s gives %s'],
    ],
    open: 'Versions that are not there: `unknownVersion`.',
  },
  {
    at: '9',
    rule: 'Fields and values may be added without notice.',
    fake: '`extraFields` and `unknownEnums` add them.',
    tests: [
      ['testing/server/requests', '§9 additive fields appear on every object, and never inside metadata'],
      ['testing/server/requests', '§9 enum values that nobody knows yet'],
    ],
  },
  {
    at: '9',
    rule: 'Staging and production are apart.',
    fake: '`environment`; credentials of one are nothing in the other.',
    tests: [
      ['conformance/environments', '§4.1, §9 production'],
      ['testing/auth/token-service', '§1 credentials of staging do not work in production'],
    ],
  },
]
