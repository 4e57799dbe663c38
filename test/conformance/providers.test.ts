import { afterAll, describe, expect, test } from 'vitest'
import { shareOf } from '../support/sample.js'
import { expectError, expectOk, expectShape, faults, type Shape } from './support/check.js'
import { at, type JsonObject, obj, objects, str } from './support/json.js'
import { provider } from './support/objects.js'
import {
  type Body,
  cards,
  place,
  png,
  pngUri,
  providerNumber,
  recordsOf,
  wholeList,
} from './support/samples.js'
import { type Answer, startService } from './support/service.js'

const service = await startService()
afterAll(() => service.stop())

let last = 611000
const fresh = (): string => {
  last += 1
  return providerNumber(last)
}
const details = { name: 'Dr Ada Quill', address: '1 Rooms Road, Carlton VIC 3053' }
const full = {
  ...details,
  title: 'Dr',
  phone: '0390000000',
  email: 'ada@example.com',
  encodedSignature: pngUri,
}
const save = (body: Body): Promise<Answer> => service.call('POST', '/v1/providers', { body })
const made = async (more: Body = full): Promise<JsonObject> =>
  obj(expectOk(await save({ providerNumber: fresh(), ...details, ...more })))
const pathOf = (record: JsonObject): string => `/v1/providers/${str(record['providerNumber'])}`
const read = async (record: JsonObject): Promise<JsonObject> =>
  obj(expectOk(await service.call('GET', pathOf(record))))
const put = (record: JsonObject, body: unknown): Promise<Answer> =>
  service.call('PUT', pathOf(record), { body })

const saved: Shape = Object.fromEntries(Object.entries(provider).filter(([name]) => name !== 'connections'))

const whole = await made()
const bare = await made({})
const medicareTest = str(
  recordsOf((await service.call('GET', '/v1/tests')).body).find(
    (entry) => entry['medicareListed'] === true,
  )?.['id'],
)
const orderWith = (record: JsonObject): Promise<Answer> =>
  place(service, {
    medicareTests: [medicareTest],
    medicareCardNumber: cards.eleven,
    orderingPractitioner: { ...details, providerNumber: record['providerNumber'] },
  })

describe.each([
  ['whole', whole],
  ['without signature', bare],
] as const)('§2.10 a new provider, %s', (_name, record) => {
  test('each field has its type, also when it is read again', async () => {
    const { connections: _, ...answered } = provider
    expectShape([record], answered)
    expectShape([await read(record)], provider)
  })
  test('connections are empty at first', async () => expect((await read(record))['connections']).toEqual([]))
  test('signature fields agree', async () => {
    const found = await read(record)
    expect(found['hasSignature']).toBe(record === whole)
    expect(found['encodedSignature'] !== null && found['encodedSignature'] !== undefined).toBe(
      record === whole,
    )
    expect(found['signatureSignedAt'] !== null && found['signatureSignedAt'] !== undefined).toBe(
      record === whole,
    )
  })
})

describe('§4.4 POST', () => {
  test('the sent values are stored', () => expect(whole).toMatchObject(full))
  test('the image is returned byte for byte as a data URI', async () => {
    const uri = str((await read(whole))['encodedSignature'])
    expect(uri).toBe(pngUri)
  })
  test('a base64 signature without a data URI, where accepted, is returned as a data URI', async () => {
    const answer = await save({ providerNumber: fresh(), ...details, encodedSignature: png })
    if (answer.status === 200) expect(at(answer.body, 'encodedSignature')).toBe(pngUri)
    else expectError(answer, 400, 'INVALID_SIGNATURE')
  })
  test('a second POST with the same number updates the record', async () => {
    const record = await made()
    const changed = obj(
      expectOk(await save({ ...full, providerNumber: record['providerNumber'], name: 'Dr Grace Quill' })),
    )
    expect(changed).toMatchObject({
      name: 'Dr Grace Quill',
      createdAt: record['createdAt'],
      hasSignature: true,
    })
    const list = await wholeList(service, '/v1/providers')
    expect(list.filter((entry) => entry['providerNumber'] === record['providerNumber']).length).toBe(1)
  })
  test('a second POST without a signature keeps it, or the record shows that it has none', async () => {
    const record = await made()
    await save({ ...details, providerNumber: record['providerNumber'] })
    expect((await read(record))['hasSignature']).toBe(true)
  })
  test('the practitioner can order at once', async () => expectOk(await orderWith(await made())))
  test('a practitioner without a signature cannot order', async () => {
    expectError(await orderWith(bare), 400, 'MISSING_PROVIDER_SIGNATURE')
  })
})

