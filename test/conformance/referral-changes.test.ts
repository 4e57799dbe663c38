import { afterAll, describe, expect, it } from 'vitest'
import { expectError, expectOk, faults, uuid } from './support/check.js'
import { at, first, type JsonObject, str } from './support/json.js'
import { referral } from './support/objects.js'
import {
  type Body,
  issued,
  patient,
  place,
  placed,
  recordsOf,
  referralOf,
  until,
  without,
} from './support/samples.js'
import { type Answer, startService } from './support/service.js'

const service = await startService()
afterAll(() => service.stop())

const catalogue = recordsOf((await service.call('GET', '/v1/tests')).body)
const testA = str(first(catalogue.filter((entry) => entry['medicareListed'] === true))['id'])
const fresh = (more: Body = {}): Promise<JsonObject> => issued(service, { tests: [testA], ...more })
const pathOf = (made: JsonObject): string => `/v1/referrals/${str(made['uuid'])}`
const patch = (made: JsonObject, body: unknown): Promise<Answer> =>
  service.call('PATCH', pathOf(made), { body })
const again = (made: JsonObject): Promise<JsonObject> => referralOf(service, str(made['uuid']))

const one = await fresh()
const moved = {
  addressLine1: '9 Other Road',
  city: 'Hobart',
  state: 'TAS',
  postCode: '7000',
  country: 'Australia',
}
const changes: readonly (readonly [string, unknown])[] = [
  ['firstName', 'Jo'],
  ['firstName', 'Joan'],
  ['lastName', 'Ng'],
  ['email', 'new@example.com'],
  ['dob', '1990-12-31'],
  ['gender', 'male'],
  ['phone', '123456'],
  ['address', { ...moved, addressLine2: null }],
  ['address', { ...moved, addressLine2: 'Rear' }],
]

describe('§4.1 PATCH changes one field and nothing else', () => {
  it.each(changes)('%s to %j', async (name, value) => {
    const made = await fresh({ metadata: { keep: true } })
    const body = expectOk(await patch(made, { [name]: value }))
    expect(faults(body, referral)).toEqual([])
    expect(at(body, 'status')).toBe('SCHEDULED_REISSUE')
    expect(at(body, 'referralAttachment')).toBeNull()
    expect(at(body, 'person', name)).toEqual(value)
    const person = { ...patient, [name]: value }
    for (const other of Object.keys(without(patient, name, 'address')))
      expect(at(body, 'person', other)).toEqual(Reflect.get(person, other))
    for (const other of [
      'uuid',
      'reference',
      'referenceNumber',
      'tests',
      'createdAt',
      'metadata',
      'deletedAt',
      'origin',
    ])
      expect(at(body, other)).toEqual(made[other])
    const now = await until(
      () => again(made),
      (found) => found['status'] === 'ISSUED',
    )
    expect(now['referralAttachment']).not.toBeNull()
    expect(at(now, 'person', name)).toEqual(at(body, 'person', name))
  })
  it('all fields at once', async () => {
    const made = await fresh()
    const body = { ...patient, firstName: 'Al', lastName: 'Bo', address: moved, metadata: { a: 1 } }
    const changed = expectOk(await patch(made, body))
    expect(at(changed, 'person')).toMatchObject({ firstName: 'Al', lastName: 'Bo', address: moved })
    expect(at(changed, 'metadata')).toEqual({ a: 1 })
  })
  it('updatedAt is later than before, createdAt stays', async () => {
    const made = await fresh()
    await new Promise((resolve) => setTimeout(resolve, 5))
    const body = expectOk(await patch(made, { firstName: 'Later' }))
    expect(Date.parse(str(at(body, 'updatedAt')))).toBeGreaterThan(Date.parse(str(made['updatedAt'])))
    expect(at(body, 'createdAt')).toBe(made['createdAt'])
  })
  it('two updates in a row cause one new PDF', async () => {
    const made = await fresh()
    for (const firstName of ['Ann', 'Bea', 'Cat']) {
      expectOk(await patch(made, { firstName }))
      await until(
        () => again(made),
        (found) => found['status'] === 'ISSUED',
      )
    }
    expect(at(await again(made), 'person', 'firstName')).toBe('Cat')
  })
  it('an empty body changes nothing, whether accepted or rejected', async () => {
    const made = await fresh()
    const answer = await patch(made, {})
    expect([200, 400]).toContain(answer.status)
    expect((await again(made))['person']).toEqual(made['person'])
  })
  it('v1.0.0 and v1.1.0 return the same referral', async () => {
    for (const version of ['1.0.0', '1.1.0']) {
      const made = await fresh()
      const answer = await service.call('PATCH', pathOf(made), { body: { firstName: 'Eve' }, version })
      expect(at(expectOk(answer), 'object')).toBe('referral')
    }
  })
})

