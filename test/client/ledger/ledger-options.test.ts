import { createHmac } from 'node:crypto'
import { inspect } from 'node:util'
import {
  type ClientOptions,
  type LedgerClaim,
  type LedgerNames,
  memoryOrderLedger,
  PathologyClient,
} from 'pathology-sdk'
import { expect, it } from 'vitest'
import { CANARIES } from '../../support/canaries.js'
import { KEY, labOrder, ledgerWorld } from './ledger-world.js'

const account = {
  baseUrl: 'https://api.example.com',
  authUrl: 'https://auth.example.com',
  clientId: 'client-1',
  clientSecret: CANARIES.clientSecret,
}

const make = (options: object) => () => new PathologyClient({ ...account, ...options } as ClientOptions)

it.each<[string, object, string]>([
  ['a ledger without a method', { orderLedger: { claim: () => undefined } }, 'orderLedger must be an object'],
  ['null for a ledger', { orderLedger: null }, 'orderLedger must be an object'],
  ['a ledger that is not an object', { orderLedger: 7 }, 'orderLedger must be an object'],
  ['resendAfter below two minutes plus 60 s', { resendAfter: 179_999 }, 'at least 180000 ms'],
  [
    'resendAfter below timeout plus 60 s',
    { timeout: 5_000, resendAfter: 64_999 },
    'resendAfter must be at least 65000 ms, which is timeout plus 60000 ms: before that, an order that was sent may still be placed',
  ],
  ['resendAfter as text', { resendAfter: '200000' }, 'resendAfter must be a number'],
  ['resendAfter null', { resendAfter: null }, 'resendAfter must be a number'],
])('the options of the order ledger are rejected at construction: %s', (_, options, message) => {
  let thrown: unknown
  try {
    make(options)()
  } catch (error) {
    thrown = error
  }
  expect(thrown).toMatchObject({ name: 'ConfigurationError', message: expect.stringContaining(message) })
  expect(String(thrown)).not.toContain('x'.repeat(31))
})

it.each<[string, object, string]>([
  ['an empty namespace', { namespace: ' ' }, 'must be a string that is not blank'],
  ['a namespace of another kind', { namespace: 7 }, 'namespace must be a string'],
  ['a short key', { fingerprintKey: { id: 'a', key: 'x'.repeat(31) } }, 'at least 32 bytes'],
  ['a key of another kind', { fingerprintKey: { id: 'a', key: 7 } }, 'at least 32 bytes'],
  ['a key without an ID', { fingerprintKey: { key: 'x'.repeat(32) } }, 'fingerprintKey.id'],
  ['null for a key', { fingerprintKey: null }, 'fingerprintKey.id'],
  ['an empty text for a key', { fingerprintKey: '' }, 'fingerprintKey.id'],
  ['a key in place of the object', { fingerprintKey: 'x'.repeat(32) }, 'fingerprintKey.id'],
  ['a key with an empty ID', { fingerprintKey: { id: ' ', key: 'x'.repeat(32) } }, 'fingerprintKey.id'],
  [
    'a key with a long ID',
    { fingerprintKey: { id: 'i'.repeat(101), key: 'x'.repeat(32) } },
    'must be a string of 1 to 100 characters',
  ],
  ['a short key of bytes', { fingerprintKey: { id: 'a', key: new Uint8Array(31) } }, 'at least 32 bytes'],
])(
  'the options of the order ledger are rejected by the client and by the function that makes the ledger: %s',
  (_, names, message) => {
    const orderLedger = Object.create(memoryOrderLedger(), {
      namespace: { value: Reflect.get(names, 'namespace') },
      fingerprintKey: { value: Reflect.get(names, 'fingerprintKey') },
    })
    for (const given of [make({ orderLedger }), () => memoryOrderLedger(names)]) {
      expect(given).toThrow(message)
      expect(given).not.toThrow('x'.repeat(31))
    }
  },
)

it('the key of a ledger is not printed with it', () => {
  const ledger = memoryOrderLedger({ fingerprintKey: { id: 'a', key: 'k'.repeat(32) } })
  expect(inspect(ledger, { depth: 9, showHidden: true }) + JSON.stringify(ledger)).not.toContain('kkk')
})

it.each(['claim', 'mark', 'unmark', 'renew', 'record', 'resolve', 'prune'])(
  'a ledger is rejected if its %s is not a function',
  (method) => {
    const orderLedger = Object.assign(memoryOrderLedger(), { [method]: 7 })
    expect(make({ orderLedger })).toThrow(
      'orderLedger must be an object with claim(), mark(), unmark(), renew(), record(), resolve(), prune(), such as postgresOrderLedger(pool)',
    )
  },
)

