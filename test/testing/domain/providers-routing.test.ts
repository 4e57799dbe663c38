import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'

import { Directory } from './directory-support.js'
import { connection, provider, vendor } from './shapes.js'

const routing = z.strictObject({ connections: z.array(connection) })
const vendors = z.strictObject({ vendors: z.array(vendor) })

const SIGNED = '6183272X'
const ATTESTATION = { attestedBy: 'Practice manager', doctorSignedAt: '2025-03-01T09:30:00Z' }

let api: Directory
let ids: string[]
beforeEach(async () => {
  api = await Directory.start()
  ids = (await api.ask('/v1/vendors', vendors)).vendors.map(({ id }) => id)
  return () => api.stop()
})

const path = (number: string) => `/v1/providers/${number}/routing`
const request = (body: unknown, number = SIGNED) => api.ask(path(number), routing, { method: 'POST', body })
const rejection = (body: unknown, number = SIGNED) => api.rejection(path(number), { method: 'POST', body })
const connectionsOf = async (number = SIGNED) =>
  (await api.ask(`/v1/providers/${number}`, provider)).connections
const statuses = async (number = SIGNED) =>
  Object.fromEntries((await connectionsOf(number)).map(({ vendorId, status }) => [vendorId, status]))

describe('GET /v1/vendors', () => {
  it('the vendor list has four vendors with names and routes (§4.5)', async () => {
    const list = (await api.ask('/v1/vendors', vendors)).vendors
    expect(list).toHaveLength(4)
    expect(new Set(list.map(({ id }) => id)).size).toBe(4)
    for (const { id } of list) expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/)
  })

  it('the vendor list has only laboratories that are reachable (§4.4)', async () => {
    const [gone = '', ...left] = ids
    api.fake.vendors.setEnabled(gone, false)
    expect((await api.ask('/v1/vendors', vendors)).vendors.map(({ id }) => id)).toEqual(left)
    api.fake.vendors.setEnabled(gone, true)
    expect((await api.ask('/v1/vendors', vendors)).vendors).toHaveLength(4)
    expect(() => api.fake.vendors.setEnabled('nobody', false)).toThrow("no vendor 'nobody'")
    const { setEnabled }: { setEnabled: (...values: never[]) => void } = api.fake.vendors
    expect(() => Reflect.apply(setEnabled, undefined, [gone, 'yes'])).toThrow('true or false')
  })
})

describe('POST /v1/providers/{providerNumber}/routing', () => {
  it('a routing request creates one NOT_SUBMITTED connection for each named vendor (§3.3)', async () => {
    const { connections } = await request({ vendorIds: ids.slice(0, 2), attestation: ATTESTATION })
    expect(connections).toEqual(
      ids.slice(0, 2).map((vendorId) => ({
        object: 'providerConnection',
        vendorId,
        vendorName: expect.any(String),
        status: 'NOT_SUBMITTED',
        consentedAt: '2025-03-10T02:00:00.000Z',
        confirmedAt: null,
        actionNeededReason: null,
      })),
    )
    expect(await connectionsOf()).toEqual(connections)
  })

  it('consentedAt is the time of the request, not of the doctor’s signature (§2.10)', async () => {
    await api.fake.clock.advance({ days: 2 })
    const { connections } = await request({ vendorIds: [ids[0]], attestation: ATTESTATION })
    expect(connections[0]?.consentedAt).toBe('2025-03-12T02:00:00.000Z')
  })

  it('vendorName of a connection is that of the vendor list (§2.10)', async () => {
    const list = (await api.ask('/v1/vendors', vendors)).vendors
    const { connections } = await request({ vendorIds: ids, attestation: ATTESTATION })
    expect(connections.map(({ vendorName }) => vendorName)).toEqual(list.map(({ name }) => name))
  })

  it('a vendor named twice gets one connection (§4.4)', async () => {
    const { connections } = await request({ vendorIds: [ids[0], ids[0]], attestation: ATTESTATION })
    expect(connections).toHaveLength(1)
  })

  it('a routing request accepts a reference (§4.4)', async () => {
    const attestation = { ...ATTESTATION, reference: 'form 12' }
    expect((await request({ vendorIds: [ids[0]], attestation })).connections).toHaveLength(1)
    expect(api.fake.routing.attestation(SIGNED, ids[0] ?? '')).toEqual(attestation)
  })

  it('a second routing request adds to the first, and the response has both (§4.4)', async () => {
    await request({ vendorIds: [ids[0]], attestation: ATTESTATION })
    const { connections } = await request({ vendorIds: [ids[1]], attestation: ATTESTATION })
    expect(connections.map(({ vendorId }) => vendorId)).toEqual(ids.slice(0, 2))
  })

  it('routingResponse: named returns only the connections of the request', async () => {
    const other = await Directory.start({ routingResponse: 'named' })
    const ask = (vendorIds: unknown) =>
      other.ask(path(SIGNED), routing, { method: 'POST', body: { vendorIds, attestation: ATTESTATION } })
    await ask([ids[0]])
    expect((await ask([ids[1]])).connections.map(({ vendorId }) => vendorId)).toEqual([ids[1]])
    await other.stop()
  })

  it('UNKNOWN_VENDOR names the vendor, and no connection is created (§7)', async () => {
    const vendorIds = [ids[0], 'acme', ids[1], 'ACME']
    const { status, code, errorList } = await rejection({ vendorIds, attestation: ATTESTATION })
    expect({ status, code }).toEqual({ status: 400, code: 'UNKNOWN_VENDOR' })
    expect(errorList.map((entry) => /\[field: (.*)\]$/.exec(entry)?.[1])).toEqual([
      'vendorIds[1]',
      'vendorIds[3]',
    ])
    expect(await connectionsOf()).toEqual([])
  })

  it('a laboratory that is not enabled gives UNKNOWN_VENDOR (§7)', async () => {
    api.fake.vendors.setEnabled(ids[2] ?? '', false)
    expect(await rejection({ vendorIds: [ids[2]], attestation: ATTESTATION })).toMatchObject({
      code: 'UNKNOWN_VENDOR',
    })
  })

  it('a routing request with several problems names each (§7)', async () => {
    const { code, errorList } = await rejection({ vendorIds: [], attestation: { attestedBy: '' } })
    expect(code).toBe('NO_VENDORS_SELECTED')
    expect(errorList).toHaveLength(3)
  })
})

