import type { PathologyClient } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { expectNoCanary } from '../../support/canaries.js'
import { clientOf, rejection } from '../../support/clients.js'
import { PROVIDER_NUMBER, referral, UUID, WEBHOOK_ID } from '../../support/samples.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { limited, PROVIDER, REFERRAL, refusal, reset, server, WEBHOOK } from './reconciler-world.js'

describe('PATCH referrals: a lost response is reconciled by a read (§3.1, §4.1)', () => {
  const patch = { phone: '0362001234', metadata: { clinic: 'south', old: null } }
  const before = referral({ uuid: UUID, metadata: { clinic: 'north', old: 1, other: 2 } })
  const after = referral({
    uuid: UUID,
    status: 'SCHEDULED_REISSUE',
    updatedAt: new Date().toISOString(),
    person: { ...before.person, phone: patch.phone },
    metadata: { clinic: 'south', other: 2 },
  })

  it('the referral shows the change: it is returned, and nothing is sent again', async () => {
    const service = await server()
    service.on(`PATCH ${REFERRAL}`, reset).on(`GET ${REFERRAL}`, { json: after })
    await expect(clientOf(service.origin).referrals.update(UUID, patch)).resolves.toEqual(after)
    expect(service.count(`PATCH ${REFERRAL}`)).toBe(1)
  })

  it('the referral does not show the change: it is sent again', async () => {
    const service = await server()
    service.on(`PATCH ${REFERRAL}`, reset, { json: after }).on(`GET ${REFERRAL}`, { json: before })
    await expect(clientOf(service.origin).referrals.update(UUID, patch)).resolves.toEqual(after)
    expect(service.count(`PATCH ${REFERRAL}`)).toBe(2)
  })

  it('pauses before it is sent again', async () => {
    const service = await server()
    const clock = new SkippingClock()
    service.on(`PATCH ${REFERRAL}`, reset, { json: after }).on(`GET ${REFERRAL}`, { json: before })
    await clientOf(service.origin, { clock }).referrals.update(UUID, patch)
    expect(clock.slept).toEqual([125])
  })

  it('maxRetries limits the repeats of the PATCH only, not those of the read', async () => {
    const service = await server()
    service.on(`PATCH ${REFERRAL}`, reset).on(`GET ${REFERRAL}`, refusal(503, 'X'), { json: after })
    const updated = clientOf(service.origin).referrals.update(UUID, patch, { maxRetries: 0 })
    await expect(updated).resolves.toEqual(after)
  })

  it('maxRetries limits the repeats, whatever else failed', async () => {
    const service = await server()
    service.on(`PATCH ${REFERRAL}`, limited, reset, limited, reset).on(`GET ${REFERRAL}`, { json: before })
    const error = await rejection(clientOf(service.origin).referrals.update(UUID, patch, { maxRetries: 2 }))
    expect(service.count(`PATCH ${REFERRAL}`)).toBe(3)
    expect(error).toMatchObject({ outcome: 'unknown', attempts: 3 })
  })

  it('INVALID_STATUS on a repeat: a read shows that an earlier attempt succeeded', async () => {
    const service = await server()
    service
      .on(`PATCH ${REFERRAL}`, reset, refusal(400, 'INVALID_STATUS'))
      .on(`GET ${REFERRAL}`, { json: before }, { json: after })
    await expect(clientOf(service.origin).referrals.update(UUID, patch)).resolves.toEqual(after)
    expect(service.count(`PATCH ${REFERRAL}`)).toBe(2)
  })

  it('INVALID_STATUS on a repeat, and the change does not appear: thrown, and not retried', async () => {
    const service = await server()
    service
      .on(`PATCH ${REFERRAL}`, reset, refusal(400, 'INVALID_STATUS'))
      .on(`GET ${REFERRAL}`, { json: before })
    const error = await rejection(clientOf(service.origin).referrals.update(UUID, patch, { maxRetries: 9 }))
    expect(error).toMatchObject({ name: 'BadRequestError', code: 'INVALID_STATUS', outcome: 'unknown' })
    expect(service.count(`PATCH ${REFERRAL}`)).toBe(2)
  })

  it('INVALID_STATUS at once: thrown without a lookup', async () => {
    const service = await server()
    service.on(`PATCH ${REFERRAL}`, refusal(400, 'INVALID_STATUS'))
    const error = await rejection(clientOf(service.origin).referrals.update(UUID, patch))
    expect(error).toMatchObject({ code: 'INVALID_STATUS', outcome: 'failed' })
    expect(service.count(`GET ${REFERRAL}`)).toBe(0)
  })

  it('INVALID_PAYLOAD on a repeat is a plain error', async () => {
    const service = await server()
    service
      .on(`PATCH ${REFERRAL}`, reset, refusal(400, 'INVALID_PAYLOAD'))
      .on(`GET ${REFERRAL}`, { json: before })
    const error = await rejection(clientOf(service.origin).referrals.update(UUID, patch))
    expect(error).toMatchObject({ code: 'INVALID_PAYLOAD' })
    expect(service.count(`GET ${REFERRAL}`)).toBe(1)
  })

  it('the read fails too: its error is thrown, and the patch is not sent again', async () => {
    const service = await server()
    service.on(`PATCH ${REFERRAL}`, reset).on(`GET ${REFERRAL}`, refusal(500, 'X'))
    const error = await rejection(clientOf(service.origin).referrals.update(UUID, patch))
    expect(error).toMatchObject({ outcome: 'unknown' })
    expect(service.count(`PATCH ${REFERRAL}`)).toBe(1)
    expectNoCanary(error)
  })

  it("the caller aborts during the read: the signal's reason, and nothing is sent again", async () => {
    const service = await server()
    service.on(`PATCH ${REFERRAL}`, reset).on(`GET ${REFERRAL}`, { hang: 'before' })
    const abort = new AbortController()
    const reason = new Error('the user went away')
    const pending = rejection(
      clientOf(service.origin).referrals.update(UUID, patch, { signal: abort.signal }),
    )
    await expect.poll(() => service.count(`GET ${REFERRAL}`)).toBe(1)
    abort.abort(reason)
    expect(await pending).toBe(reason)
    expect(service.count(`PATCH ${REFERRAL}`)).toBe(1)
  })
})