it('the namespace of a ledger is part of the names of its entries', async () => {
  const world = await ledgerWorld()
  await world
    .newProcess({ orderLedger: world.named({ namespace: 'clinic a' }) })
    .referrals.create(labOrder(), { orderKey: KEY })
  expect(world.ledger.calls[0]?.name).toEqual({ namespace: 'clinic a', key: KEY })
})

it('the options of the order ledger permit the longest key ID, and a key with fewer than 32 characters that has 32 bytes', () => {
  const fingerprintKey = { id: 'i'.repeat(100), key: 'ü'.repeat(16) }
  expect(make({ orderLedger: memoryOrderLedger({ fingerprintKey }) })).not.toThrow()
})

it('the options of the order ledger permit the minimum values', () => {
  const orderLedger = memoryOrderLedger({ fingerprintKey: { id: 'a', key: new Uint8Array(32) } })
  expect(make({ timeout: 5_000, resendAfter: 65_000, orderLedger })).not.toThrow()
  expect(make({ resendAfter: 180_000, orderLedger: memoryOrderLedger() })).not.toThrow()
})

function fingerprintIn(claim: unknown): LedgerClaim['fingerprint'] {
  const { fingerprint } = claim as { fingerprint: LedgerClaim['fingerprint'] }
  return fingerprint
}

/** All fields of the sample, so that another sample does not change the fingerprint. */
const FIXED = {
  ...{ firstName: 'Alex', lastName: 'Example', email: 'alex@example.com', phone: '0400 000 000' },
  address: {
    country: 'AU',
    addressLine1: '1 Example Street',
    city: 'Fremantle',
    state: 'WA',
    postCode: '6160',
  },
  ...{ dob: '1986-04-23', gender: 'female' as const, referenceNumber: 'order-1001' },
  tests: ['tsh', 'full-blood-count'],
}

it('the IDs of a call are UUIDs of their own for its claim and its mark', async () => {
  const world = await ledgerWorld()
  await world.newProcess().referrals.create(labOrder(), { orderKey: KEY })
  const claim = world.ledger.calls.find(({ operation }) => operation === 'claim')?.request
  const mark = world.ledger.calls.find(({ operation }) => operation === 'mark')?.request
  const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  expect(claim).toMatchObject({ token: uuid, mark: uuid })
  const { token } = claim as { token: string }
  expect(mark).toMatchObject({ token, mark: uuid })
  const marks = [claim, mark].map((request) => (request as { mark: string }).mark)
  expect(new Set([token, ...marks]).size).toBe(3)
})

async function fingerprint(names: LedgerNames = {}, change = {}) {
  const world = await ledgerWorld()
  await world
    .newProcess({ orderLedger: world.named(names) })
    .referrals.create(labOrder(change), { orderKey: KEY })
  return fingerprintIn(world.ledger.calls[0]?.request)
}

it('the fingerprint of an order is an HMAC-SHA-256 under the given key, which is copied', async () => {
  const key = new Uint8Array(32).fill(7)
  const copied = Uint8Array.from(key)
  const world = await ledgerWorld()
  const client = world.newProcess({ orderLedger: world.named({ fingerprintKey: { id: 'key 7', key } }) })
  key.fill(0)
  await client.referrals.create(labOrder(), { orderKey: KEY })
  const made = fingerprintIn(world.ledger.calls[0]?.request)
  expect(made?.keyId).toBe('key 7')
  expect(made?.hash).toHaveLength(createHmac('sha256', copied).update('').digest('base64url').length)
  const text = await fingerprint({
    fingerprintKey: { id: 'key 7', key: Buffer.from(copied).toString() },
  })
  expect(text).toEqual(made)
})

it('the fingerprint of an order stays the same in later versions, because existing entries contain it', async () => {
  const derived = await fingerprint({}, FIXED)
  expect(derived).toEqual({
    keyId: 'derived-e57oNILOF6Gq0TW4',
    hash: 'sUgGRhBZUE_NURiMgfq2j6nJUMZk7hWlkxOJCqvn2WI',
  })
  const given = await fingerprint({ fingerprintKey: { id: 'own', key: 'k'.repeat(32) } }, FIXED)
  expect(given).toEqual({ keyId: 'own', hash: 'hW2mQ9c1CK3NHfzfksPyCqwEd_oQG2ac4u49wlC4_4U' })
})
