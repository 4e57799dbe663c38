import fc from 'fast-check'
import { ORDER_KEY_FIELD, type Order } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
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

describe('the metadata of an order and of an update', () => {
  it.each([
    ['32 levels', nested(32)],
    ['256 KiB with the key', textOfBytes(LIMIT - KEY_BYTES)],
  ])('%s: sent', async (_, metadata) => {
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
  ])('%s: rejected before anything is sent', async (_, metadata, rule) => {
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
})

const HALF = 'must be well-formed text: it contains half of a surrogate pair'

describe('an input that cannot be copied', () => {
  const throwing = {
    get city(): string {
      throw new Error(CANARIES.street)
    },
  }
  const cycle: Record<string, unknown> = {}
  cycle['self'] = { again: [cycle] }
  const own = (change: object): Order => Object.assign(order(), change)

  it.each([
    ['a getter that throws', () => own({ address: throwing }), 'address.city', 'could not be read'],
    ['a getter that throws, in metadata', () => own({ metadata: throwing }), 'metadata', 'could not be read'],
    ['a toJSON that throws', () => own({ dob: { toJSON: () => throwing.city } }), 'dob', 'could not be read'],
    ['metadata that contains itself', () => own({ metadata: cycle }), 'metadata', 'must not contain itself'],
    ['an address that contains itself', () => own({ address: cycle }), 'address', 'must not contain'],
    ['a Map', () => own({ metadata: new Map([['a', 1]]) }), 'metadata', 'must be plain JSON data'],
    [
      'a promise in metadata',
      () => own({ metadata: { a: Promise.resolve(1) } }),
      'metadata',
      'must be plain JSON',
    ],
    ['half of a surrogate pair', () => own({ firstName: 'Ada \ud83d' }), 'firstName', HALF],
    ['half of a surrogate pair in a list', () => own({ tests: ['a', '\udc00'] }), 'tests[1]', HALF],
    [
      'half of a surrogate pair in metadata',
      () => own({ metadata: { a: { b: '\ud83d' } } }),
      'metadata',
      HALF,
    ],
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
    ['a proxy that was revoked', () => own({ address: revoked() }), 'address', 'could not be read'],
  ])('%s: an InvalidRequestError that names the field', async (_, given, field, rule) => {
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

  it('lists that contain each other: rejected quickly, without an endless copy', async () => {
    const { client } = await setUp()
    let shared: unknown[] = []
    for (let level = 0; level < 30; level += 1) shared = [shared, shared]
    const error = await rejection(client.referrals.create(order({ metadata: { shared } })))
    expect(error).toMatchObject({ name: 'InvalidRequestError', issues: [{ field: 'metadata' }] })
  })

  it.each(['headers', 'timeout', 'signal'])(
    'an option %s whose getter throws: rejected, and the error names the option',
    async (name) => {
      const { service, client } = await setUp()
      const options = Object.defineProperty({}, name, {
        enumerable: true,
        get: () => throwing.city,
      })
      for (const call of [
        client.referrals.retrieve(UUID, options),
        client.referrals.create(order(), options),
        client.referrals.waitFor(UUID, options),
        client.referrals.document(UUID, options),
      ]) {
        const error = await rejection(call)
        expect(error).toMatchObject({ name: 'InvalidRequestError', issues: [{ field: name }] })
        expectNoCanary(error)
      }
      expect(() => client.referrals.list({}, options)).toThrow(`${name} could not be read`)
      expect(service.requests).toHaveLength(0)
    },
  )

  it('a header whose getter throws: rejected, and the error names the option', async () => {
    const { client } = await setUp()
    const headers = Object.defineProperty({}, 'x-a', { enumerable: true, get: () => throwing.city })
    const error = await rejection(client.referrals.retrieve(UUID, { headers }))
    expect(error).toMatchObject({ name: 'InvalidRequestError', issues: [{ field: 'headers' }] })
  })

  it('a filter whose getter throws: rejected, and the error names the filter', async () => {
    const { client } = await setUp()
    const filters = Object.defineProperty({}, 'states', { enumerable: true, get: () => throwing.city })
    expect(() => client.centres.list(filters)).toThrow('states could not be read')
  })
})

describe('an input with a toJSON method or values that JSON changes', () => {
  it('is sent as JSON.stringify writes it', async () => {
    const { service, client } = await setUp()
    const metadata = {
      date: new Date(0),
      url: new URL('https://a.example/b'),
      boxed: [Object(1), Object('a'), Object(false)],
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
})

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