describe('DELETE: "not found" on a repeat means that an earlier attempt succeeded', () => {
  const gone = { object: 'webhook', id: WEBHOOK_ID, deleted: true }

  it.each([
    ['reset', reset],
    ['500', refusal(500, 'X')],
    ['502', refusal(502, 'X')],
    ['408', refusal(408, 'X')],
  ] as const)('webhook, %s and then WEBHOOK_NOT_FOUND: done', async (_, first) => {
    const service = await server()
    service.on(`DELETE ${WEBHOOK}`, first, refusal(404, 'WEBHOOK_NOT_FOUND'))
    await expect(clientOf(service.origin).webhooks.delete(WEBHOOK_ID)).resolves.toEqual(gone)
  })

  it.each([400, 404])(
    'provider, reset and then PROVIDER_NOT_FOUND with status %i: done (§7)',
    async (status) => {
      const service = await server()
      service.on(`DELETE ${PROVIDER}`, reset, refusal(status, 'PROVIDER_NOT_FOUND'))
      await expect(clientOf(service.origin).providers.retire(PROVIDER_NUMBER)).resolves.toEqual({
        object: 'provider',
        providerNumber: PROVIDER_NUMBER,
        deleted: true,
      })
    },
  )

  it('provider, reset and then PROVIDER_NOT_FOUND: the number is returned as it was sent', async () => {
    const service = await server()
    service.on(`DELETE ${PROVIDER}`, reset, refusal(404, 'PROVIDER_NOT_FOUND'))
    const retired = clientOf(service.origin).providers.retire(` ${PROVIDER_NUMBER.toLowerCase()} `)
    await expect(retired).resolves.toMatchObject({ providerNumber: PROVIDER_NUMBER })
  })

  it('provider, reset and then PROVIDER_HAS_ACTIVE_ROUTING: a 409 is never retried', async () => {
    const service = await server()
    service.on(`DELETE ${PROVIDER}`, reset, refusal(409, 'PROVIDER_HAS_ACTIVE_ROUTING'))
    const error = await rejection(clientOf(service.origin).providers.retire(PROVIDER_NUMBER))
    expect(error).toMatchObject({ name: 'ConflictError', code: 'PROVIDER_HAS_ACTIVE_ROUTING' })
    expect(service.count(`DELETE ${PROVIDER}`)).toBe(2)
  })

  it('referral, reset and then 404: read, and returned with its deletedAt', async () => {
    const service = await server()
    const deleted = referral({ uuid: UUID, deletedAt: '2026-03-02T01:02:03.000Z' })
    service
      .on(`DELETE ${REFERRAL}`, reset, refusal(404, 'REFERRAL_NOT_FOUND'))
      .on(`GET ${REFERRAL}`, { json: deleted })
    await expect(clientOf(service.origin).referrals.delete(UUID)).resolves.toEqual(deleted)
  })

  it('referral, reset, then 404, and the read returns it undeleted: NotFoundError, outcome unknown', async () => {
    const service = await server()
    service
      .on(`DELETE ${REFERRAL}`, reset, refusal(404, 'REFERRAL_NOT_FOUND'))
      .on(`GET ${REFERRAL}`, { json: referral({ uuid: UUID, deletedAt: null }) })
    const error = await rejection(clientOf(service.origin).referrals.delete(UUID))
    expect(error).toMatchObject({ name: 'NotFoundError', outcome: 'unknown', attempts: 2 })
  })

  it('referral, reset, then 404 to both: NotFoundError, outcome unknown', async () => {
    const service = await server()
    service
      .on(`DELETE ${REFERRAL}`, reset, refusal(404, 'REFERRAL_NOT_FOUND'))
      .on(`GET ${REFERRAL}`, refusal(404, 'REFERRAL_NOT_FOUND'))
    const error = await rejection(clientOf(service.origin).referrals.delete(UUID))
    expect(error).toMatchObject({ name: 'NotFoundError', outcome: 'unknown', attempts: 2 })
  })

  it('webhook: a 429 and then WEBHOOK_NOT_FOUND: it did not exist', async () => {
    const service = await server()
    service.on(`DELETE ${WEBHOOK}`, limited, refusal(404, 'WEBHOOK_NOT_FOUND'))
    const error = await rejection(clientOf(service.origin).webhooks.delete(WEBHOOK_ID))
    expect(error).toMatchObject({ name: 'NotFoundError', outcome: 'failed', attempts: 2 })
  })

  it('webhook, 401 with an old token and then WEBHOOK_NOT_FOUND: it never existed', async () => {
    const service = await server()
    service.on(`DELETE ${WEBHOOK}`, refusal(401, 'INVALID_JWT'), refusal(404, 'WEBHOOK_NOT_FOUND'))
    const error = await rejection(clientOf(service.origin).webhooks.delete(WEBHOOK_ID))
    expect(error).toMatchObject({ name: 'NotFoundError', outcome: 'failed' })
  })

  it.each<[string, string, (client: PathologyClient) => PromiseLike<unknown>]>([
    ['webhook', WEBHOOK, ({ webhooks }) => webhooks.delete(WEBHOOK_ID)],
    ['provider', PROVIDER, ({ providers }) => providers.retire(PROVIDER_NUMBER)],
  ])("%s, 502 and then a proxy's own 404: NotFoundError, outcome unknown", async (_, path, call) => {
    const service = await server()
    service.on(`DELETE ${path}`, refusal(502, 'X'), { status: 404, text: 'default backend - 404' })
    const error = await rejection(call(clientOf(service.origin)))
    expect(error).toMatchObject({ name: 'NotFoundError', outcome: 'unknown', attempts: 2 })
    expect(error).toMatchObject({ message: expect.stringContaining('check that baseUrl is the address') })
  })

  it('"not found" at the first attempt is an error', async () => {
    const service = await server()
    service.on(`DELETE ${WEBHOOK}`, refusal(404, 'WEBHOOK_NOT_FOUND'))
    const error = await rejection(clientOf(service.origin).webhooks.delete(WEBHOOK_ID))
    expect(error).toMatchObject({ name: 'NotFoundError', code: 'WEBHOOK_NOT_FOUND', outcome: 'failed' })
  })
})
