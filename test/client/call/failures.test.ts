import { describe, expect, it } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { order, PROVIDER_NUMBER, UUID } from '../../support/samples.js'
import { type Reply, type Script, token } from '../../support/scripted-server.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { limited, REFERRAL, refusal, reset, server } from '../resources/reconciler-world.js'

describe('outcome: the possible effect of all attempts together', () => {
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
  ] as const)('the outcome of a write: %s', async (_, replies, outcome) => {
    const service = await server()
    service.on('POST /v1/providers', ...replies)
    const error = await rejection(clientOf(service.origin).providers.save(save))
    expect(error).toMatchObject({ outcome })
    expect(String(error).includes('it is unknown')).toBe(outcome === 'unknown')
  })

  it.each([
    ['reset, then 404', [reset, refusal(404, 'REFERRAL_NOT_FOUND')], 'failed'],
    ['resets', [reset], 'failed'],
    ['500s', [refusal(500, 'X')], 'failed'],
    ['429s', [limited], 'refused'],
    ['not JSON', [{ text: '<html>' }], 'failed'],
  ] as const)('the outcome of a read, which changes nothing: %s', async (_, replies, outcome) => {
    const service = await server()
    service.on(`GET ${REFERRAL}`, ...replies)
    const error = await rejection(clientOf(service.origin).referrals.retrieve(UUID))
    expect(error).toMatchObject({ outcome })
  })

  it('a write whose response was lost, then no connection: unknown, and not "not-sent"', async () => {
    const service = await server()
    service.on('POST /v1/providers', ({ method }) => {
      setImmediate(() => void service.close())
      return { status: 503, text: method }
    })
    const error = await rejection(clientOf(service.origin).providers.save(save))
    expect(error).toMatchObject({ name: 'ConnectionError', reason: 'refused', outcome: 'unknown' })
  })
})

describe('outcome: the time limit ends while no request is in flight (§5)', () => {
  const POST = 'POST /v1/referrals'
  const TOKEN = 'POST /oauth/token'
  const hang: Reply = { hang: 'before' }

  /** An order whose time limit expires while it waits for a token. */
  async function timedOut(orders: readonly Script[], tokens: readonly Script[]) {
    const service = await server()
    service.on(POST, ...orders).on(TOKEN, ...tokens)
    const clock = new SkippingClock()
    const pending = rejection(
      clientOf(service.origin, { clock }).referrals.create(order(), { timeout: 15_000 }),
    )
    await expect.poll(() => service.count(TOKEN)).toBe(tokens.length)
    clock.advance(15_000)
    return { error: await pending, service }
  }

  it('an order got a 401, and no new token arrives: refused', async () => {
    const { error, service } = await timedOut([refusal(401, 'INVALID_JWT')], [token, hang])
    expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'refused', attempts: 1 })
    expect(String(error)).toContain('the request was not carried out')
    expect(service.count(POST)).toBe(1)
  })

  it('an order got a 429 and then a 401, and no new token arrives: refused', async () => {
    const { error } = await timedOut([limited, refusal(401, 'INVALID_JWT')], [token, hang])
    expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'refused', attempts: 2 })
  })

  it('no token arrives: not sent', async () => {
    const { error } = await timedOut([refusal(500, 'X')], [hang])
    expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'not-sent', attempts: 0 })
  })

  it('the token service rejects the credentials after a 401: refused', async () => {
    const service = await server()
    service.on(POST, refusal(401, 'INVALID_JWT')).on(TOKEN, token, { status: 400, json: { code: '110' } })
    const error = await rejection(clientOf(service.origin).referrals.create(order()))
    expect(error).toMatchObject({ name: 'TokenError', outcome: 'refused' })
  })

  it('sent again with a new token, and this response is lost: the order is looked up, and its outcome is unknown', async () => {
    const service = await server()
    service.on(POST, refusal(401, 'INVALID_JWT'), reset)
    service.on('GET /v1/referrals', { json: { referrals: [] } })
    const error = await rejection(clientOf(service.origin).referrals.create(order()))
    expect(error).toMatchObject({ name: 'OrderOutcomeUnknownError', outcome: 'unknown', attempts: 2 })
  })

  it('a write that may have been carried out, then 401 and no token: unknown', async () => {
    const service = await server()
    const clock = new SkippingClock()
    service.on('POST /v1/providers', reset, refusal(401, 'INVALID_JWT')).on(TOKEN, token, hang)
    const save = { providerNumber: PROVIDER_NUMBER, name: 'Dr Ada Roe', address: '1 Clinic Road' }
    const pending = rejection(clientOf(service.origin, { clock }).providers.save(save, { timeout: 15_000 }))
    await expect.poll(() => service.count(TOKEN)).toBe(2)
    clock.advance(15_000)
    expect(await pending).toMatchObject({ name: 'TimeoutError', outcome: 'unknown', attempts: 2 })
  })
})
