import { describe, expect, it } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { order, referral, UUID } from '../../support/samples.js'
import { ScriptedServer } from '../../support/scripted-server.js'

describe('a value in metadata that JSON would omit or replace by null, which removes the stored key (§4.1)', () => {
  it.each([
    ['NaN', Number.NaN],
    ['an infinite number', Number.POSITIVE_INFINITY],
    ['a boxed NaN', Object(Number.NaN)],
    ['a toJSON that returns NaN', { toJSON: () => Number.NaN }],
    ['an invalid date', new Date('x')],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a big integer', 1n],
  ])('%s: rejected, and nothing is sent', async (_, value) => {
    const server = await ScriptedServer.start()
    const { referrals } = clientOf(server.origin)
    for (const metadata of [{ weight: value }, { visits: [{ weight: value }] }]) {
      for (const call of [
        referrals.update(UUID, { metadata }),
        referrals.create(order({ metadata })),
        referrals.validate(order({ metadata })),
      ]) {
        expect(await rejection(call)).toMatchObject({
          name: 'InvalidRequestError',
          issues: [{ field: 'metadata', message: 'metadata must be plain JSON data' }],
        })
      }
    }
    expect(server.requests).toHaveLength(0)
  })

  it('null, undefined and dates are sent as JSON writes them', async () => {
    const server = await ScriptedServer.start()
    server.on('PATCH /v1/referrals/*', { json: referral() })
    const metadata = { old: null, same: undefined, visit: new Date(0), weight: -1.5, isNew: false }
    await clientOf(server.origin).referrals.update(UUID, { metadata })
    expect(server.calls[0]?.body).toBe(JSON.stringify({ metadata }))
  })

  it.each([
    ['a Uint8Array', () => new Uint8Array([1, 2])],
    ['a part of a Uint8Array', () => new Uint8Array([0, 1, 2, 3]).subarray(1, 3)],
    ['a Buffer', () => Buffer.from([1, 2])],
  ])('%s is sent as it was when the method was called', async (_, create) => {
    const server = await ScriptedServer.start()
    server.on('PATCH /v1/referrals/*', { json: referral() })
    const bytes = create()
    const expected = JSON.parse(JSON.stringify(bytes))
    const sent = clientOf(server.origin).referrals.update(UUID, { metadata: { bytes } })
    bytes.fill(9)
    await sent
    expect(JSON.parse(server.calls[0]?.body ?? '')).toEqual({ metadata: { bytes: expected } })
  })

  it('an ArrayBuffer is copied when the method is called', async () => {
    const server = await ScriptedServer.start()
    server.on('PATCH /v1/referrals/*', { json: referral() })
    const bytes = new Uint8Array([1, 2])
    const sent = clientOf(server.origin).referrals.update(UUID, { metadata: { bytes: bytes.buffer } })
    bytes.fill(9)
    await sent
    expect(JSON.parse(server.calls[0]?.body ?? '')).toEqual({ metadata: { bytes: { 0: 1, 1: 2 } } })
  })
})
