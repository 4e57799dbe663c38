import {
  ConfigurationError,
  type LedgerClaim,
  memoryOrderLedger,
  ORDER_KEY_FIELD,
  type OrderLedger,
  TimeoutError,
} from 'pathology-sdk'
import { expect, it, vi } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { KEY, labOrder } from './ledger-world.js'

const UUID = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'
const FINGERPRINT = { keyId: 'key 1', hash: 'hash 1' }

/** Methods of a user's ledger, which has no types at run time. */
type Methods = Partial<Record<keyof OrderLedger, (...args: never[]) => unknown>>

/** A client with a user's ledger: an in-memory ledger with other methods. */
function clientWith(methods: Methods) {
  const requests: string[] = []
  const recorded: unknown[] = []
  const inner = memoryOrderLedger()
  const ledger = Object.assign(memoryOrderLedger(), {
    record: (...given: Parameters<OrderLedger['record']>) => {
      recorded.push(given[1])
      return inner.record(...given)
    },
    ...methods,
  })
  const client = clientOf('https://api.example.com', {
    orderLedger: ledger,
    fetch: (url) => {
      requests.push(url)
      return Promise.reject(new TypeError('the test sends no request'))
    },
  })
  const create = () => client.referrals.create(labOrder(), { orderKey: KEY })
  return { client, create, requests, recorded }
}

const NO_STATE = 'without a known state'
const NO_UUIDS = "in the state 'placed' without the UUIDs of its referrals"
const NO_TIMES = "in the state 'sent' without valid sinceFirstSentMs and sinceLastSentMs"
const times = (sinceFirstSentMs: unknown, sinceLastSentMs: unknown) => ({
  ...{ state: 'sent', fingerprint: FINGERPRINT },
  ...{ sinceFirstSentMs, sinceLastSentMs },
})
const placed = (...referrals: unknown[]) => ({ state: 'placed', fingerprint: FINGERPRINT, referrals })

it.each<[string, unknown, string]>([
  ['undefined', undefined, NO_STATE],
  ['null', null, NO_STATE],
  ['a text', 'new', NO_STATE],
  ['an object without a state', {}, NO_STATE],
  ['an unknown state', { state: 'held', fingerprint: FINGERPRINT }, NO_STATE],
  ['placed, no referrals', { ...placed(), referrals: undefined }, NO_UUIDS],
  ['placed, a text for the list', { ...placed(), referrals: UUID }, NO_UUIDS],
  ['placed, an empty list', placed(), NO_UUIDS],
  ['placed, another text for a UUID', placed('job-77'), NO_UUIDS],
  ['placed, one UUID and another text', placed(UUID, 'job-77'), NO_UUIDS],
  ['placed, a list for a UUID', placed([UUID]), NO_UUIDS],
  ['sent, no times', times(undefined, undefined), NO_TIMES],
  ['sent, no time since the first request', times(undefined, 0), NO_TIMES],
  ['sent, no time since the last request', times(0, undefined), NO_TIMES],
  ['sent, a negative time', times(0, -1), NO_TIMES],
  ['sent, a time without end', times(Number.POSITIVE_INFINITY, 0), NO_TIMES],
  ['sent, a time that is not a number', times(Number.NaN, 0), NO_TIMES],
  ['sent, a text for a time', times('5', 0), NO_TIMES],
  ['busy, no fingerprint', { state: 'busy' }, "in the state 'busy' without its fingerprint"],
  [
    'busy, a text for the fingerprint',
    { state: 'busy', fingerprint: 'hash 1' },
    "in the state 'busy' without its fingerprint",
  ],
  [
    'sent, a fingerprint without its key',
    { ...times(0, 0), fingerprint: { hash: 'hash 1' } },
    "in the state 'sent' without its fingerprint",
  ],
  [
    'placed, a fingerprint without its hash',
    { ...placed(UUID), fingerprint: { keyId: 'key 1' } },
    "in the state 'placed' without its fingerprint",
  ],
])(
  "an invalid claim of a user's ledger is rejected, nothing is sent, and the claim is ended: %s",
  async (_, claim, problem) => {
    const { create, requests, recorded } = clientWith({ claim: async () => claim as LedgerClaim })
    expect(await rejection(create())).toMatchObject({
      name: 'OrderLedgerError',
      message: `the order ledger returned a claim ${problem}: nothing was sent; correct the ledger, and repeat the call with the same orderKey`,
      ...{ outcome: 'not-sent', attempts: 0, operation: 'claim', retryable: true },
    })
    expect(requests).toEqual([])
    expect(recorded).toEqual([{ token: expect.any(String), outcome: 'not-placed' }])
  },
)

it.each<[string, Methods, string]>([
  ['rejects', { resolve: () => Promise.reject(new Error('down')) }, 'failed'],
  ['never settles', { resolve: () => new Promise(() => undefined) }, 'did not respond within 2000 ms'],
  ['returns a text', { resolve: async () => 'OK' }, 'did not return true or false'],
])(
  "an operation of a user's ledger is named with its problem when the record of a webhook event %s (§6)",
  async (_, methods, problem) => {
    const { client } = clientWith(methods)
    const event = {
      eventName: 'referral.created',
      data: { uuid: UUID, metadata: { [ORDER_KEY_FIELD]: KEY } },
    }
    expect(await rejection(client.referrals.recordOrder(event))).toMatchObject({
      name: 'OrderLedgerError',
      message: `the order ledger ${problem} (resolve): the ledger may not have the outcome of the order; repeat the call`,
      ...{ outcome: 'not-sent', attempts: 0, operation: 'resolve' },
    })
  },
)

it('a call whose ledger fails with a ConfigurationError of this package rejects with this error', async () => {
  const error = new ConfigurationError('postgresOrderLedger: the table does not exist')
  const { create } = clientWith({ claim: () => Promise.reject(error) })
  expect(await rejection(create())).toBe(error)
})

it.each([
  [
    'another error of this package',
    new TimeoutError('late', { outcome: 'unknown', attempts: 1, timeout: 5 }),
  ],
  [
    'an error of another package with this name',
    Object.assign(new Error('failed'), { name: 'ConfigurationError' }),
  ],
])('a call whose ledger fails with %s rejects with OrderLedgerError', async (_, error) => {
  const { create } = clientWith({ claim: () => Promise.reject(error) })
  const thrown = await rejection(create())
  expect(thrown).not.toBe(error)
  expect(thrown).toMatchObject({
    name: 'OrderLedgerError',
    operation: 'claim',
    cause: { name: error.name },
  })
})

const fail = (): never => {
  throw new Error('the connection is lost')
}

it.each<[string, () => unknown]>([
  ['its watch() throws', fail],
  ['its watch() rejects', async () => fail()],
  ['the function that removes the listener throws', () => fail],
  ['the function that removes the listener rejects', () => async () => fail()],
])(
  "a user's ledger that fails to report changes of an entry is polled by a waiting call until its time limit: %s",
  async (_, watch) => {
    const claim = vi.fn(async () => ({ state: 'busy', fingerprint: FINGERPRINT }))
    const { create, requests } = clientWith({ claim, watch })
    expect(await rejection(create())).toMatchObject({ name: 'TimeoutError', outcome: 'unknown', attempts: 0 })
    expect(claim.mock.calls.length).toBeGreaterThan(50)
    expect(requests).toEqual([])
  },
)
