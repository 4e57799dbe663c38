import { ENDPOINTS, endpoints } from '../../contract/endpoints.js'
import { type Refusal, type ServiceRule, wrongQueries } from './rule.js'

/** §4.7, §5, §7, §8, §9. */
export const REQUESTS_RULES: readonly ServiceRule[] = [
  {
    section: '4.7',
    text: 'Lists have pages with an opaque cursor. The response shows the applied page size. An empty page has no cursor.',
    fake: 'A cursor contains the position of the last record. New and removed records do not move the following pages.',
    tests: ['conformance/paging'],
    refusals: wrongCursors,
  },
  {
    section: '4.7',
    text: 'A cursor is valid only for its list, filters and order.',
    fake: "INVALID_PARAMETER for another list's cursor and for a changed cursor.",
    tests: ['conformance/paging'],
  },
  {
    section: '4.7',
    text: 'A page has at most 20 records, or 10,000 centres. A larger `count` is reduced.',
    fake: '`cursor.count` shows the applied size. A `count` that is not a positive integer is rejected.',
    tests: ['conformance/paging', 'testing/domain/centres-paging'],
    refusals: wrongPages,
  },
  {
    section: '5',
    text: 'The token service issues tokens for client credentials in the header or the form.',
    fake: "JWTs with issue and expiry times by the fake's clock. Every grant returns a new access token and a new refresh token.",
    open: "The claims are the fake's own (the issuer is `pathology-fake`).",
    tests: ['testing/auth/token-service'],
  },
  {
    section: '5',
    text: 'A refresh returns a new refresh token.',
    fake: 'Each refresh token works once, also for concurrent requests.',
    open: 'Whether the old refresh token stays valid is not documented.',
    tests: ['testing/auth/token-service', 'conformance/together'],
  },
  {
    section: '5',
    text: 'Errors of the token service have numbers, types and their own shape.',
    fake: 'The fake sends all codes: 102, 108 to 111, 117, 118 and 123.',
    open: 'Their HTTP statuses are not documented: `tokenErrorStatuses`.',
    tests: ['testing/auth/token-service'],
  },
  {
    section: '5',
    text: 'Every endpoint needs a bearer token of its environment.',
    fake: 'MISSING_AUTHORIZATION_HEADER, INVALID_JWT, INVALID_JWT_SIGNATURE, before the version, the parameters and the fields are checked.',
    open: '`tokens.revokeAll()`, `rotateSigningKey()` and the lifetimes of tokens cause these errors.',
    tests: ['testing/auth/token-service', 'testing/domain/referrals-methods'],
    refusals: wrongTokens,
  },
  {
    section: '7',
    text: 'Errors have one JSON envelope and list every problem.',
    fake: 'This applies with any Accept header, also for unknown paths and methods.',
    open: "Undocumented statuses: `errorStatuses`. The texts are the fake's own.",
    tests: ['testing/server/requests'],
    refusals: wrongFormats,
  },
  {
    section: '7',
    text: 'Unknown query parameters are rejected.',
    fake: 'INVALID_PARAMETER on every endpoint.',
    open: "`unknownQueryParameters: 'ignore'` accepts them, except in the list of collection centres.",
    tests: ['testing/server/requests'],
    refusals: unknownParameters,
  },
  {
    section: '8',
    text: 'There are rate limits without documented numbers.',
    fake: '`faults.quota()` gives 429 with Retry-After.',
    open: "No limit by default. The status 429 and its code are the fake's own.",
    tests: ['testing/faults/rate-limit'],
  },
  {
    section: '8',
    text: 'Names, phones, searches, lists of UUIDs, radii and images have limits.',
    fake: 'The limits are exact to one character or byte.',
    tests: ['testing/domain/referrals', 'testing/domain/centres-filters', 'testing/domain/providers'],
  },
  {
    section: '9',
    text: "The Accept header selects the version. Without the service's media type in this header, the version is 1.0.0.",
    fake: 'Version 1.0.0 accepts only blood tests and returns one referral. Version 1.1.0 accepts all tests, bundles and Medicare tests, and returns a list.',
    open: 'Missing, malformed and unknown versions in the media type: `unknownVersion`.',
    tests: ['testing/domain/referrals-create', 'testing/server/requests'],
    refusals: wrongVersions,
  },
  {
    section: '9',
    text: 'Fields and values can be added without notice.',
    fake: '`extraFields` and `unknownEnums` add them.',
    tests: ['testing/server/requests'],
  },
  {
    section: '9',
    text: 'Staging and production are separate.',
    fake: '`environment` selects one of them. An access token of one environment is not valid in the other. The default client id and secret are the same in both: set `clientId` and `clientSecret` to test this.',
    tests: ['testing/domain/referrals-methods', 'testing/auth/token-service'],
  },
]

