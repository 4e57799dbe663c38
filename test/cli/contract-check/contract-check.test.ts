import { expect, it } from 'vitest'
import { record, records } from '../../testing/support.js'
import { environmentOf, runCommand } from '../run-command.js'
import { differencesOf, READS, startContractFake, WRITES, withoutSteps } from './contract-world.js'
import { startTampering, type Tamper } from './tampering.js'

it('contract check of the fake finds no difference, leaves no records behind, and lists the parts that it did not check', async () => {
  const fake = await startContractFake()
  const { code, differences, report } = await differencesOf(environmentOf(fake), WRITES)
  expect({ code, differences }).toEqual({ code: 0, differences: [] })
  expect(report).toMatchObject({ environment: 'staging', wrote: true })
  expect(records(report['notChecked']).map(({ endpoint }) => endpoint)).toEqual(
    ['save', 'update', 'retire', 'requestRouting'].map((name) => `providers.${name}`),
  )
  expect(Object.keys(record(report['checked']))).toEqual(
    expect.arrayContaining([
      'oauth.token',
      'referrals.create',
      'referrals.document',
      'results.document',
      'centres.list',
    ]),
  )
  const ours = fake.referrals.all().filter(({ referenceNumber }) => referenceNumber === 'contract-check')
  expect(ours.length).toBe(4)
  expect(ours.every(({ deletedAt }) => deletedAt !== null)).toBe(true)
  expect(fake.requests.filter(({ status }) => status !== null && status >= 500)).toEqual([])
})

it('contract check in a pipe prints the heading of the CSV, and the summary on standard error', async () => {
  const env = environmentOf(await startContractFake())
  const { code, stdout, stderr } = await runCommand(['contract', 'check', '--max-pages', '1'], { env })
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'level,endpoint,case,path,expected,seen,times\r\n' })
  expect(withoutSteps(stderr)).toMatch(/^\d+ requests: 0 differences from the contract/)
  expect(stderr).toContain('not checked (needs --write)')
})

it('contract check only reads without --write, and sends credentials with any characters as the client does', async () => {
  const fake = await startContractFake({ clientSecret: 'sécret-€' })
  const state = () =>
    fake.referrals.all().map(({ uuid, status, updatedAt, deletedAt }) => [uuid, status, updatedAt, deletedAt])
  const before = state()
  const { code, differences } = await differencesOf(environmentOf(fake), READS)
  expect({ code, differences }).toEqual({ code: 0, differences: [] })
  expect(state()).toEqual(before)
  const changing = fake.requests.filter(({ method, part }) => part === 'api' && method !== 'GET')
  expect(new Set(changing.map(({ route }) => route))).toEqual(new Set(['prices.calculate']))
})

