import { PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { order, UUID } from '../../support/samples.js'

const RESOURCES = [
  'referrals',
  'results',
  'tests',
  'biomarkers',
  'bundles',
  'prices',
  'providers',
  'vendors',
  'centres',
  'webhooks',
] as const

type Resource = (typeof RESOURCES)[number]

/** An argument: a valid one, and the name in the error of an invalid one. */
type Parameter = readonly [right: unknown, named: RegExp]

const PROVIDER_NUMBER = '2426621L'
const REFERENCE = 'visit 17'
const uuid: Parameter = [UUID, /uuid must be a UUID/]
const id: Parameter = ['webhook-1', /id must be the id of a webhook/]
const number: Parameter = [PROVIDER_NUMBER, /providerNumber must be/]
const query: Parameter = [{}, /the query must be an object/]
const options: Parameter = [{}, /the options of [a-zA-Z.]+ must be an object/]
const point: Parameter = [{ lat: 0, lng: 0 }, /the query must be an object/]
/** If a method destructures a list or a function like an object, the error names the missing fields. */
const NO_BODY = {}
const body: Parameter = [NO_BODY, /the request must be|is required|is not a field|at least one/]

/** Every method with its parameters; a test compares the list with the client. */
const METHODS: Readonly<Record<string, readonly Parameter[]>> = {
  'referrals.create': [body, options],
  'referrals.validate': [body, options],
  'referrals.retrieve': [uuid, options],
  'referrals.list': [query, options],
  'referrals.update': [uuid, body, options],
  'referrals.delete': [uuid, options],
  'referrals.generateResults': [uuid, options],
  'referrals.findByReferenceNumber': [[REFERENCE, /referenceNumber must be a string/], options],
  'referrals.findByOrderKey': [[REFERENCE, /orderKey must be text with at least one character/], options],
  'referrals.waitFor': [uuid, [{ status: 'ISSUED' }, /the options of referrals\.waitFor must be an object/]],
  'referrals.document': [uuid, options],
  'referrals.recordOrder': [[{ uuid: UUID }, /must be a referral or a webhook event about a referral/]],
  'results.retrieve': [uuid, options],
  'results.list': [query, options],
  'results.document': [uuid, options],
  'tests.list': [query, options],
  'biomarkers.list': [query, options],
  'bundles.list': [query, options],
  'prices.calculate': [body, options],
  'providers.save': [body, options],
  'providers.list': [query, options],
  'providers.retrieve': [number, options],
  'providers.update': [number, body, options],
  'providers.retire': [number, options],
  'providers.requestRouting': [number, body, options],
  'vendors.list': [query, options],
  'centres.list': [query, options],
  'centres.nearest': [point, options],
  'centres.retrieve': [uuid, options],
  'centres.changes': [options, options],
  'webhooks.create': [body, options],
  'webhooks.retrieve': [id, options],
  'webhooks.list': [query, options],
  'webhooks.update': [id, body, options],
  'webhooks.delete': [id, options],
  'webhooks.eventNames': [options],
}

/** Accepts anything and sends nothing. */
const HARMLESS = ['referrals.orderKeyOf']

const WRONG: readonly (readonly [kind: string, value: unknown])[] = [
  ['nothing', undefined],
  ['null', null],
  ['a number', 7],
  ['a string', 'x y'],
  ['a list', []],
  ['a list of strings', ['x']],
  ['a function', () => UUID],
  ['a signal', new AbortController().signal],
]

/** `undefined` is the default of an optional argument. */
function isRight(value: unknown, right: unknown): boolean {
  if (typeof value === 'string') return right === REFERENCE
  return value === undefined && typeof right === 'object' && right !== NO_BODY
}

let fake: FakePathologyService
let client: PathologyClient

beforeEach(() => {
  fake = new FakePathologyService({ centreCount: 1 })
  client = new PathologyClient(fake.clientOptions())
})

afterEach(() => fake.close())

/** Calls a method as plain JavaScript can, and reads the result to its end. */
async function call(name: string, given: readonly unknown[]): Promise<unknown> {
  const [resource, method = ''] = name.split('.')
  const owner = client[resource as Resource]
  const function_: unknown = Reflect.get(owner, method)
  if (typeof function_ !== 'function') throw new Error(`${name} is not a method`)
  const returned: unknown = await begun(name, () => Reflect.apply(function_, owner, given))
  const isList = typeof returned === 'object' && returned !== null && Symbol.asyncIterator in returned
  if (isList) for await (const _ of returned as AsyncIterable<unknown>) break
  return returned
}

/** A method that returns a promise rejects and never throws; a list may do either. */
function begun(name: string, start: () => unknown): unknown {
  try {
    return start()
  } catch (error) {
    if (/\.(list|nearest|changes|findByReferenceNumber)$/.test(name)) throw error
    throw new Error(`${name} threw`, { cause: error })
  }
}

it('arguments of a wrong kind are tested for every method', () => {
  const names = RESOURCES.flatMap((resource) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(client[resource]))
      .filter((name) => name !== 'constructor')
      .map((name) => `${resource}.${name}`),
  )
  expect([...Object.keys(METHODS), ...HARMLESS].sort()).toEqual(names.sort())
  expect(Object.keys(client).sort()).toEqual([...RESOURCES].sort())
})

