import { PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { fetchOf, rejection } from '../support/clients.js'
import { order, UUID } from '../support/samples.js'

const visit = () => order({ tests: ['tsh'] })

let fake: FakePathologyService
let client: PathologyClient

beforeEach(() => {
  fake = new FakePathologyService({ centreCount: 10 })
  client = new PathologyClient(fake.clientOptions())
})

afterEach(() => fake.close())

it.each<[string, (given: PathologyClient) => unknown, string]>([
  [
    'a misspelt orderKey',
    ({ referrals }) => referrals.create(visit(), { orderkey: 'visit-17' } as never),
    'orderkey is not an option of referrals.create; did you mean orderKey?',
  ],
  [
    'an unknown option of an order',
    ({ referrals }) => referrals.create(visit(), { lookfor: 1 } as never),
    'lookfor is not an option of referrals.create',
  ],
  [
    'a misspelt option of a list',
    ({ vendors }) => vendors.list({}, { timeOut: 5 } as never),
    'timeOut is not an option of vendors.list; did you mean timeout?',
  ],
  [
    'a filter of a list without filters',
    ({ vendors }) => vendors.list({ time: 5 } as never),
    'vendors.list has no filters; time is unknown',
  ],
  ...['cursor', 'prefetch', 'skipDuplicates'].map(
    (name): [string, (given: PathologyClient) => unknown, string] => [
      `${name} in the options of a list`,
      ({ centres }) => centres.list({}, { [name]: true } as never),
      `${name} is not an option of centres.list`,
    ],
  ),
  ...['signal', 'timeout', 'maxRetries']
    .flatMap((name) => {
      const message = `${name} is an option: pass it in the second argument [field: ${name}]`
      const query = { lat: 0, lng: 0, [name]: 1 } as never
      return [
        [
          `${name} in the query of a list`,
          ({ referrals }: PathologyClient) => referrals.list(query),
          message,
        ],
        [
          `${name} in the query of nearest`,
          ({ centres }: PathologyClient) => centres.nearest(query),
          message,
        ],
      ] as const
    })
    .map(([title, call, message]): [string, (given: PathologyClient) => unknown, string] => [
      title,
      call,
      message,
    ]),
  [
    'limit in the query of a list',
    ({ referrals }) => referrals.list({ limit: 5 } as never),
    'limit is an option of toArray, such as toArray({ limit: 100 })',
  ],
  [
    'an unknown option of toArray',
    ({ centres }) => centres.list().toArray({ max: 5 } as never),
    'max is not an option of toArray',
  ],
  [
    'a field of another list',
    ({ referrals }) => referrals.list({ status: 'CREATED' } as never).toArray(),
    'status is not a field of this request [field: status]',
  ],
  [
    'a field similar to one of the list',
    ({ centres }) => centres.list({ state: ['WA'] } as never).toArray(),
    'state is not a field of this request; did you mean states? [field: state]',
  ],
  [
    'the name of another system',
    ({ centres }) => centres.list({ latitude: -31, lng: 115 } as never).toArray(),
    'latitude is not a field of this request; did you mean lat? [field: latitude]',
  ],
])(
  '%s is rejected before a request, and the message names the correction (§4.1, §4.7)',
  async (_, call, message) => {
    const error = await rejection((async () => call(client))())
    expect(String(error)).toContain(message)
    expect(fake.requests).toHaveLength(0)
  },
)

type Call = (given: PathologyClient, value: never) => unknown

it.each<[string, Call]>([
  ['plausible', ({ referrals }, plausible) => referrals.validate(visit(), { plausible })],
  ['catalogue', ({ referrals }, catalogue) => referrals.validate(visit(), { catalogue })],
  ['partial', ({ referrals }, partial) => referrals.generateResults(UUID, { partial })],
  ['prefetch', ({ results }, prefetch) => results.list({ prefetch })],
  ['skipDuplicates', ({ webhooks }, skipDuplicates) => webhooks.list({ skipDuplicates })],
  ['prefetch', ({ referrals }, prefetch) => referrals.findByReferenceNumber('r', { prefetch })],
])('the option %s must be true or false', async (name, call) => {
  for (const value of ['true', 1, 0, null]) {
    const error = await rejection((async () => call(client, value as never))())
    expect(error).toMatchObject({ name: 'ConfigurationError', message: `${name} must be true or false` })
  }
  expect(fake.requests).toHaveLength(0)
})

it('a boolean option that is undefined has its default', async () => {
  const options = { plausible: undefined, catalogue: undefined }
  await expect(client.referrals.validate(visit(), options)).resolves.toEqual(visit())
})

it.each(['download', '', null])('the disposition %j of a document is rejected', async (disposition) => {
  const error = await rejection(
    client.referrals.document(UUID).toResponse({ disposition: disposition as never }),
  )
  expect(error).toMatchObject({
    name: 'ConfigurationError',
    message: "disposition must be 'inline' or 'attachment'",
  })
})

it('toArray takes its limit in an object (§4.7)', async () => {
  for (const limit of [5, '5', { limit: '5' }, { limit: Number.NaN }, { limit: -1 }]) {
    await expect(client.centres.list().toArray(limit as never)).rejects.toThrow('such as { limit: 100 }')
  }
  expect(fake.requests).toHaveLength(0)
  expect(await client.centres.list().toArray({ limit: 0 })).toEqual([])
  expect(fake.requests).toHaveLength(0)
  expect(await client.centres.list().toArray({ limit: 5 })).toHaveLength(5)
  expect(await client.centres.list().toArray({ limit: 2.5 })).toHaveLength(2)
  expect(await client.centres.list().toArray({ limit: 0.5 })).toEqual([])
})

it.each([
  ['issued', 'status is not a known status; did you mean ISSUED? Statuses are in capitals'],
  ['COMPLTEE', 'status is not a known status; did you mean COMPLETE? Statuses are in capitals'],
  [['COMPLETE', 'Refunded'], 'status is not a known status; did you mean REFUNDED? Statuses are in capitals'],
  [null, 'status must be a string, or a list of them'],
  [[], 'status or until is required, to decide when the wait ends'],
])('waitFor rejects the status %j, which would never occur (§3.1)', async (status, message) => {
  await expect(client.referrals.waitFor(UUID, { status } as never)).rejects.toMatchObject({
    name: 'InvalidRequestError',
    issues: [{ message, field: 'status' }],
  })
  expect(fake.requests).toHaveLength(0)
})

it.each([
  [undefined, 'status'],
  [{ until: 'ISSUED' }, 'until must be a function'],
  [{ status: 'ISSUED', timeout: null }, 'timeout must be a number'],
])('waitFor rejects the options %j', async (options, message) => {
  await expect(client.referrals.waitFor(UUID, options as never)).rejects.toThrow(message)
})

it('waitFor accepts a status that this version does not know (§9)', async () => {
  const { referrals } = await client.referrals.create(visit())
  const wait = client.referrals.waitFor(referrals[0].uuid, { status: 'archived', timeout: 20, interval: 5 })
  await expect(wait).rejects.toMatchObject({ name: 'TimeoutError' })
})

it('an error before sending names the method that was called, not an inner one', async () => {
  const uuid = 'referral 17'
  const { referrals, results, centres } = client
  const timeOut = { timeOut: 5 } as never
  const calls: [string, PromiseLike<unknown>][] = [
    ['referrals.document', referrals.document(uuid)],
    ['results.document', results.document(uuid)],
    ['referrals.waitFor', referrals.waitFor(uuid, { status: 'ISSUED' })],
    ['centres.nearest', centres.nearest({ lat: 91, lng: 0 }).toArray()],
    ['referrals.document', referrals.document(UUID, timeOut)],
    ['referrals.waitFor', referrals.waitFor(UUID, { status: 'ISSUED', retries: 5 } as never)],
  ]
  expect(() => centres.nearest({ lat: 0, lng: 0 }, timeOut)).toThrow('centres.nearest')
  expect(() => referrals.findByReferenceNumber('17', timeOut)).toThrow('referrals.findByReferenceNumber')
  for (const [name, called] of calls) expect(String(await rejection(called))).toContain(name)
  expect(fake.requests).toHaveLength(0)
})

it('tests that are not a list are one problem, not two (§4.1)', async () => {
  const error = await rejection(client.referrals.create({ ...visit(), tests: 'tsh' } as never))
  expect(error).toMatchObject({ errorList: ['tests must be a list [field: tests]'] })
})

it('a Date as the date of birth is rejected, because its day depends on the time zone (§4.1)', async () => {
  const error = await rejection(client.referrals.create({ ...visit(), dob: new Date(0) } as never))
  expect(error).toMatchObject({
    errorList: ['dob must be a calendar date as YYYY-MM-DD [field: dob]'],
  })
})

it('the error of a URL without a server says what to check', async () => {
  const options = { ...fake.clientOptions(), fetch: undefined, maxRetries: 0 }
  const refused = new PathologyClient({ ...options, authUrl: 'http://127.0.0.1:1' })
  await expect(refused.vendors.list().toArray()).rejects.toThrow(
    'the token request at http://127.0.0.1:1: the connection was refused; nothing was sent; check the URL, and that a server listens there',
  )
  const unknown = new PathologyClient({ ...options, authUrl: 'https://auth.clinic.invalid' })
  await expect(unknown.vendors.list().toArray()).rejects.toThrow(
    /could not be resolved; nothing was sent; check the host name in the URL, and the DNS of this machine$/,
  )
})

it('the error of a cursor that the service rejects names the field (§4.7)', async () => {
  await expect(client.referrals.list({ cursor: 'no-cursor' }).toArray()).rejects.toThrow(/; fields: cursor;/)
})

it('an invalid date as a filter is rejected, and not sent as text (§4.5)', async () => {
  const query = { search: new Date(Number.NaN) } as never
  const error = await rejection(client.centres.list(query).toArray())
  expect(error).toMatchObject({ name: 'InvalidRequestError', issues: [{ field: 'search' }] })
  expect(fake.requests.filter(({ part }) => part === 'api')).toEqual([])
})

it('the headers of a fetch function are read in any case, also from a Map', async () => {
  const fetch = fetchOf(() =>
    Object.defineProperty(new Response('{}', { status: 429 }), 'headers', {
      value: new Map([['Retry-After', '7']]),
    }),
  )
  const limited = new PathologyClient({ ...fake.clientOptions(), fetch, maxRetries: 0 })
  const error = await rejection(limited.referrals.retrieve(UUID, { timeout: 1_000 }))
  expect(error).toMatchObject({ name: 'RateLimitError', retryAfter: 7_000 })
})

const failing = (): never => {
  throw new Error('the bar broke for Alex Example')
}
const foreign = () => {
  const then = (_: unknown, reject: (error: Error) => void): void => reject(new Error('Alex Example'))
  return { then }
}

it.each<[string, () => unknown]>([
  ['throws', failing],
  ['rejects', async () => failing()],
  ["returns another library's promise that rejects", foreign],
])('an onProgress that %s changes nothing, and causes one warning', async (_, onProgress) => {
  const warnings: string[] = []
  const logger = { warn: (message: string) => warnings.push(message) }
  const own = new PathologyClient({ ...fake.clientOptions(), logger })
  const { referrals } = await own.referrals.create(visit())
  await own.referrals.waitFor(referrals[0].uuid, { status: 'ISSUED' })
  const pdf = await own.referrals.document(referrals[0].uuid).bytes({ onProgress: onProgress as () => void })
  expect(new TextDecoder().decode(pdf.subarray(0, 5))).toBe('%PDF-')
  expect(warnings).toEqual(['pathology-sdk: an onProgress function failed; its errors are ignored'])
})
