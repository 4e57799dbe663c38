import { type FetchLike, PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { rejection } from '../support/clients.js'
import { order, UUID } from '../support/samples.js'

const visit = () => order({ tests: ['tsh'] })

let fake: FakePathologyService
let client: PathologyClient

beforeEach(() => {
  fake = new FakePathologyService({ centreCount: 10 })
  client = new PathologyClient(fake.clientOptions())
})

afterEach(() => fake.close())

describe('messages about common mistakes name the correction', () => {
  it('§4.1 an unknown option, such as a misspelt orderKey, prevents the order', async () => {
    const misspelt = { orderkey: 'visit-17' } as never
    await expect(client.referrals.create(visit(), misspelt)).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: 'orderkey is not an option of referrals.create; did you mean orderKey?',
    })
    await expect(
      client.referrals.create(visit(), { orderKey: 'visit-17', lookfor: 1 } as never),
    ).rejects.toThrow('lookfor is not an option of referrals.create')
    await expect(client.referrals.create(visit(), { ordrKey: 'visit-17' } as never)).rejects.toThrow(
      'ordrKey is not an option of referrals.create; did you mean orderKey?',
    )
    expect(() => client.vendors.list({}, { timeOut: 5 } as never)).toThrow(
      'timeOut is not an option of vendors.list; did you mean timeout?',
    )
    expect(() => client.vendors.list({ time: 5 } as never)).toThrow(
      'vendors.list has no filters; time is unknown',
    )
    expect(fake.requests).toHaveLength(0)
  })

  it.each(['cursor', 'prefetch', 'skipDuplicates'])(
    '§4.7 %s belongs to the query of a list, not to its options',
    (name) => {
      const list = () => client.centres.list({}, { [name]: true } as never)
      expect(list).toThrow(`${name} is not an option of centres.list`)
      expect(fake.requests).toHaveLength(0)
    },
  )

  it.each<[string, () => Promise<unknown>, string]>([
    [
      'a field of another list is not suggested',
      () => client.referrals.list({ status: 'CREATED' } as never).toArray(),
      'status is not a field of this request [field: status]',
    ],
    [
      'a similar field of the list is suggested',
      () => client.centres.list({ state: ['WA'] } as never).toArray(),
      'state is not a field of this request; did you mean states? [field: state]',
    ],
    [
      'the name of another system is translated',
      () => client.centres.list({ latitude: -31, lng: 115 } as never).toArray(),
      'latitude is not a field of this request; did you mean lat? [field: latitude]',
    ],
  ])('§4.1 %s', async (_title, call, message) => {
    await expect(call()).rejects.toThrow(message)
    expect(fake.requests).toHaveLength(0)
  })

  it.each<[string, unknown]>([
    ['signal', AbortSignal.timeout(1_000)],
    ['timeout', 5],
    ['maxRetries', 0],
  ])('§4.7 %s in the query of a list belongs to its options', async (name, value) => {
    const message = `${name} is an option: pass it in the second argument [field: ${name}]`
    const query = { [name]: value } as never
    expect(() => client.referrals.list(query)).toThrow(message)
    expect(() => client.vendors.list(query)).toThrow(message)
    expect(() => client.centres.nearest(Object.assign({ lat: 0, lng: 0 }, { [name]: value }))).toThrow(
      message,
    )
  })

  it('§4.7 limit in the query of a list belongs to toArray', () => {
    expect(() => client.referrals.list({ limit: 5 } as never)).toThrow(
      'limit is an option of toArray, such as toArray({ limit: 100 })',
    )
  })

  it('§4.7 toArray takes its limit in an object', async () => {
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

  it('waitFor without a status names the missing option', async () => {
    const error = await rejection(client.referrals.waitFor(UUID, undefined as never))
    expect(error).toMatchObject({ name: 'InvalidRequestError', issues: [{ field: 'status' }] })
  })

  it.each([
    ['issued', 'status is not a known status; did you mean ISSUED? Statuses are in capitals'],
    ['ISUED', 'status is not a known status; did you mean ISSUED? Statuses are in capitals'],
    ['COMPLTEE', 'status is not a known status; did you mean COMPLETE? Statuses are in capitals'],
    [
      ['COMPLETE', 'Refunded'],
      'status is not a known status; did you mean REFUNDED? Statuses are in capitals',
    ],
    [null, 'status must be a string, or a list of them'],
    [[], 'status or until is required, to decide when the wait ends'],
  ])('§3.1 waitFor rejects the status %j, which would never occur', async (status, message) => {
    await expect(client.referrals.waitFor(UUID, { status } as never)).rejects.toMatchObject({
      name: 'InvalidRequestError',
      issues: [{ message, field: 'status' }],
    })
    await expect(client.referrals.waitFor(UUID, { until: 'ISSUED' } as never)).rejects.toThrow(
      'until must be a function',
    )
    await expect(
      client.referrals.waitFor(UUID, { status: 'ISSUED', timeout: null } as never),
    ).rejects.toThrow('timeout must be a number')
    expect(fake.requests).toHaveLength(0)
  })

  it('§9 waitFor accepts a status that this version does not know', async () => {
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

  it('§4.1 tests that are not a list are one problem, not two', async () => {
    const error = await rejection(client.referrals.create({ ...visit(), tests: 'tsh' } as never))
    expect(error).toMatchObject({ errorList: ['tests must be a list [field: tests]'] })
  })

  it('§4.1 a Date as the date of birth is rejected: its day depends on the time zone', async () => {
    const error = await rejection(client.referrals.create({ ...visit(), dob: new Date(0) } as never))
    expect(error).toMatchObject({
      errorList: ['dob must be a calendar date as YYYY-MM-DD [field: dob]'],
    })
  })

  it('a closed client has its own message, also for an order', async () => {
    const server = await FakePathologyService.start({ port: 0, centreCount: 1 })
    const overHttp = new PathologyClient(server.clientOptions())
    await overHttp.vendors.list().toArray()
    await overHttp.close()
    await overHttp.close()
    await expect(overHttp.referrals.create(visit())).rejects.toMatchObject({
      name: 'ConnectionError',
      reason: 'closed',
      outcome: 'not-sent',
      message: expect.stringMatching(/client.* is closed; nothing was sent; create a new client$/),
    })
    await server.close()
  })

  it('§5 an invalid secret: the message names the options to check', async () => {
    const wrong = new PathologyClient({ ...fake.clientOptions(), clientSecret: 'not-it' })
    await expect(wrong.vendors.list().toArray()).rejects.toThrow(
      'check that clientId, clientSecret and authUrl belong together',
    )
  })

  it.each(['https://api.clinic.example/elsewhere', 'https://www.clinic.example'])(
    '§7 a 404 that is not from the service asks about baseUrl: %s',
    async (baseUrl) => {
      const fetch: FetchLike = async (input) =>
        input.endsWith('/oauth/token')
          ? Response.json({ access_token: 't', token_type: 'Bearer', expires_in: 3_600 })
          : new Response('<h1>Not Found</h1>', { status: 404 })
      const wrong = new PathologyClient({ ...fake.clientOptions(), baseUrl, fetch })
      const error = await rejection(wrong.referrals.retrieve(UUID))
      expect(error).toMatchObject({ name: 'NotFoundError', code: undefined })
      expect(String(error)).toMatch(
        /nothing was changed; the request went to http\S+\/v1\/\S+: check that baseUrl is the address of the API$/,
      )
    },
  )

  it('a URL without a server: the message says what to check', async () => {
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

  it('§7 a 404 of the service does not ask about it', async () => {
    const error = await rejection(client.referrals.retrieve(UUID))
    expect(error).toMatchObject({ name: 'NotFoundError', code: 'REFERRAL_NOT_FOUND' })
    expect(String(error)).not.toContain('baseUrl')
  })

  it('§4.7 the error of a cursor that the service rejects names the field', async () => {
    await expect(client.referrals.list({ cursor: 'no-cursor' }).toArray()).rejects.toThrow(
      /; fields: cursor;/,
    )
  })

  it('§4.5 an invalid date as a filter is rejected, and not sent as text', async () => {
    const query = { search: new Date(Number.NaN) } as never
    const error = await rejection(client.centres.list(query).toArray())
    expect(error).toMatchObject({ name: 'InvalidRequestError', issues: [{ field: 'search' }] })
    expect(fake.requests.filter(({ part }) => part === 'api')).toEqual([])
  })

  it('headers of a fetch function are read in any case, also from a Map', async () => {
    const fetch: FetchLike = async (input) =>
      input.endsWith('/oauth/token')
        ? Response.json({ access_token: 't', token_type: 'Bearer', expires_in: 3_600 })
        : Object.defineProperty(new Response('{}', { status: 429 }), 'headers', {
            value: new Map([['Retry-After', '7']]),
          })
    const limited = new PathologyClient({
      ...fake.clientOptions(),
      fetch,
      maxRetries: 0,
    })
    const error = await rejection(limited.referrals.retrieve(UUID, { timeout: 1_000 }))
    expect(error).toMatchObject({ name: 'RateLimitError', retryAfter: 7_000 })
  })
})