it.each(Object.entries(METHODS))(
  'arguments of a wrong kind of %s are named, and nothing is sent',
  async (name, parameters) => {
    const given = parameters.map(([right]) => right)
    for (const [place, [right, named]] of parameters.entries()) {
      for (const [kind, value] of WRONG.filter(([, wrong]) => !isRight(wrong, right))) {
        const error = await call(name, given.with(place, value)).catch((reason: unknown) => reason)
        const what = `argument ${place + 1}: ${kind}`
        expect(String(error), what).toMatch(named)
        expect(error, what).toMatchObject({
          name: expect.stringMatching(/^(InvalidRequest|Configuration)Error$/),
        })
      }
    }
    expect(fake.requests).toHaveLength(0)
  },
)

it.each([
  [{ signal: null }, 'signal must be an AbortSignal'],
  [{ signal: new AbortController() }, 'signal must be an AbortSignal'],
  [{ headers: null }, 'headers must be a plain object'],
  [{ headers: new Headers({ 'x-clinic': 'a' }) }, 'headers must be a plain object'],
])('nested values of a wrong kind are rejected in the options %j', async (given, message) => {
  for (const name of ['referrals.retrieve', 'referrals.document', 'referrals.generateResults']) {
    await expect(call(name, [UUID, given])).rejects.toMatchObject({ name: 'ConfigurationError', message })
  }
  await expect(call('vendors.list', [{}, given])).rejects.toMatchObject({
    name: 'ConfigurationError',
    message,
  })
  expect(fake.requests).toHaveLength(0)
})

it.each([7, null, true, 'yesterday'])(
  'nested values of a wrong kind are rejected as changedSince or since: %j (§4.5)',
  async (time) => {
    const refusal = { name: 'InvalidRequestError', errorList: [expect.stringContaining('changedSince')] }
    await expect(call('centres.list', [{ changedSince: time }])).rejects.toMatchObject(refusal)
    const message = expect.stringMatching(/^centres\.changes: .*since must be a Date or an ISO 8601 time/)
    const ofChanges = { name: 'InvalidRequestError', message }
    await expect(call('centres.changes', [{ since: time }])).rejects.toMatchObject(ofChanges)
    expect(fake.requests).toHaveLength(0)
  },
)

it('nested values of a wrong kind are rejected in place of a point (§4.5)', async () => {
  await expect(call('centres.nearest', [])).rejects.toThrow('centres.nearest: nothing was sent')
})

it('nested values of a wrong kind are rejected as since of findByReferenceNumber: null is not a time (§4.1)', async () => {
  const given = ['visit 17', { since: null }]
  await expect(call('referrals.findByReferenceNumber', given)).rejects.toThrow('since must be a Date')
  expect(fake.requests).toHaveLength(0)
})

const OPTIONS = /^the options of \w+ must be an object$/

it.each(WRONG.slice(1))('functions outside the resources reject %s for options', async (_, value) => {
  const wrong = value as never
  expect(() => new PathologyClient(wrong)).toThrow(OPTIONS)
  await expect(client.warmUp(wrong)).rejects.toThrow(OPTIONS)
  await expect(client.vendors.list().toArray(wrong)).rejects.toThrow('such as { limit: 100 }')
  expect(fake.requests).toHaveLength(0)
})

it('a document rejects options of a wrong kind (§2.4)', async () => {
  const { referrals } = await client.referrals.create(order({ tests: ['tsh'] }))
  await fake.clock.advance({ minutes: 10 })
  const document = await client.referrals.document(referrals[0].uuid)
  const sent = fake.requests.length
  const told = 'the options of a document must be an object'
  for (const [, value] of WRONG.slice(1)) {
    const wrong = value as never
    await expect(document.bytes(wrong)).rejects.toThrow(told)
    await expect(document.saveTo('x.pdf', wrong)).rejects.toThrow(told)
    await expect(document.stream(wrong).getReader().read()).rejects.toThrow(told)
  }
  for (const path of [undefined, null, 7, new URL('file:///x.pdf')]) {
    await expect(document.saveTo(path as never)).rejects.toThrow('saveTo needs the path of a file')
  }
  expect(fake.requests).toHaveLength(sent)
})
