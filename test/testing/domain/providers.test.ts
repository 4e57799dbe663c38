import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'

import { Directory } from './directory-support.js'
import { cursor, provider } from './shapes.js'

const page = z.strictObject({ providers: z.array(provider), cursor: cursor.optional() })
const retired = z.strictObject({
  object: z.literal('provider'),
  providerNumber: z.string(),
  deleted: z.literal(true),
})

/** One white pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAQAAAAA3bvkkAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=='
const DATA_URI = `data:image/png;base64,${PIXEL}`
const GIF = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'

const NUMBER = '2049712B'
const OTHER_ORGANISATIONS = '9900117H'
const ATTESTATION = { attestedBy: 'Practice manager', doctorSignedAt: '2025-03-01T09:30:00Z' }
const DETAILS = { providerNumber: NUMBER, name: 'Dr Ada Byrne', address: '9 Wharf Street, Cairns QLD 4870' }

let api: Directory
beforeEach(async () => {
  api = await Directory.start()
  return () => api.stop()
})

const save = (body: unknown) => api.ask('/v1/providers', provider, { method: 'POST', body })
const update = (number: string, body: unknown) =>
  api.ask(`/v1/providers/${number}`, provider, { method: 'PUT', body })
const retrieve = (number: string) => api.ask(`/v1/providers/${number}`, provider)
const rejectedSave = (body: unknown) => api.rejection('/v1/providers', { method: 'POST', body })
const rejectedUpdate = (number: string, body: unknown) =>
  api.rejection(`/v1/providers/${number}`, { method: 'PUT', body })

describe('POST /v1/providers', () => {
  it('a POST of a provider creates a record with every field, and a read returns the same (§4.4)', async () => {
    const details = { ...DETAILS, title: 'Dr', phone: '07 5550 1000', email: 'ada@clinic.example' }
    const saved = await save({ ...details, encodedSignature: PIXEL })
    expect(saved).toMatchObject({ ...details, hasSignature: true, connections: [] })
    expect(saved.encodedSignature).toBe(DATA_URI)
    expect(saved.createdAt).toBe('2025-03-10T02:00:00.000Z')
    expect(saved.signatureSignedAt).toBe(saved.createdAt)
    expect(await retrieve(NUMBER)).toEqual(saved)
  })

  it('a POST of a provider accepts the signature as a data URI, the form that a read returns (§2.10)', async () => {
    const saved = await save({ ...DETAILS, encodedSignature: DATA_URI })
    expect(saved.encodedSignature).toBe(DATA_URI)
    expect((await save({ ...DETAILS, encodedSignature: saved.encodedSignature })).hasSignature).toBe(true)
  })

  it('a record without a signature shows that it has none (§4.4)', async () => {
    expect(await save(DETAILS)).toMatchObject({
      hasSignature: false,
      encodedSignature: null,
      signatureSignedAt: null,
      title: '',
    })
  })

  it('a POST with a number that the organisation has updates that record instead of failing (§4.4)', async () => {
    const first = await save({ ...DETAILS, title: 'Prof', encodedSignature: PIXEL })
    await api.fake.clock.advance({ hours: 1 })
    const second = await save({ ...DETAILS, name: 'Dr Ada Byrne-Li' })
    expect(second).toMatchObject({ name: 'Dr Ada Byrne-Li', createdAt: first.createdAt, title: 'Prof' })
    expect(second.encodedSignature).toBe(DATA_URI)
    expect(second.signatureSignedAt).toBe(first.signatureSignedAt)
    expect(second.updatedAt > first.updatedAt).toBe(true)
    const { providers } = await api.ask('/v1/providers?count=20', page)
    expect(providers.filter(({ providerNumber }) => providerNumber === NUMBER)).toHaveLength(1)
  })

  it('an update by POST keeps routing (§4.4)', async () => {
    const before = await retrieve('5731046F')
    const after = await save({ providerNumber: '5731046F', name: 'Dr Amelia H', address: before.address })
    expect(after.connections).toEqual(before.connections)
    expect(before.connections.length).toBeGreaterThan(0)
  })

  it.each([
    ['base64 with a stray character', `${PIXEL.slice(0, 40)}*${PIXEL.slice(41)}`],
    ['base64 cut short', PIXEL.slice(0, -5)],
  ])('a record with %s gives INVALID_SIGNATURE (§7)', async (_, encodedSignature) => {
    const { status, code, errorList } = await rejectedSave({ ...DETAILS, encodedSignature })
    expect({ status, code }).toEqual({ status: 400, code: 'INVALID_SIGNATURE' })
    expect(errorList.join()).toContain('encodedSignature')
    expect(await api.rejection(`/v1/providers/${NUMBER}`)).toMatchObject({ code: 'PROVIDER_NOT_FOUND' })
  })

  it('the size of a signature is checked on the decoded bytes (§8)', async () => {
    const png = Buffer.from(PIXEL, 'base64')
    const sized = (bytes: number) => Buffer.concat([png, Buffer.alloc(bytes - png.length)]).toString('base64')
    const other = await Directory.start({ signatureMaxBytes: 300 })
    const send = (encodedSignature: string) =>
      other.send('/v1/providers', { method: 'POST', body: { ...DETAILS, encodedSignature } })
    expect((await send(sized(300))).status).toBe(200)
    expect(await send(sized(301))).toMatchObject({ status: 400, content: { code: 'INVALID_SIGNATURE' } })
    await other.stop()
  })

  it('a signature above one MiB is too large by default (§8)', async () => {
    const large = Buffer.concat([Buffer.from(PIXEL, 'base64'), Buffer.alloc(1_048_577)]).toString('base64')
    expect(await rejectedSave({ ...DETAILS, encodedSignature: large })).toMatchObject({
      code: 'INVALID_SIGNATURE',
    })
  })

  it.each([
    ['length', '24266-1B', '8 characters, each a digit or an upper-case letter'],
    ['stem', 'ABCDEFGH', '8 characters, each a digit or an upper-case letter, and begin with six digits'],
    ['shape', '24266217', 'six digits, a location character and a letter'],
    ['check-character', '2426621Y', 'the correct check character'],
  ] as const)(
    'with providerNumberCheck %s the error says which rule %s breaks (§8)',
    async (check, number, rule) => {
      const fake = await Directory.start({ providerNumberCheck: check })
      const body = { ...DETAILS, providerNumber: number }
      const { errorList } = await fake.rejection('/v1/providers', { method: 'POST', body })
      expect(errorList).toEqual([expect.stringContaining(rule)])
      expect(() => fake.fake.providers.saveInPortal(number, { name: 'Dr A', address: '1 Street' })).toThrow(
        rule,
      )
      await fake.stop()
    },
  )

  it('providerNumberCheck decides how strictly a number is checked (§8)', async () => {
    const wrongLetter = { ...DETAILS, providerNumber: '2426621Y' }
    expect((await save(wrongLetter)).providerNumber).toBe('2426621Y')
    expect((await save({ ...DETAILS, providerNumber: '24266217' })).providerNumber).toBe('24266217')
    const strict = await Directory.start({ providerNumberCheck: 'check-character' })
    expect(await strict.rejection('/v1/providers', { method: 'POST', body: wrongLetter })).toMatchObject({
      code: 'INVALID_PROVIDER_NUMBER',
    })
    const lax = await Directory.start({ providerNumberCheck: 'length' })
    const letters = { ...DETAILS, providerNumber: 'ABCDEFGH' }
    expect((await lax.send('/v1/providers', { method: 'POST', body: letters })).status).toBe(200)
    await Promise.all([strict.stop(), lax.stop()])
  })

  it('every number of another organisation gives PROVIDER_NUMBER_IN_USE (§7)', async () => {
    const numbers = api.fake.providers.ofOtherOrganisation().map((record) => record.providerNumber)
    expect(numbers).toContain(OTHER_ORGANISATIONS)
    for (const providerNumber of numbers) {
      const rejection = await rejectedSave({ ...DETAILS, providerNumber })
      expect(rejection).toMatchObject({ status: 409, code: 'PROVIDER_NUMBER_IN_USE' })
    }
    const own = api.fake.providers.all().map((record) => record.providerNumber)
    expect(own.filter((number) => numbers.includes(number))).toEqual([])
  })

  it('a record with several problems names each, whatever their codes (§7)', async () => {
    const { errorList } = await rejectedSave({
      providerNumber: 'x',
      address: '',
      encodedSignature: GIF,
      x: 1,
    })
    expect(errorList).toHaveLength(5)
  })

  it('signatureOnCreate: required rejects a new record without one, and an update keeps the existing one', async () => {
    const strict = await Directory.start({ signatureOnCreate: 'required' })
    const send = (body: unknown) => strict.send('/v1/providers', { method: 'POST', body })
    expect(await send(DETAILS)).toMatchObject({ status: 400, content: { code: 'INVALID_SIGNATURE' } })
    expect((await send({ ...DETAILS, encodedSignature: PIXEL })).status).toBe(200)
    expect((await send(DETAILS)).status).toBe(200)
    await strict.stop()
  })

  it('absentProviderDetails: null returns missing details as null (§2.10)', async () => {
    const other = await Directory.start({ absentProviderDetails: 'null' })
    const { content } = await other.send('/v1/providers', { method: 'POST', body: DETAILS })
    expect(content).toMatchObject({ title: null, phone: null, email: null })
    await other.stop()
  })
})

describe('GET /v1/providers/{providerNumber}', () => {
  it('GET of a provider returns the record with its connections (§4.4)', async () => {
    const record = await retrieve('5731046F')
    expect(record.connections.map(({ status }) => status)).toEqual(['CONNECTED', 'CONNECTED'])
    expect(record.connections.every(({ confirmedAt }) => confirmedAt !== null)).toBe(true)
  })

  it.each([
    ['GET', '', undefined],
    ['PUT', '', { name: 'X' }],
    ['DELETE', '', undefined],
    ['POST', '/routing', { vendorIds: ['lowanna-pathology'], attestation: ATTESTATION }],
  ] as const)(
    "%s of another organisation's record%s gives PROVIDER_NOT_FOUND (§1, §7)",
    async (method, path, body) => {
      for (const number of [OTHER_ORGANISATIONS, 'constructor']) {
        const answer = await api.rejection(`/v1/providers/${number}${path}`, { method, body })
        expect(answer).toMatchObject({ status: 404, code: 'PROVIDER_NOT_FOUND' })
      }
    },
  )

  it.each(['2426621B', '4024742F', '2449001X', '2448301T', '246564QX'])(
    'the example number %s of the documentation is free at first (§2.10)',
    async (number) => {
      expect(await api.rejection(`/v1/providers/${number}`)).toMatchObject({ code: 'PROVIDER_NOT_FOUND' })
      expect(await save({ ...DETAILS, providerNumber: number })).toMatchObject({ hasSignature: false })
    },
  )
})

describe('PUT /v1/providers/{providerNumber}', () => {
  it('PUT of a provider changes the given fields and keeps the rest, including the signature (§4.4)', async () => {
    const before = await save({ ...DETAILS, phone: '07 5550 1000', encodedSignature: PIXEL })
    await api.fake.clock.advance({ minutes: 5 })
    const after = await update(NUMBER, { address: '10 Wharf Street, Cairns QLD 4870', email: 'a@b.example' })
    expect(after).toEqual({
      ...before,
      address: '10 Wharf Street, Cairns QLD 4870',
      email: 'a@b.example',
      updatedAt: '2025-03-10T02:05:00.000Z',
    })
  })

  it('PUT of a provider with a new signature replaces the old one and has a new date (§4.4)', async () => {
    const before = await retrieve('5731046F')
    const after = await update('5731046F', { encodedSignature: PIXEL })
    expect(after.encodedSignature).toBe(DATA_URI)
    expect(after.signatureSignedAt).not.toBe(before.signatureSignedAt)
  })

  it('PUT of a provider keeps its connections (§4.4)', async () => {
    const { connections } = await retrieve('3187452A')
    expect((await update('3187452A', { name: 'Dr D Raghunathan' })).connections).toEqual(connections)
  })

  it('PUT of a provider cannot change its number (§4.4)', async () => {
    const rejection = await rejectedUpdate('5731046F', { providerNumber: NUMBER })
    expect(rejection).toMatchObject({ status: 400, code: 'INVALID_PAYLOAD' })
    expect((await retrieve('5731046F')).providerNumber).toBe('5731046F')
  })

  it.each([
    [{ name: '' }, 'INVALID_PROVIDER_DETAILS'],
    [{ address: ' ' }, 'INVALID_PROVIDER_DETAILS'],
    [{ encodedSignature: GIF }, 'INVALID_SIGNATURE'],
    [{ name: 5 }, 'INVALID_PAYLOAD'],
    [{ speciality: 'x' }, 'INVALID_PAYLOAD'],
    [[], 'INVALID_PAYLOAD'],
  ])('PUT of a provider rejects %j with %s and changes nothing (§7)', async (body, code) => {
    const before = await retrieve('5731046F')
    expect(await rejectedUpdate('5731046F', body)).toMatchObject({ status: 400, code })
    expect(await retrieve('5731046F')).toEqual(before)
  })
})

describe('DELETE /v1/providers/{providerNumber}', () => {
  const retire = (number: string) => api.ask(`/v1/providers/${number}`, retired, { method: 'DELETE' })
  const rejectedRetire = (number: string) => api.rejection(`/v1/providers/${number}`, { method: 'DELETE' })

  it('DELETE of a provider retires the record: no endpoint returns it any more (§4.4)', async () => {
    expect((await retire('6183272X')).providerNumber).toBe('6183272X')
    const notFound = { status: 404, code: 'PROVIDER_NOT_FOUND' }
    expect(await api.rejection('/v1/providers/6183272X')).toMatchObject(notFound)
    expect(await rejectedUpdate('6183272X', { name: 'X' })).toMatchObject(notFound)
    expect(await rejectedRetire('6183272X')).toMatchObject(notFound)
    const { providers } = await api.ask('/v1/providers', page)
    expect(providers.map(({ providerNumber }) => providerNumber)).not.toContain('6183272X')
  })

  it('DELETE of a provider clears the signature: a new record with the number has none (§4.4)', async () => {
    await retire('6183272X')
    const created = await save({ ...DETAILS, providerNumber: '6183272X' })
    expect(created).toMatchObject({ hasSignature: false, encodedSignature: null, connections: [] })
    expect(created.createdAt).toBe('2025-03-10T02:00:00.000Z')
  })

  it.each([
    ['CONNECTED', '5731046F'],
    ['STOP_REQUESTED', '5120986A'],
  ])(
    'DELETE of a provider gives PROVIDER_HAS_ACTIVE_ROUTING while a laboratory is %s (§7)',
    async (_, number) => {
      const before = await retrieve(number)
      expect(await rejectedRetire(number)).toMatchObject({ status: 409, code: 'PROVIDER_HAS_ACTIVE_ROUTING' })
      expect(await retrieve(number)).toEqual(before)
    },
  )

  it('routing that was requested and not confirmed is not active, so the record can be retired (§3.3)', async () => {
    expect((await retire('3187452A')).deleted).toBe(true)
  })

  it('activeRoutingStatuses can count pending routing as active', async () => {
    const other = await Directory.start({ activeRoutingStatuses: ['NOT_SUBMITTED', 'PENDING_CONFIRMATION'] })
    const ask = { method: 'DELETE' } as const
    expect(await other.rejection('/v1/providers/3187452A', ask)).toMatchObject({ status: 409 })
    expect((await other.send('/v1/providers/5731046F', ask)).status).toBe(200)
    await other.stop()
  })

  it('once routing has ended the record can be retired (§4.4)', async () => {
    const { routing } = api.fake
    routing.end('5731046F', 'lowanna-pathology')
    expect(await rejectedRetire('5731046F')).toMatchObject({ status: 409 })
    routing.end('5731046F', 'currawong-health')
    expect((await retire('5731046F')).deleted).toBe(true)
  })
})

describe('GET /v1/providers', () => {
  it('the list of providers includes records of the portal, and none of another organisation (§4.4)', async () => {
    const other = await Directory.start()
    other.fake.providers.saveInPortal(NUMBER, { name: 'Dr Portal', address: '1 Portal Way' })
    const numbers = (await other.ask('/v1/providers', page)).providers.map(
      ({ providerNumber }) => providerNumber,
    )
    expect(numbers[0]).toBe(NUMBER)
    expect(numbers).not.toContain(OTHER_ORGANISATIONS)
    await other.stop()
  })
})

describe('the control methods of providers', () => {
  it('providers.all returns every record of the organisation, oldest first', async () => {
    const numbers = api.fake.providers.all().map(({ providerNumber }) => providerNumber)
    const { providers } = await api.ask('/v1/providers?sort=asc', page)
    expect(numbers.slice(0, 20)).toEqual(providers.map(({ providerNumber }) => providerNumber))
    expect(numbers).toHaveLength(23)
  })

  it('saveInPortal rejects values that a record cannot have', () => {
    const { saveInPortal } = api.fake.providers
    expect(() => saveInPortal('123', { name: 'A', address: 'B' })).toThrow('8 characters')
    expect(() => saveInPortal(NUMBER, { name: 'A' })).toThrow('name and an address')
    expect(() => saveInPortal(NUMBER, { name: 'A', address: ' ' })).toThrow(
      'must be a string that is not blank',
    )
    expect(() => saveInPortal(NUMBER, { name: 'A', address: 'B', signature: GIF })).toThrow('PNG')
    expect(() => saveInPortal(OTHER_ORGANISATIONS, { name: 'A', address: 'B' })).toThrow(
      'another organisation',
    )
  })
})