const some = (code: string | readonly string[]): readonly [number[], string | readonly string[]] => [
  [400, 409, 422],
  code,
]
const detail = 'INVALID_PROVIDER_DETAILS'
const detailEither = [detail, 'INVALID_PAYLOAD']
const numberEither = ['INVALID_PROVIDER_NUMBER', 'INVALID_PAYLOAD', 'MISSING_PROVIDER_NUMBER']
const signature = 'INVALID_SIGNATURE'
const signatureEither = [signature, 'INVALID_PAYLOAD']
const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 74, 70, 73, 70, 0, 1]).toString('base64')
const gif = Buffer.from('GIF89a\u0001').toString('base64')
const wrong: readonly (readonly [string, Body, string | readonly string[]])[] = [
  ['no name', { name: undefined }, detail],
  ['no address', { address: undefined }, detail],
  ['neither', { name: undefined, address: undefined }, detail],
  ['an empty name', { name: '' }, detail],
  ['an empty address', { address: '' }, detail],
  ['a blank name', { name: '   ' }, detail],
  ['a blank address', { address: '   ' }, detail],
  ['name null', { name: null }, detailEither],
  ['name a number', { name: 5 }, detailEither],
  ['address an object', { address: { city: 'x' } }, detailEither],
  ['no number', { providerNumber: undefined }, numberEither],
  ['an empty number', { providerNumber: '' }, numberEither],
  ['a number of 7 characters', { providerNumber: '242662B' }, numberEither],
  ['a number of 9 characters', { providerNumber: '24266210B' }, numberEither],
  ['a number that is a number', { providerNumber: 24266210 }, numberEither],
  ['a number with special characters', { providerNumber: '!!!!!!!!' }, numberEither],
  ['a signature of text', { encodedSignature: 'nonsense' }, signature],
  ['a signature that is not base64', { encodedSignature: 'data:image/png;base64,***' }, signature],
  ['an empty data URI', { encodedSignature: 'data:image/png;base64,' }, signature],
  ['a JPEG', { encodedSignature: `data:image/jpeg;base64,${jpeg}` }, signature],
  ['a JPEG called PNG', { encodedSignature: `data:image/png;base64,${jpeg}` }, signature],
  ['a JPEG in bare base64', { encodedSignature: jpeg }, signature],
  ['a GIF', { encodedSignature: `data:image/gif;base64,${gif}` }, signature],
  [
    'an SVG',
    { encodedSignature: `data:image/svg+xml;base64,${Buffer.from('<svg/>').toString('base64')}` },
    signature,
  ],
  ['a PNG called JPEG', { encodedSignature: `data:image/jpeg;base64,${png}` }, signature],
  [
    'base64 of text',
    { encodedSignature: `data:image/png;base64,${Buffer.from('hello').toString('base64')}` },
    signature,
  ],
  ['an https URL', { encodedSignature: 'https://example.com/a.png' }, signature],
  ['a signature that is a number', { encodedSignature: 5 }, signatureEither],
  ['a signature that is a list', { encodedSignature: [] }, signatureEither],
  ['a phone that is a number', { phone: 5 }, 'INVALID_PAYLOAD'],
  ['an email that is a list', { email: [] }, 'INVALID_PAYLOAD'],
  ['a title that is an object', { title: {} }, 'INVALID_PAYLOAD'],
]

describe('§4.4 POST rejects', () => {
  test.each(wrong)('%s', async (_what, changes, code) => {
    const number = fresh()
    const answer = await save({ providerNumber: number, ...full, ...changes })
    expectError(answer, ...some(code))
    expect((await service.call('GET', `/v1/providers/${number}`)).status).not.toBe(200)
  })
  test('a signature that is far too large', async () => {
    const big = Buffer.concat([Buffer.from(png, 'base64'), Buffer.alloc(5_000_000)]).toString('base64')
    const answer = await save({
      providerNumber: fresh(),
      ...details,
      encodedSignature: `data:image/png;base64,${big}`,
    })
    expectError(answer, [400, 413], ['INVALID_SIGNATURE', 'INVALID_PAYLOAD'])
  })
})