describe('routing connection statuses', () => {
  const [first, second] = ['lowanna-pathology', 'meridian-south'] as const
  beforeEach(async () => {
    await request({ vendorIds: [first, second], attestation: ATTESTATION })
  })

  it('a batch moves NOT_SUBMITTED to PENDING_CONFIRMATION, a confirmation to CONNECTED (§3.3)', async () => {
    expect(api.fake.routing.submit({ providerNumber: SIGNED })).toHaveLength(2)
    expect(await statuses()).toEqual({ [first]: 'PENDING_CONFIRMATION', [second]: 'PENDING_CONFIRMATION' })
    await api.fake.clock.advance({ days: 9 })
    api.fake.routing.confirm(SIGNED, first)
    expect(await statuses()).toEqual({ [first]: 'CONNECTED', [second]: 'PENDING_CONFIRMATION' })
    expect((await connectionsOf())[0]?.confirmedAt).toBe('2025-03-19T02:00:00.000Z')
  })

  it('a batch takes connections that are NOT_SUBMITTED and no others (§3.3)', async () => {
    const moved = api.fake.routing.submit()
    expect(moved).toContainEqual({ providerNumber: SIGNED, vendorId: first })
    expect(moved).toContainEqual({ providerNumber: '3187452A', vendorId: 'meridian-south' })
    expect(moved).toHaveLength(3)
    expect(api.fake.routing.submit()).toEqual([])
  })

  it('a batch for one laboratory does not change the others (§3.3)', async () => {
    api.fake.routing.submit({ vendorId: second })
    expect(await statuses()).toEqual({ [first]: 'NOT_SUBMITTED', [second]: 'PENDING_CONFIRMATION' })
  })

  it('ACTION_NEEDED has a reason, STOP_REQUESTED has none (§3.3)', async () => {
    api.fake.routing.needAction(SIGNED, first, 'Provider number unknown to us')
    api.fake.routing.stop(SIGNED, second)
    const [one, two] = await connectionsOf()
    expect(one).toMatchObject({
      status: 'ACTION_NEEDED',
      actionNeededReason: 'Provider number unknown to us',
    })
    expect(two).toMatchObject({ status: 'STOP_REQUESTED', actionNeededReason: null })
  })

  it('a repeated request renews the attestation and never resets CONNECTED (§3.3)', async () => {
    api.fake.routing.confirm(SIGNED, first)
    const confirmed = (await connectionsOf())[0]
    await api.fake.clock.advance({ days: 30 })
    const attestation = { ...ATTESTATION, attestedBy: 'Somebody else' }
    const { connections } = await request({ vendorIds: [first], attestation })
    expect(api.fake.routing.attestation(SIGNED, first)).toEqual({ ...attestation, reference: null })
    expect(connections[0]).toEqual({
      ...confirmed,
      consentedAt: expect.stringMatching(/^2025-04-09T02:00:00\.0/),
    })
    expect(connections[0]?.status).toBe('CONNECTED')
  })

  it('a repeated request does not change submitted connections (§3.3)', async () => {
    api.fake.routing.submit({ providerNumber: SIGNED })
    await request({ vendorIds: [first], attestation: ATTESTATION })
    expect((await statuses())[first]).toBe('PENDING_CONFIRMATION')
  })

  it('a repeated request restarts a connection that needs an action or was to stop (§3.3)', async () => {
    api.fake.routing.needAction(SIGNED, first)
    api.fake.routing.stop(SIGNED, second)
    const { connections } = await request({ vendorIds: [first, second], attestation: ATTESTATION })
    for (const entry of connections) {
      expect(entry).toMatchObject({ status: 'NOT_SUBMITTED', confirmedAt: null, actionNeededReason: null })
    }
  })

  it('restartedRoutingStatuses: [] keeps every status of a connection', async () => {
    const other = await Directory.start({ restartedRoutingStatuses: [] })
    const body = { vendorIds: ['currawong-health'], attestation: ATTESTATION }
    const { connections } = await other.ask(path('5120986A'), routing, { method: 'POST', body })
    expect(connections[0]?.status).toBe('ACTION_NEEDED')
    await other.stop()
  })

  it('control methods of routing reject impossible changes', () => {
    const { submit, confirm, stop, needAction } = api.fake.routing
    expect(() => submit({ providerNumber: '1234567X' })).toThrow('no provider 1234567X')
    expect(() => submit({ vendorId: 'acme' })).toThrow("no vendor 'acme'")
    expect(() => confirm('1234567X', first)).toThrow('no provider 1234567X')
    expect(() => stop(SIGNED, 'currawong-health')).toThrow("no connection with 'currawong-health'")
    stop(SIGNED, first)
    expect(() => confirm(SIGNED, first)).toThrow('STOP_REQUESTED')
    needAction(SIGNED, first)
    expect(() => confirm(SIGNED, first)).not.toThrow()
  })
})
