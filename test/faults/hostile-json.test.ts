import fc from 'fast-check'
import { ApiError, type PathologyClient, PathologyError, type Referral } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { clientOf, rejection } from '../support/clients.js'
import { order, PRICE, page, referral, UUID, webhook } from '../support/samples.js'
import { ScriptedServer } from '../support/scripted-server.js'
import { retrieve } from './response-world.js'

const evil = '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}'
const polluted = () => Reflect.get({}, 'polluted')

it('__proto__ and constructor in a response and its metadata do not change prototypes', async () => {
  const text = JSON.stringify(referral({ uuid: UUID })).replace('"metadata":null', `"metadata":${evil}`)
  const { call } = await retrieve({ text: `${text.slice(0, -1)},${evil.slice(1)}` })
  const data: Referral = await call()
  expect(polluted()).toBeUndefined()
  expect(Object.keys(data.metadata ?? {})).toEqual(['__proto__', 'constructor'])
  expect(Object.getPrototypeOf(data)).toBe(Object.prototype)
})

it('any JSON in a response is returned unchanged (property)', async () => {
  const service = await ScriptedServer.start()
  const client = clientOf(service.origin, { responseValidation: 'off' })
  const key = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'a'), fc.string())
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 6 },
      fc.constantFrom(null, true, 1, '__proto__', 'text'),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
    ),
  }))
  await fc.assert(
    fc.asyncProperty(value, async (metadata) => {
      service.on(`GET /v1/referrals/${UUID}`, { json: { uuid: UUID, metadata } })
      const data = await client.referrals.retrieve(UUID)
      expect(JSON.stringify(data)).toBe(JSON.stringify({ uuid: UUID, metadata }))
    }),
    { numRuns: 40 },
  )
})

it('__proto__ and constructor in an error body do not change prototypes', async () => {
  const { call } = await retrieve({ status: 400, text: `{"errorList": ["x"], ${evil.slice(1)}` })
  expect(await rejection(call())).toBeInstanceOf(ApiError)
  expect(polluted()).toBeUndefined()
})

it('__proto__ and constructor in the metadata of an order are sent unchanged, and prototypes do not change', async () => {
  const service = await ScriptedServer.start()
  service.on('POST /v1/referrals', { json: referral() })
  await clientOf(service.origin).referrals.create(order({ metadata: JSON.parse(evil) }))
  expect(service.calls[0]?.body).toContain('"__proto__":{"polluted":1}')
  expect(polluted()).toBeUndefined()
})

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

it.each([65, 100_000])('%i levels of metadata in a referral are read, in one attempt', async (levels) => {
  const text = JSON.stringify(referral({ uuid: UUID })).replace(
    '"metadata":null',
    `"metadata":{"a":${deep(levels)}}`,
  )
  const { call, service } = await retrieve({ text }, { responseValidation: 'strict' })
  expect(Array.isArray((await call()).metadata?.['a'])).toBe(true)
  expect(service.calls).toHaveLength(1)
})

it('JSON that is nested very deeply in a list is read in every mode', async () => {
  const service = await ScriptedServer.start()
  service.on('GET /v1/referrals', { text: pageWith(`{"a":${deep(100_000)}}`) })
  for (const responseValidation of ['strict', 'warn', 'off'] as const) {
    const listed = await clientOf(service.origin, { responseValidation }).referrals.list().toArray()
    expect(listed).toHaveLength(1)
  }
})

it("an order with a key is placed although another one's metadata is nested very deeply (§4.1)", async () => {
  const service = await ScriptedServer.start()
  service.on('GET /v1/referrals', { text: pageWith(`{"a":${deep(100_000)}}`) })
  service.on('POST /v1/referrals', { json: referral() })
  const placed = await clientOf(service.origin).referrals.create(order(), { orderKey: 'key-1' })
  expect(placed.referrals).toHaveLength(1)
})

it("an order with a key is placed although the pages have 18 MB, the size of 20 orders' metadata", async () => {
  const service = await ScriptedServer.start()
  const metadata = { text: 'x'.repeat(900_000) }
  const createdAt = (nth: number) => `2020-01-01T00:${40 - nth}:00Z`
  const referrals = Array.from({ length: 20 }, (_, nth) => referral({ metadata, createdAt: createdAt(nth) }))
  service.on('GET /v1/referrals', { json: page('referrals', referrals) })
  service.on('POST /v1/referrals', { json: referral() })
  const placed = await clientOf(service.origin).referrals.create(order(), { orderKey: 'key-1' })
  expect(placed.referrals).toHaveLength(1)
})

