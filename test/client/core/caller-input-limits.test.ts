import fc from 'fast-check'
import { ORDER_KEY_FIELD, type Order } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { expectNoCanary } from '../../support/canaries.js'
import { CANARIES } from '../../support/canary-values.js'
import { clientOf, rejection } from '../../support/clients.js'
import { order, referral, UUID } from '../../support/samples.js'
import { ScriptedServer } from '../../support/scripted-server.js'

async function setUp() {
  const service = await ScriptedServer.start()
  service.on('POST /v1/referrals', { json: referral() })
  service.on('PATCH /v1/referrals/*', { json: referral() })
  return { service, client: clientOf(service.origin) }
}

/** An object that holds another one, and so on: `levels` objects. */
function nested(levels: number): Record<string, unknown> {
  let value: Record<string, unknown> = {}
  for (let level = 1; level < levels; level += 1) value = { [CANARIES.lastName]: value }
  return value
}

function textOfBytes(bytes: number): Record<string, unknown> {
  return { text: 'x'.repeat(bytes - '{"text":""}'.length) }
}

const LIMIT = 256 * 1024
const KEY_BYTES = `,"pathologySdkOrderKey":"${UUID}"`.length

it.each([
  ['32 levels', nested(32)],
  ['256 KiB with the key', textOfBytes(LIMIT - KEY_BYTES)],
])('metadata of %s is sent, with an order and an update', async (_, metadata) => {
  const { service, client } = await setUp()
  await client.referrals.validate(order({ metadata }))
  await client.referrals.create(order({ metadata }))
  await client.referrals.update(UUID, { metadata })
  expect(service.calls).toHaveLength(2)
})

it.each([
  ['33 levels', nested(33), 'must be nested at most 32 levels deep'],
  ['100,000 levels', nested(100_000), 'must be nested at most 32 levels deep'],
  ['more than 256 KiB', textOfBytes(LIMIT + 1), 'must be at most 262144 bytes long as JSON'],
  [
    'more than 256 KiB in UTF-8',
    { text: '€'.repeat(LIMIT / 3) },
    'must be at most 262144 bytes long as JSON',
  ],
])('metadata of %s is rejected before anything is sent', async (_, metadata, rule) => {
  const { service, client } = await setUp()
  for (const call of [
    client.referrals.validate(order({ metadata })),
    client.referrals.create(order({ metadata })),
    client.referrals.create(order({ metadata }), { orderKey: 'key-1' }),
    client.referrals.update(UUID, { metadata }),
  ]) {
    const error = await rejection(call)
    const issues = [{ field: 'metadata', message: `metadata ${rule}` }]
    expect(error).toMatchObject({ name: 'InvalidRequestError', code: 'INVALID_PAYLOAD', issues })
    expectNoCanary(error)
  }
  expect(service.requests).toHaveLength(0)
})

const HALF = 'must be well-formed text: it contains half of a surrogate pair'

const cycle: Record<string, unknown> = {}
cycle['self'] = { again: [cycle] }
const own = (change: object): Order => Object.assign(order(), change)
const PLAIN = 'must be plain JSON data'
const inMetadata = (value: unknown) => () => own({ metadata: { [CANARIES.lastName]: [value] } })

it.each([
  ['metadata that contains itself', () => own({ metadata: cycle }), 'metadata', 'must not contain itself'],
  ['an address that contains itself', () => own({ address: cycle }), 'address', 'must not contain'],
  ['a Map', () => own({ metadata: new Map([['a', 1]]) }), 'metadata', PLAIN],
  ['a promise in metadata', inMetadata(Promise.resolve(1)), 'metadata', PLAIN],
  ['a function', () => own({ firstName: () => 'Ada' }), 'firstName', `${PLAIN}, not a function`],
  ['a function in metadata', inMetadata(() => 1), 'metadata', `${PLAIN}, not a function`],
  ['a symbol', () => own({ tests: ['a', Symbol('b')] }), 'tests[1]', `${PLAIN}, not a symbol`],
  ['a BigInt in metadata', inMetadata(1n), 'metadata', `${PLAIN}, not a BigInt`],
  ['NaN in metadata', inMetadata(Number.NaN), 'metadata', `${PLAIN}, not NaN or an infinite number`],
  ['an infinite number', inMetadata(-Infinity), 'metadata', `${PLAIN}, not NaN or an infinite number`],
  ['an invalid date in metadata', inMetadata(new Date(Number.NaN)), 'metadata', 'must be a valid date'],
  ['half of a surrogate pair', () => own({ firstName: 'Ada \ud83d' }), 'firstName', HALF],
  ['half of a surrogate pair in a list', () => own({ tests: ['a', '\udc00'] }), 'tests[1]', HALF],
  ['half of a surrogate pair in metadata', inMetadata({ b: '\ud83d' }), 'metadata', HALF],
  [
    'half of a surrogate pair in a name of metadata',
    () => own({ metadata: { '\ud83d': 1 } }),
    'metadata',
    'must have only names that are well-formed text',
  ],
  [
    'half of a surrogate pair from a toJSON',
    () => own({ lastName: { toJSON: () => 'B\ud83d' } }),
    'lastName',
    HALF,
  ],
])('a body with %s is rejected, and the error names the field', async (_, given, field, rule) => {
  const { service, client } = await setUp()
  for (const call of [
    client.referrals.create(given()),
    client.referrals.create(given(), { orderKey: 'key-1' }),
    client.referrals.validate(given()),
    client.referrals.update(UUID, given()),
  ]) {
    const error = await rejection(call)
    const issues = [{ field, message: expect.stringContaining(`${field} ${rule}`) }]
    expect(error).toMatchObject({ name: 'InvalidRequestError', outcome: 'not-sent', issues })
    expectNoCanary(error)
  }
  expect(service.requests).toHaveLength(0)
})

it('a body with a toJSON method, or values that JSON changes, is sent as JSON.stringify writes it', async () => {
  const { service, client } = await setUp()
  const metadata = {
    date: new Date(0),
    url: new URL('https://a.example/b'),
    bytes: Buffer.from('ab'),
    missing: undefined,
    list: [undefined, null],
    own: { toJSON: (key: string) => ({ key }) },
  }
  const { orderKey } = await client.referrals.create(order({ metadata }))
  expect(JSON.parse(service.calls[0]?.body ?? '').metadata).toEqual(
    JSON.parse(JSON.stringify({ ...metadata, [ORDER_KEY_FIELD]: orderKey })),
  )
})

it('any JSON as metadata is sent unchanged', async () => {
  const { service, client } = await setUp()
  const values = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 }), { maxKeys: 5 })
  await fc.assert(
    fc.asyncProperty(values, async (metadata) => {
      const { orderKey } = await client.referrals.create(order({ metadata }))
      const expected = JSON.stringify({ ...metadata, [ORDER_KEY_FIELD]: orderKey })
      expect(JSON.stringify(JSON.parse(service.calls.at(-1)?.body ?? '').metadata)).toBe(expected)
    }),
    { numRuns: 100 },
  )
})
