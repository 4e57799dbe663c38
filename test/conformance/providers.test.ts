import { afterAll, describe, expect, it } from 'vitest'
import { expectError, expectOk, expectShape, faults } from './support/check.js'
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
  it('each field has its type, also when it is read again', async () => {
    expectShape([record], provider)
    expectShape([await read(record)], provider)
  })
  it('connections are empty at first', async () => expect((await read(record))['connections']).toEqual([]))
  it('signature fields agree', async () => {
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
  it('the sent values are stored', () => expect(whole).toMatchObject(full))
  it('the image is returned byte for byte as a data URI', async () => {
    const uri = str((await read(whole))['encodedSignature'])
    expect(uri).toBe(pngUri)
  })
  it('a base64 signature without a data URI, where accepted, is returned as a data URI', async () => {
    const answer = await save({ providerNumber: fresh(), ...details, encodedSignature: png })
    if (answer.status === 200) expect(at(answer.body, 'encodedSignature')).toBe(pngUri)
    else expectError(answer, 400, 'INVALID_SIGNATURE')
  })
  it('a second POST with the same number updates the record', async () => {
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
  it('a second POST without a signature keeps it, or the record shows that it has none', async () => {
    const record = await made()
    await save({ ...details, providerNumber: record['providerNumber'] })
    expect((await read(record))['hasSignature']).toBe(true)
  })
  it('the practitioner can order at once', async () => expectOk(await orderWith(await made())))
  it('a practitioner without a signature cannot order', async () => {
    expectError(await orderWith(bare), 400, 'MISSING_PROVIDER_SIGNATURE')
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
  it.each(edits)('%s alone', async (name, value) => {
    const record = await made()
    const changed = obj(expectOk(await put(record, { [name]: value })))
    expect(faults(changed, provider)).toEqual([])
    expect(changed).toMatchObject({ ...full, [name]: value, providerNumber: record['providerNumber'] })
    expect(await read(record)).toMatchObject({ ...full, [name]: value })
  })
  it('all fields at once, with a signature for a record without one', async () => {
    const record = await made({})
    const body = { ...Object.fromEntries(edits), encodedSignature: pngUri }
    expect(obj(expectOk(await put(record, body)))).toMatchObject({ ...body, hasSignature: true })
    expectOk(await orderWith(record))
  })
  it('updatedAt is later than before', async () => {
    const record = await made()
    await new Promise((resolve) => setTimeout(resolve, 5))
    const changed = obj(expectOk(await put(record, { title: 'A/Prof' })))
    expect(Date.parse(str(changed['updatedAt']))).toBeGreaterThan(Date.parse(str(record['updatedAt'])))
    expect(changed['createdAt']).toBe(record['createdAt'])
  })
  it('another number is rejected, and the record does not change', async () => {
    const record = await made()
    const answer = await put(record, { providerNumber: fresh() })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect((await read(record))['providerNumber']).toBe(record['providerNumber'])
  })
})

describe('§4.4 GET, DELETE', () => {
  it('DELETE returns {object, providerNumber, deleted}', async () => {
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
  it('a retired number can be created again, without its old signature', async () => {
    const record = await made()
    await service.call('DELETE', pathOf(record))
    const again = obj(expectOk(await save({ providerNumber: record['providerNumber'], ...details })))
    expect(again['hasSignature']).toBe(false)
    expectError(await orderWith(again), 400, 'MISSING_PROVIDER_SIGNATURE')
  })
  it('the list is newest first, in the shape of §2.10', async () => {
    const record = await made()
    const answer = await service.call('GET', '/v1/providers')
    const list = objects(at(expectOk(answer), 'providers'))
    expect(list[0]?.['providerNumber']).toBe(record['providerNumber'])
    expectShape(list, provider)
  })
  it('a record that was created in the portal is in the list', async () => {
    const number = fresh()
    await service.control('PUT', `/providers/${number}`, { ...details })
    const list = await wholeList(service, '/v1/providers')
    expect(list.map((entry) => entry['providerNumber'])).toContain(number)
  })
})

describe('§2.10 numbers that the documentation uses as examples are free at first', () => {
  it.each(['2426621B', '4024742F', '2449001X', '2448301T', '246564QX'])('%s', async (number) => {
    expectError(await service.call('GET', `/v1/providers/${number}`), [404, 400], 'PROVIDER_NOT_FOUND')
    const record = await made({ providerNumber: number })
    expect(record).toMatchObject({ providerNumber: number, hasSignature: false, name: details.name })
    expectError(await orderWith(record), 400, 'MISSING_PROVIDER_SIGNATURE')
    expectOk(await put(record, { encodedSignature: pngUri }))
    expectOk(await orderWith(record))
    expectOk(await service.call('DELETE', pathOf(record)))
  })
})
