import { describe, expect, it } from 'vitest'
import { clientOf, rejection } from '../support/clients.js'
import { PROVIDER_NUMBER, UUID } from '../support/samples.js'
import { limited, REFERRAL, refusal, reset, server } from './settlement-world.js'

describe('outcome: what all attempts together may have done', () => {
  const save = { providerNumber: PROVIDER_NUMBER, name: 'Dr Ada Roe', address: '1 Clinic Road' }

  it.each([
    ['reset, then 400', [reset, refusal(400, 'INVALID_PAYLOAD')], 'unknown'],
    ['503, then 429s', [refusal(503, 'X'), limited], 'unknown'],
    ['429, then 400', [limited, refusal(400, 'INVALID_PAYLOAD')], 'failed'],
    ['429s', [limited], 'refused'],
    ['400', [refusal(400, 'INVALID_PAYLOAD')], 'failed'],
    ['500s', [refusal(500, 'X')], 'unknown'],
    ['redirect', [{ status: 307, headers: { location: 'https://elsewhere.example' } }], 'unknown'],
    ['reset, then redirect', [reset, { status: 307, headers: { location: '/' } }], 'unknown'],
  ] as const)('a write, %s: %s', async (_, replies, outcome) => {
    const service = await server()
    service.on('POST /v1/providers', ...replies)
    const error = await rejection(clientOf(service.origin).providers.save(save))
    expect(error).toMatchObject({ outcome })
    expect(String(error).includes('not known')).toBe(outcome === 'unknown')
  })

  it.each([
    ['reset, then 404', [reset, refusal(404, 'REFERRAL_NOT_FOUND')], 'failed'],
    ['resets', [reset], 'failed'],
    ['500s', [refusal(500, 'X')], 'failed'],
    ['429s', [limited], 'refused'],
    ['not JSON', [{ text: '<html>' }], 'failed'],
  ] as const)('a read, %s: %s, because a read does nothing', async (_, replies, outcome) => {
    const service = await server()
    service.on(`GET ${REFERRAL}`, ...replies)
    const error = await rejection(clientOf(service.origin).referrals.retrieve(UUID))
    expect(error).toMatchObject({ outcome })
  })

  it('a write, sent and lost, and then no connection: unknown, not not-sent', async () => {
    const service = await server()
    service.on('POST /v1/providers', ({ method }) => {
      setImmediate(() => void service.close())
      return { status: 503, text: method }
    })
    const error = await rejection(clientOf(service.origin).providers.save(save))
    expect(error).toMatchObject({ name: 'ConnectionError', reason: 'refused', outcome: 'unknown' })
  })
})