/** Changes of responses that another implementation of the service could have, and the text that names each. */
const PLANTED: readonly (readonly [name: string, tamper: Tamper, expected: RegExp])[] = [
  [
    'a number as a string',
    {
      path: /^\/v1\/tests/,
      json: (body) => ({ tests: records(body['tests']).map((test) => ({ ...test, priceCents: '1200' })) }),
    },
    /^contract tests\.list \(record\) tests\[\]\.priceCents: integer, not string$/,
  ],
  [
    'a missing required field',
    {
      path: /^\/v1\/vendors/,
      json: (body) => ({ vendors: records(body['vendors']).map(({ name: _, ...vendor }) => vendor) }),
    },
    /^contract vendors\.list \(record\) vendors\[\]\.name: string, not missing$/,
  ],
  [
    'an unknown enum value',
    {
      path: /^\/v1\/collection-centres\?/,
      json: (body) => ({
        ...body,
        collectionCentres: records(body['collectionCentres']).map((centre) => ({
          ...centre,
          status: 'OPEN',
        })),
      }),
    },
    /^contract centres\.list \(record\) collectionCentres\[\]\.status: one of ACTIVE, MISSING, RETIRED, not another string$/,
  ],
  [
    'no cursor on a full page',
    { path: /^\/v1\/bundles/, json: ({ cursor: _, ...body }) => body },
    /^contract bundles\.list \(page\) cursor: object, not missing$/,
  ],
  [
    'another wrapper',
    { path: /^\/v1\/providers(\?|$)/, json: ({ providers, ...body }) => ({ data: providers, ...body }) },
    /^contract providers\.list \(page\) \(whole response\): object with providers, not object with data$/,
  ],
  [
    'another status of a known error',
    { path: /^\/v1\/results\/0{8}/, status: 400 },
    /^contract results\.retrieve \(unknown UUID\) status: 404, not 400 RESULT_NOT_FOUND$/,
  ],
  [
    'an error envelope without its list',
    { path: /^\/v1\/webhooks\/not-a-uuid/, json: ({ errorList: _, ...body }) => body, errors: true },
    /^contract webhooks\.retrieve \(malformed identifier\) errorList: array, not missing$/,
  ],
  [
    'another media type of PDFs',
    { path: /\.pdf|\/documents\//, mediaType: 'application/octet-stream' },
    /^contract referrals\.document \(PDF\) content-type header: application\/pdf, not application\/octet-stream$/,
  ],
  [
    'a missing field in a nested list',
    {
      path: /^\/v1\/results\/[1-9a-f]/,
      json: (body) => ({
        ...body,
        biomarkers: records(body['biomarkers'] ?? []).map(({ category: _, ...biomarker }) => biomarker),
      }),
    },
    /^contract results\.retrieve \(record\) biomarkers\[\]\.category: object, not missing$/,
  ],
  [
    'another token response',
    {
      path: /^\/oauth\/token/,
      json: (body) => ('expires_in' in body ? { ...body, expires_in: '3600' } : body),
    },
    /^contract oauth\.token \(Basic header\) expires_in: integer, not string$/,
  ],
  [
    'an ignored version header',
    { path: /^\/v1\/vendors/, accept: 'application/vnd.svc.v1.1.0+json' },
    /^reading vendors\.list \(unknown version in the Accept header\) status: 400, not 200$/,
  ],
  [
    'null in place of a list',
    {
      path: /^\/v1\/referrals\/[1-9a-f]/,
      json: (body) => ('tests' in body ? { ...body, tests: null } : body),
    },
    /^contract referrals\.retrieve \(record\) tests: array, not null$/,
  ],
  [
    'a time in another form',
    {
      path: /^\/v1\/webhooks(\?|$)/,
      json: (body) => ({
        ...body,
        webhooks: records(body['webhooks']).map((each) => ({ ...each, createdAt: 'today' })),
      }),
    },
    /^contract webhooks\.list \(record\) webhooks\[\]\.createdAt: ISO 8601 timestamp, not another string$/,
  ],
  [
    'JSON with another media type',
    { path: /^\/v1\/biomarkers/, mediaType: 'text/plain' },
    /^contract biomarkers\.list \(first page\) content-type header: application\/json, not text\/plain$/,
  ],
]

/** Differences that the planted changes cause in other requests to the same endpoints. */
const CONSEQUENCES: readonly RegExp[] = [
  /^contract oauth\.token \(.+\) expires_in: integer, not string$/,
  /^contract biomarkers\.list \(.+\) content-type header/,
  /^contract results\.document \(PDF\) content-type header/,
]

it('contract check reports each difference of another implementation, no others, and no value of a record', async () => {
  const fake = await startContractFake()
  const env = {
    ...environmentOf(fake),
    ...(await startTampering(
      fake,
      PLANTED.map(([, tamper]) => tamper),
    )),
  }
  const { code, differences, stdout } = await differencesOf(env, READS)
  expect(code).toBe(3)
  for (const [name, , pattern] of PLANTED)
    expect(differences, name).toContainEqual(expect.stringMatching(pattern))
  const planted = [...PLANTED.map(([, , pattern]) => pattern), ...CONSEQUENCES]
  expect(differences.filter((text) => !planted.some((pattern) => pattern.test(text))).join('\n')).toBe('')
  for (const { person } of fake.referrals.all())
    for (const value of [person.lastName, person.email, person.phone])
      expect(stdout).not.toContain(`"${value}"`)
})

it('contract check --write reports from orders that the version header is ignored', async () => {
  const fake = await startContractFake()
  const tamper: Tamper = { path: /^\/v1\//, accept: 'application/vnd.svc.v1.1.0+json' }
  const env = { ...environmentOf(fake), ...(await startTampering(fake, [tamper])) }
  const { differences } = await differencesOf(env, WRITES)
  expect(differences).toEqual(
    expect.arrayContaining([
      'contract referrals.create (order in version 1.0.0) (whole response): object, not array',
      'contract referrals.create (bundle in version 1.0.0) status: 400, not 200',
    ]),
  )
  expect(
    fake.referrals
      .all()
      .filter((each) => each.referenceNumber === 'contract-check' && each.deletedAt === null),
  ).toEqual([])
})

/** Changes of behaviour and of responses that the list above does not have, and the text that names each. */
const MISBEHAVIOUR: readonly (readonly [name: string, tamper: Tamper, expected: RegExp])[] = [
  [
    'a renamed field',
    {
      path: /^\/v1\/biomarkers/,
      json: (body) => ({
        biomarkers: records(body['biomarkers']).map(({ commonName, ...rest }) => ({
          ...rest,
          common_name: commonName,
        })),
      }),
    },
    /^contract biomarkers\.list \(record\) biomarkers\[\]\.commonName: string or null, not missing$/,
  ],
  [
    'cursor.count as it was sent, not as it was applied',
    {
      path: /^\/v1\/referrals\?count=21/,
      json: (body) => ({ ...body, cursor: { ...record(body['cursor']), count: 21 } }),
    },
    /^contract referrals\.list \(count above the maximum\) cursor\.count: 20, not another number$/,
  ],
  [
    'an enum value in another case',
    {
      path: /^\/v1\/collection-centres\/[1-9a-f]/,
      json: (body) => ({ ...body, status: String(body['status']).toLowerCase() }),
    },
    /^contract centres\.retrieve \(record\) status: one of ACTIVE, MISSING, RETIRED, not another string$/,
  ],
  [
    'another code with 404',
    {
      path: /^\/v1\/referrals\/0{8}/,
      method: 'GET',
      errors: true,
      json: (body) => ({ ...body, code: 'NOT_FOUND' }),
    },
    /^contract referrals\.retrieve \(unknown UUID\) code: REFERRAL_NOT_FOUND, not another code$/,
  ],
  [
    'an extra wrapper',
    { path: /^\/v1\/webhooks\/[1-9a-f]/, json: (data) => ({ data }) },
    /^contract webhooks\.retrieve \(record\) id: string, not missing$/,
  ],
  [
    'a date of birth with a time',
    {
      path: /^\/v1\/referrals\/[1-9a-f]/,
      json: (body) => ({ ...body, person: { ...record(body['person']), dob: '1980-01-31T00:00:00Z' } }),
    },
    /^contract referrals\.retrieve \(record\) person\.dob: date YYYY-MM-DD, not another string$/,
  ],
  [
    'a cursor that is ignored',
    { path: /^\/v1\/results\?/, dropQuery: 'cursor' },
    /^contract results\.list \(page after count=2\) results: records that are not on an earlier page, not repeated records$/,
  ],
  [
    'a sort that is ignored',
    { path: /^\/v1\/providers\?/, dropQuery: 'sort' },
    /^contract providers\.list \(sort\) providers: another order with sort=desc than with sort=asc, not the same order$/,
  ],
  [
    'a count that is ignored',
    { path: /^\/v1\/webhooks\?/, dropQuery: 'count' },
    /^contract webhooks\.list \(count=2\) cursor\.count: 2, not another number$/,
  ],
  [
    'a filter that is ignored',
    { path: /^\/v1\/collection-centres\?/, dropQuery: 'states' },
    /^contract centres\.list \(filter states\) collectionCentres\[\]\.state: the value of the filter, not another value$/,
  ],
  [
    'status 201 of an order',
    { path: /^\/v1\/referrals$/, method: 'POST', status: 201 },
    /^contract referrals\.create \(order in version 1\.1\.0\) status: 200, not 201$/,
  ],
  [
    'a price that differs from its cents',
    {
      path: /^\/v1\/tests/,
      json: (body) => ({ tests: records(body['tests']).map((test) => ({ ...test, price: 0.5 })) }),
    },
    /^contract tests\.list \(record\) tests\[\]\.priceCents: price in cents, not integer$/,
  ],
  [
    'the PDF of a deleted referral',
    {
      path: /^\/v1\/referrals\?/,
      json: (body) => ({
        ...body,
        referrals: records(body['referrals']).map((each) => ({ ...each, deletedAt: each['createdAt'] })),
      }),
    },
    /^contract referrals\.list \(record\) referrals\[\]\.referralAttachment: null without a PDF and after deletion, not another string$/,
  ],
  [
    'a token error without its type',
    { path: /^\/oauth\/token/, json: ({ type: _, ...body }) => body, errors: true },
    /^contract oauth\.token \(unsupported grant type\) type: string, not missing$/,
  ],
  [
    'an update that replaces metadata',
    {
      path: /^\/v1\/referrals\/[1-9a-f]/,
      method: 'PATCH',
      json: (body) => ({ ...body, metadata: { contractCheck: null, updated: 'yes' } }),
    },
    /^contract referrals\.update \(update\) metadata: merged; the key that the update set to null is removed, not another value$/,
  ],
]

it('contract check --write reports each kind of misbehaviour, and deletes its orders', async () => {
  const fake = await startContractFake()
  const tampers = MISBEHAVIOUR.map(([, tamper]) => tamper)
  const env = { ...environmentOf(fake), ...(await startTampering(fake, tampers)) }
  const { differences } = await differencesOf(env, WRITES)
  for (const [name, , pattern] of MISBEHAVIOUR)
    expect(differences, name).toContainEqual(expect.stringMatching(pattern))
  const left = fake.referrals.all().filter((each) => each.referenceNumber === 'contract-check')
  expect(left.length).toBeGreaterThan(2)
  expect(left.filter(({ deletedAt }) => deletedAt === null)).toEqual([])
})

/** Adds fields to each record of a list. */
const withFields =
  (key: string, fields: object): NonNullable<Tamper['json']> =>
  (body) => ({ ...body, [key]: records(body[key]).map((each) => ({ ...each, ...fields })) })

/** Responses that are legal, but unusual, and the differences that must not be reported for each. */
const LEGAL: readonly (readonly [what: string, tampers: readonly Tamper[], difference: RegExp])[] = [
  [
    'bundles that were created at the same time have the same order in both directions',
    [
      {
        path: /^\/v1\/bundles/,
        dropQuery: 'sort',
        json: withFields('bundles', { createdAt: '2026-03-02T00:00:00.000Z' }),
      },
    ],
    /bundles\.list \(sort\)/,
  ],
  [
    'a centre on the edge of the box',
    [
      {
        path: /^\/v1\/collection-centres\?/,
        json: withFields('collectionCentres', { lat: -33.1, lng: 151 }),
      },
      { path: /&north=/, json: withFields('collectionCentres', { lat: -33.1 + 0.1 }) },
      ...['north', 'south', 'east', 'west'].map((dropQuery) => ({ path: /&north=/, dropQuery })),
    ],
    /centres\.list \(box\)/,
  ],
  [
    'an empty page with a cursor that is null',
    [{ path: /^\/v1\/results(\?|$)/, json: () => ({ results: [], cursor: null }) }],
    /results\.list/,
  ],
]

it('contract check accepts what is legal but unusual', { timeout: 60_000 }, async () => {
  const fake = await startContractFake()
  const tampers = LEGAL.flatMap(([, all]) => all)
  const env = { ...environmentOf(fake), ...(await startTampering(fake, tampers)) }
  const { differences } = await differencesOf(env, READS)
  for (const [what, , difference] of LEGAL)
    expect(
      differences.filter((each) => difference.test(each)),
      what,
    ).toEqual([])
})

it('contract check --write deletes its orders after Ctrl-C', async () => {
  const fake = await startContractFake()
  const interrupt = new AbortController()
  const created = (body: Record<string, unknown>) => {
    if ('reference' in body) interrupt.abort()
    return body
  }
  const tampers: readonly Tamper[] = [{ path: /^\/v1\/referrals$/, method: 'POST', json: created }]
  const env = { ...environmentOf(fake), ...(await startTampering(fake, tampers)) }
  const words = ['contract', 'check', ...WRITES]
  const { code, stdout, stderr } = await runCommand(words, { env, signal: interrupt.signal })
  expect({ code, stdout, stderr: withoutSteps(stderr) }).toEqual({ code: 130, stdout: '', stderr: '' })
  const orders = fake.referrals.all().filter((each) => each.referenceNumber === 'contract-check')
  expect(orders.length).toBe(2)
  expect(orders.filter(({ deletedAt }) => deletedAt === null)).toEqual([])
})

it('contract check stops after three reads that all get the same error', async () => {
  const fake = await startContractFake({ seedReferrals: 0, centreCount: 1 })
  for (const path of ['vendors', 'tests', 'webhook-events'])
    fake.faults.next(`GET /v1/${path}`, { status: 500, retryAfter: 0 }, { times: Number.POSITIVE_INFINITY })
  expect(await runCommand(['contract', 'check', '--json'], { env: environmentOf(fake) })).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'checking token service\nchecking lists\npathology: the service answers 500 to each of the first 3 reads, so the check stopped. Run npx pathology doctor to find the cause\n',
  })
})