it('an error or a token response of a million levels is an error of this package', async () => {
  const { call, service } = await retrieve({ status: 400, text: `{"errorList":${deep(400_000)}}` })
  expect(await rejection(call())).toBeInstanceOf(ApiError)
  service.on('POST /oauth/token', { text: deep(400_000) })
  const other = clientOf(service.origin, { maxRetries: 0 })
  expect(await rejection(other.referrals.retrieve(UUID))).toBeInstanceOf(PathologyError)
})

type Call = (client: PathologyClient) => Promise<unknown>

const ROWS: readonly (readonly [name: string, route: string, sample: object, call: Call])[] = [
  ['referrals.retrieve', 'GET /v1/referrals/*', referral(), ({ referrals }) => referrals.retrieve(UUID)],
  ['referrals.waitFor', 'GET /v1/referrals/*', referral(), (client) => waited(client)],
  ['referrals.create', 'POST /v1/referrals', referral(), ({ referrals }) => referrals.create(order())],
  [
    'referrals.update',
    'PATCH /v1/referrals/*',
    referral(),
    ({ referrals }) => referrals.update(UUID, { phone: '0400000000' }),
  ],
  [
    'referrals.create with a key',
    'GET /v1/referrals',
    referral(),
    ({ referrals }) => referrals.create(order(), { orderKey: 'key-1' }),
  ],
  [
    'referrals.findByReferenceNumber',
    'GET /v1/referrals',
    referral(),
    ({ referrals }) => referrals.findByReferenceNumber('ref-77').toArray(),
  ],
  [
    'referrals.list',
    'GET /v1/referrals',
    referral(),
    ({ referrals }) => referrals.list({ skipDuplicates: true }).toArray(),
  ],
  ['webhooks.create', 'GET /v1/webhooks', webhook(), ({ webhooks }) => webhooks.create(SUBSCRIPTION)],
]

const SUBSCRIPTION = { url: 'https://hooks.example.com/in/', events: ['referral.issued'] }

const waited = (client: PathologyClient): Promise<unknown> =>
  client.referrals.waitFor(UUID, { status: 'COMPLETE', timeout: 100 })

it.each(ROWS)(
  'a field that is a list nested 20,000 levels deep does not overflow the stack of %s',
  async (_, route, sample, call) => {
    const service = await ScriptedServer.start()
    service.on('POST /v1/webhooks', { reset: 'before' }, { json: webhook() })
    service.on('POST /v1/referrals', { json: referral() })
    const client = clientOf(service.origin, { orderRecoveryTimeout: 0 })
    for (const field of Object.keys(sample)) {
      const record = JSON.stringify({ ...sample, [field]: 'HERE' }).replace('"HERE"', deep(20_000))
      const list = /^GET .v1.(\w+)$/.exec(route)?.[1]
      service.on(route, { text: list === undefined ? record : `{"${list}":[${record}]}` })
      const error = await call(client).then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      if (error !== undefined) expect(error, field).toBeInstanceOf(PathologyError)
      expect(String(Reflect.get(Object(error), 'cause')), field).not.toContain('RangeError')
    }
  },
)

describe('unusual numbers and strings', () => {
  it.each([
    ['beyond the safe integers', '9007199254740993'],
    ['infinite', '1e400'],
    ['fractions of a cent', '10.5'],
  ])('a price that is %s is rejected with strict', async (_, amount) => {
    const service = await ScriptedServer.start()
    const text = JSON.stringify({ calculatePrice: PRICE }).replace(
      '"grandTotal":1000',
      `"grandTotal":${amount}`,
    )
    service.on('POST /v1/calculate', { text })
    const client = clientOf(service.origin, { responseValidation: 'strict' })
    const error = await rejection(client.prices.calculate({ tests: ['fbc'] }))
    expect(error).toMatchObject({ name: 'InvalidResponseError', reason: 'shape' })
    expect(String(error)).toContain('grandTotal')
  })

  it('lone surrogates in a response and characters beyond the basic plane are returned unchanged', async () => {
    const { call } = await retrieve({
      text: JSON.stringify(referral({ uuid: UUID })).replace('"blood"', '"\\ud800 \u{1F489}"'),
    })
    await expect(call()).resolves.toHaveProperty('referralType', '\ud800 \u{1F489}')
  })

  it('a character of a response that is split over two chunks is decoded correctly', async () => {
    const text = JSON.stringify(referral({ uuid: UUID, referralType: 'é'.repeat(40_000) }))
    const { call } = await retrieve({ text })
    await expect(call()).resolves.toHaveProperty('referralType', 'é'.repeat(40_000))
  })
})

/** A page of one referral with the given metadata. */
function pageWith(metadata: string): string {
  const record = JSON.stringify(referral({ uuid: UUID })).replace('"metadata":null', `"metadata":${metadata}`)
  return `{"referrals":[${record}],"cursor":{"cursor":"end","count":20,"resultCount":1}}`
}