const LISTS = [
  ...[endpoints.referrals.list, endpoints.results.list, endpoints.bundles.list],
  ...[endpoints.providers.list, endpoints.webhooks.list],
]

function wrongCursors(): Refusal[] {
  const cursors = ['not-a-cursor', '%', 'e30=', '-1', 'a'.repeat(2_000)]
  return LISTS.flatMap((list, index) => {
    // Every list gets the first, and all lists together get all of them.
    const some = cursors.filter((_, position) => position === 0 || position === index)
    return wrongQueries(
      list,
      some.map((cursor) => [`cursor '${cursor.slice(0, 20)}'`, { cursor }, 'cursor']),
    )
  })
}

function wrongPages(): Refusal[] {
  return LISTS.flatMap((list) =>
    wrongQueries(list, [
      ['negative count', { count: -1 }, 'count'],
      ['count in letters', { count: '1e' }, 'count'],
      ['unknown sort', { sort: 'sideways' }, 'sort'],
      ['sort in capitals', { sort: 'ASC' }, 'sort'],
      ['several invalid parameters', { count: -1, sort: 'up' }, 'count', 'sort'],
    ]),
  )
}

/** Requests in which everything is wrong: the token is checked first. */
function wrongTokens(): Refusal[] {
  return ENDPOINTS.flatMap((endpoint): Refusal[] => {
    const nonsense = { endpoint, id: 'nonsense', ...(endpoint.body !== undefined && { raw: '{' }) }
    const noToken = { situation: 'without the Authorization header', token: null }
    const noJwt = { situation: 'invalid access token', token: 'not-a-jwt' }
    return [
      { ...nonsense, ...noToken, code: 'MISSING_AUTHORIZATION_HEADER' },
      { ...nonsense, ...noJwt, code: ['INVALID_JWT', 'INVALID_JWT_SIGNATURE'] },
    ]
  })
}

function wrongFormats(): Refusal[] {
  const bodies = ENDPOINTS.filter(({ body, path }) => body !== undefined && !path.includes('{'))
  return [
    ...bodies.flatMap((endpoint) =>
      ['{"a":', '[]', 'null', '"text"'].map((raw): Refusal => {
        return { endpoint, situation: `body ${raw}`, raw, code: 'INVALID_PAYLOAD' }
      }),
    ),
    {
      endpoint: endpoints.referrals.retrieve,
      situation: 'error without an Accept header',
      id: 'not-a-uuid',
      version: null,
      code: 'INVALID_PARAMETER',
    },
  ]
}

function unknownParameters(): Refusal[] {
  return ENDPOINTS.filter(({ method, path }) => method === 'GET' && !path.includes('{'))
    .filter(({ id }) => id !== 'centres.list')
    .flatMap((endpoint) =>
      wrongQueries(endpoint, [['unknown parameter', { colour: 'red' }, 'colour']], { documented: false }),
    )
}

function wrongVersions(): Refusal[] {
  const endpoint = endpoints.vendors.list
  const situation = 'unknown version in the Accept header'
  return [{ endpoint, situation, version: '1.99.0', code: 'INVALID_PARAMETER', documented: false }]
}
