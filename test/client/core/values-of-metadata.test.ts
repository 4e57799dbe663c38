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
})