const edits: readonly (readonly [string, string])[] = [
  ['name', 'Dr New Name'],
  ['address', '2 New Road, Perth WA 6000'],
  ['title', 'Professor'],
  ['phone', '0890000000'],
  ['email', 'new@example.com'],
]
describe('§4.4 PUT', () => {
  test.each(edits)('%s alone', async (name, value) => {
    const record = await made()
    const changed = obj(expectOk(await put(record, { [name]: value })))
    expect(faults(changed, saved)).toEqual([])
    expect(changed).toMatchObject({ ...full, [name]: value, providerNumber: record['providerNumber'] })
    expect(await read(record)).toMatchObject({ ...full, [name]: value })
  })
  test('all fields at once, with a signature for a record without one', async () => {
    const record = await made({})
    const body = { ...Object.fromEntries(edits), encodedSignature: pngUri }
    expect(obj(expectOk(await put(record, body)))).toMatchObject({ ...body, hasSignature: true })
    expectOk(await orderWith(record))
  })
  test('updatedAt is later than before', async () => {
    const record = await made()
    await new Promise((resolve) => setTimeout(resolve, 5))
    const changed = obj(expectOk(await put(record, { title: 'A/Prof' })))
    expect(Date.parse(str(changed['updatedAt']))).toBeGreaterThan(Date.parse(str(record['updatedAt'])))
    expect(changed['createdAt']).toBe(record['createdAt'])
  })
  test('another number is rejected, and the record does not change', async () => {
    const record = await made()
    const answer = await put(record, { providerNumber: fresh() })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect((await read(record))['providerNumber']).toBe(record['providerNumber'])
  })
  const wrongChanges = wrong.filter(
    ([, changes]) => !('providerNumber' in changes) && Object.values(changes)[0] !== undefined,
  )
  test.each(shareOf(wrongChanges, 0, 3))('%s is rejected', async (_what, changes, code) => {
    const record = await made()
    expectError(await put(record, changes), ...some(code))
    expect(await read(record)).toMatchObject(full)
  })
  test('an unknown number is PROVIDER_NOT_FOUND', async () => {
    const answer = await service.call('PUT', `/v1/providers/${fresh()}`, { body: { name: 'X Y' } })
    expectError(answer, [404, 400], 'PROVIDER_NOT_FOUND')
  })
})

describe('§4.4 GET, DELETE', () => {
  test.each(['GET', 'DELETE'] as const)('%s of an unknown number is PROVIDER_NOT_FOUND', async (method) => {
    expectError(await service.call(method, `/v1/providers/${fresh()}`), [404, 400], 'PROVIDER_NOT_FOUND')
  })
  test.each(['x', '1', '!!!!!!!!', 'a'.repeat(200)])(
    'GET of %s is rejected with an error envelope',
    async (number) => {
      const answer = await service.call('GET', `/v1/providers/${number}`)
      expectError(answer, [400, 404], ['PROVIDER_NOT_FOUND', 'INVALID_PARAMETER', 'INVALID_PROVIDER_NUMBER'])
    },
  )
  test('DELETE returns {object, providerNumber, deleted}', async () => {
    const record = await made()
    const answer = await service.call('DELETE', pathOf(record))
    expect(expectOk(answer)).toEqual({
      object: 'provider',
      providerNumber: record['providerNumber'],
      deleted: true,
    })
    expectError(await service.call('GET', pathOf(record)), [404, 400], 'PROVIDER_NOT_FOUND')
    expectError(await service.call('DELETE', pathOf(record)), [404, 400], 'PROVIDER_NOT_FOUND')
    expectError(await put(record, { title: 'x' }), [404, 400], 'PROVIDER_NOT_FOUND')
    expectError(await orderWith(record), 400, ['INVALID_PROVIDER_NUMBER', 'MISSING_PROVIDER_SIGNATURE'])
    expect((await wholeList(service, '/v1/providers')).map((entry) => entry['providerNumber'])).not.toContain(
      record['providerNumber'],
    )
  })
  test('a retired number can be created again, without its old signature', async () => {
    const record = await made()
    await service.call('DELETE', pathOf(record))
    const again = obj(expectOk(await save({ providerNumber: record['providerNumber'], ...details })))
    expect(again['hasSignature']).toBe(false)
    expectError(await orderWith(again), 400, 'MISSING_PROVIDER_SIGNATURE')
  })
  test('the list is newest first, in the shape of §2.10', async () => {
    const record = await made()
    const answer = await service.call('GET', '/v1/providers')
    const list = objects(at(expectOk(answer), 'providers'))
    expect(list[0]?.['providerNumber']).toBe(record['providerNumber'])
    const { connections: _, ...listed } = provider
    expectShape(list, listed)
  })
  test('a record that was created in the portal is in the list', async () => {
    const number = fresh()
    await service.control('PUT', `/providers/${number}`, { ...details })
    const list = await wholeList(service, '/v1/providers')
    expect(list.map((entry) => entry['providerNumber'])).toContain(number)
  })
})

describe('§2.10 numbers that the documentation uses as examples are free at first', () => {
  test.each(['2426621B', '4024742F', '2449001X', '2448301T', '246564QX'])('%s', async (number) => {
    expectError(await service.call('GET', `/v1/providers/${number}`), [404, 400], 'PROVIDER_NOT_FOUND')
    const record = await made({ providerNumber: number })
    expect(record).toMatchObject({ providerNumber: number, hasSignature: false, name: details.name })
    expectError(await orderWith(record), 400, 'MISSING_PROVIDER_SIGNATURE')
    expectOk(await put(record, { encodedSignature: pngUri }))
    expectOk(await orderWith(record))
    expectOk(await service.call('DELETE', pathOf(record)))
  })
})