it('contract check says that a response is incomplete', async () => {
  const fake = await startContractFake({ seedReferrals: 0, centreCount: 1 })
  fake.faults.next('GET /v1/referrals', { reset: 'mid-body' })
  expect(await runCommand(['contract', 'check'], { env: environmentOf(fake) })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('its response is incomplete'),
  })
})

const env = {
  PATHOLOGY_BASE_URL: 'https://api.pathology.example',
  PATHOLOGY_AUTH_URL: 'https://auth.pathology.example',
  PATHOLOGY_CLIENT_ID: 'id',
  PATHOLOGY_CLIENT_SECRET: 'secret',
}

it.each([
  ['production without --production', [], /pass --production/],
  ['to write in production', ['--production', '--write'], /not allowed with --production; nothing was sent/],
  [
    'to write webhooks in production',
    ['--production', '--write-webhooks'],
    /not allowed with --production; nothing was sent/,
  ],
  ['an invalid number of pages', ['--production', '--max-pages', '0'], /must be an integer/],
])('contract check refuses %s, and sends nothing', async (_, words, message) => {
  const { code, stdout, stderr } = await runCommand(['contract', 'check', ...words], { env })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(message)
})

it.each([
  'https://api.test-pathology.com.au',
  'https://test-results.pathology.example',
  'https://latest.pathology.example/tests',
  'https://api.pathology.dev',
  'https://127.pathology.example',
  'https://localhost.pathology.example',
])('contract check refuses %s without --production', async (url) => {
  const { code, stderr } = await runCommand(['contract', 'check'], {
    env: { ...env, PATHOLOGY_BASE_URL: url },
  })
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('pass --production') })
})

it.each([
  'https://staging.pathology.example',
  'https://api-staging.pathology.example',
  'https://api.Test.pathology.example',
  'https://uat2.pathology.example',
  'https://api.pathology.test',
  'https://pathology.example/sandbox',
  'https://dev.pathology.dev',
  'http://127.0.0.1:1',
  'http://[::1]:1',
  'http://localhost:1',
])('contract check takes %s for a staging environment', async (url) => {
  // The number of pages is checked after the URL, so nothing is sent.
  const { stderr } = await runCommand(['contract', 'check', '--max-pages', '0'], {
    env: { ...env, PATHOLOGY_BASE_URL: url },
  })
  expect(stderr).toContain('--max-pages must be an integer')
})

it('contract check ends if the token service issues no token', async () => {
  const fake = await startContractFake({ seedReferrals: 0, centreCount: 1 })
  const wrong = { ...environmentOf(fake), PATHOLOGY_CLIENT_SECRET: 'wrong' }
  expect(await runCommand(['contract', 'check'], { env: wrong })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('did not issue a token'),
  })
})