const merges: readonly (readonly [unknown, unknown, unknown])[] = [
  [{ a: 1 }, { b: 2 }, { a: 1, b: 2 }],
  [{ a: 1 }, { a: 2 }, { a: 2 }],
  [{ a: 1, b: 2 }, { a: null }, { b: 2 }],
  [
    { a: 1, b: 2 },
    { a: null, c: 3 },
    { b: 2, c: 3 },
  ],
  [{ a: 1 }, { missing: null }, { a: 1 }],
  [{ a: 1 }, {}, { a: 1 }],
  [undefined, { a: 'x' }, { a: 'x' }],
  [{ a: { x: 1 } }, { b: [1] }, { a: { x: 1 }, b: [1] }],
]
describe('§4.1 PATCH merges metadata', () => {
  it.each(merges)('%j with %j is %j', async (had, sent, wanted) => {
    const made = await fresh({ metadata: had })
    expect(at(expectOk(await patch(made, { metadata: sent })), 'metadata')).toEqual(wanted)
    expect((await again(made))['metadata']).toEqual(wanted)
  })
  it('removing every key leaves {} or null', async () => {
    const made = await fresh({ metadata: { a: 1 } })
    const left = at(expectOk(await patch(made, { metadata: { a: null } })), 'metadata')
    expect(left === null || JSON.stringify(left) === '{}').toBe(true)
  })
})

describe('§4.1 PATCH rejects with INVALID_PAYLOAD, entries as <message> [field: <name>]', () => {
  it('a valid field next to an invalid one is not applied', async () => {
    expectError(await patch(one, { firstName: 'Zoe', phone: '1' }), 400, 'INVALID_PAYLOAD')
    expect(at(await again(one), 'person', 'firstName')).toBe(patient.firstName)
  })
})

const steps: readonly (readonly [string, readonly string[]])[] = [
  ['PARTIAL_RESULTS', ['partial-results']],
  ['COMPLETE', ['complete']],
  ['INSUFFICIENT_DATA', ['insufficient-data']],
  ['REFUNDED', ['refund']],
  ['FAILED_TEST', ['fail-test']],
  ['TRANSFERRED', ['transfer']],
]
const brought = async (moves: readonly string[]): Promise<JsonObject> => {
  const made = await fresh()
  for (const move of moves) await service.control('POST', `${pathOf(made).slice(3)}/${move}`, {})
  return again(made)
}
describe('§3.1 PATCH outside CREATED and ISSUED is 400 INVALID_STATUS', () => {
  it.each(steps)('%s', async (status, moves) => {
    const made = await brought(moves)
    expect(made['status']).toBe(status)
    expectError(await patch(made, { firstName: 'Ann' }), 400, 'INVALID_STATUS')
    expect(await again(made)).toMatchObject({ status, person: made['person'], updatedAt: made['updatedAt'] })
  })
  it.each([
    ['pending-verification', 'PENDING_VERIFICATION'],
    ['billing-failed', 'BILLING_FAILED'],
  ])('%s', async (outcome, status) => {
    await service.control('POST', '/referrals/next-orders', { outcome })
    const made = await placed(service, { tests: [testA] })
    expectError(await patch(made, { firstName: 'Ann' }), 400, 'INVALID_STATUS')
    expect((await again(made))['status']).toBe(status)
  })
  it.each([...steps, ['ISSUED', []] as const])(
    'a referral in %s can be deleted and keeps its status',
    async (status, moves) => {
      const made = await brought(moves)
      const gone = expectOk(await service.call('DELETE', pathOf(made)))
      expect(at(gone, 'status')).toBe(status)
      expect(at(gone, 'referralAttachment')).toBeNull()
      expect(Date.parse(str(at(gone, 'deletedAt')))).toBeGreaterThanOrEqual(
        Date.parse(str(made['createdAt'])),
      )
      expect(faults(gone, referral)).toEqual([])
    },
  )
  it('a deleted referral is returned as deleted, or not found', async () => {
    const made = await fresh()
    await service.call('DELETE', pathOf(made))
    const answer = await service.call('GET', pathOf(made))
    if (answer.status === 404) return
    expect(at(expectOk(answer), 'deletedAt')).not.toBeNull()
    expect(at(answer.body, 'referralAttachment')).toBeNull()
  })
  it('a second DELETE is accepted or rejected with an error envelope', async () => {
    const made = await fresh()
    await service.call('DELETE', pathOf(made))
    const answer = await service.call('DELETE', pathOf(made))
    expect([200, 400, 404]).toContain(answer.status)
  })
})

describe('§4.1 PUT generates dummy results', () => {
  const flags: readonly (readonly [string, string])[] = [
    ['', 'COMPLETE'],
    ['?partial', 'PARTIAL_RESULTS'],
    ['?partial=', 'PARTIAL_RESULTS'],
    ['?partial=true', 'PARTIAL_RESULTS'],
    ['?partial=1', 'PARTIAL_RESULTS'],
  ]
  it.each(flags)("PUT '%s' gives %s", async (flag, status) => {
    const made = await fresh()
    const body = expectOk(await service.call('PUT', `${pathOf(made)}${flag}`))
    expect(at(body, 'status')).toBe(status)
    expect(uuid(at(body, 'resultsUuid'))).toBe(true)
    expect(faults(body, referral)).toEqual([])
    const found = expectOk(await service.call('GET', `/v1/results/${str(at(body, 'resultsUuid'))}`))
    expect(at(found, 'status')).toBe(status)
    expect(at(found, 'referralUuid')).toBe(made['uuid'])
    expect((await again(made))['resultsUuid']).toBe(at(body, 'resultsUuid'))
  })
  it('partial, then the rest, in the same result', async () => {
    const made = await fresh()
    const partial = expectOk(await service.call('PUT', `${pathOf(made)}?partial`))
    const whole = expectOk(await service.call('PUT', pathOf(made)))
    expect(at(whole, 'status')).toBe('COMPLETE')
    expect(at(whole, 'resultsUuid')).toBe(at(partial, 'resultsUuid'))
  })
  it('an unknown flag is INVALID_PARAMETER', async () => {
    expectError(
      await service.call('PUT', `${pathOf(await fresh())}?whole`),
      400,
      'INVALID_PARAMETER',
      /whole/,
    )
  })
  it('a JSON body has no effect', async () => {
    expectOk(await service.call('PUT', pathOf(await fresh()), { body: {} }))
  })
  it('an order on v1.0.0 gets results too', async () => {
    const made = first([(await place(service, { tests: [testA] }, '1.0.0')).body])
    const now = await until(
      () => referralOf(service, str(at(made, 'uuid'))),
      (found) => found['status'] === 'ISSUED',
    )
    expect(at(expectOk(await service.call('PUT', pathOf(now))), 'status')).toBe('COMPLETE')
  })
})
