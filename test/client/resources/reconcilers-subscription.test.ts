import type { Webhook } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { page, WEBHOOK_ID, webhook } from '../../support/samples.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { limited, refusal, reset, server } from './reconciler-world.js'

describe('a lost POST of a webhook: reconciled by the list (§4.6)', () => {
  const wanted = { url: 'https://HOOKS.example.com/in', events: ['referral.issued', 'result.created'] }
  const made = (change: Partial<Webhook> = {}) =>
    webhook({
      url: 'https://hooks.example.com/in',
      events: ['result.created', 'referral.issued'],
      createdAt: new Date().toISOString(),
      ...change,
    })

  it.each([
    ['reset', reset],
    ['500', refusal(500, 'X')],
    ['504', refusal(504, 'X')],
  ] as const)('%s, and the list contains it: found by normalised URL and events', async (_, lost) => {
    const service = await server()
    service.on('POST /v1/webhooks', lost).on('GET /v1/webhooks', { json: page('webhooks', [made()]) })
    await expect(clientOf(service.origin).webhooks.create(wanted)).resolves.toMatchObject({ id: WEBHOOK_ID })
    expect(service.count('POST /v1/webhooks')).toBe(1)
  })

  it.each([
    ['another URL', made({ url: 'https://hooks.example.com/other' })],
    ['other events', made({ events: ['referral.issued'] })],
    ['an earlier day', made({ createdAt: '2020-01-01T00:00:00Z' })],
    ['no URL at all', { ...made(), url: 'not a URL' }],
    ['no events at all', { ...made(), events: null }],
    ['no text as events', { ...made(), events: { 0: 'referral.issued', 1: 'result.created' } }],
  ] as const)('reset, and the list contains only one with %s: sent again', async (_, other) => {
    const service = await server()
    service
      .on('POST /v1/webhooks', reset, { json: made() })
      .on('GET /v1/webhooks', { json: page('webhooks', [other]) })
    await expect(clientOf(service.origin).webhooks.create(wanted)).resolves.toMatchObject({ id: WEBHOOK_ID })
    expect(service.count('POST /v1/webhooks')).toBe(2)
  })

  it('409 on a repeat: an earlier attempt created it, and the list contains it now', async () => {
    const service = await server()
    service
      .on('POST /v1/webhooks', reset, refusal(409, 'DUPLICATE_WEBHOOK_SUBSCRIPTION'))
      .on('GET /v1/webhooks', { json: page('webhooks', []) }, { json: page('webhooks', [made()]) })
    await expect(clientOf(service.origin).webhooks.create(wanted)).resolves.toMatchObject({ id: WEBHOOK_ID })
    expect(service.count('POST /v1/webhooks')).toBe(2)
  })

  it.each([
    [true, false],
    [undefined, false],
    [false, true],
  ])(
    '409 on a repeat, wanted with active %s, and the list has one with %s: ConflictError',
    async (wish, active) => {
      const service = await server()
      service
        .on('POST /v1/webhooks', refusal(502, 'X'), refusal(409, 'DUPLICATE_WEBHOOK_SUBSCRIPTION'))
        .on('GET /v1/webhooks', { json: page('webhooks', [made({ active })]) })
      const error = await rejection(clientOf(service.origin).webhooks.create({ ...wanted, active: wish }))
      expect(error).toMatchObject({ name: 'ConflictError', code: 'DUPLICATE_WEBHOOK_SUBSCRIPTION' })
    },
  )

  it('reset, wanted with active: false, and the list contains it: found', async () => {
    const service = await server()
    const json = page('webhooks', [made({ active: false })])
    service.on('POST /v1/webhooks', reset).on('GET /v1/webhooks', { json })
    const created = await clientOf(service.origin).webhooks.create({ ...wanted, active: false })
    expect(created).toMatchObject({ id: WEBHOOK_ID, active: false })
    expect(service.count('POST /v1/webhooks')).toBe(1)
  })

  it('reset, and the list does not show whether the webhook is active: found', async () => {
    const service = await server()
    const { active: _, ...shown } = made()
    service.on('POST /v1/webhooks', reset).on('GET /v1/webhooks', { json: page('webhooks', [shown]) })
    const created = clientOf(service.origin).webhooks.create({ ...wanted, active: false })
    await expect(created).resolves.toMatchObject({ id: WEBHOOK_ID })
    expect(service.count('POST /v1/webhooks')).toBe(1)
  })

  it('maxRetries limits the repeats of the POST only, not those of the lookup', async () => {
    const service = await server()
    service
      .on('POST /v1/webhooks', reset)
      .on('GET /v1/webhooks', refusal(503, 'X'), { json: page('webhooks', [made()]) })
    const created = clientOf(service.origin).webhooks.create(wanted, { maxRetries: 0 })
    await expect(created).resolves.toMatchObject({ id: WEBHOOK_ID })
  })

  const others = (count: number, createdAt: string) =>
    Array.from({ length: count }, (_, nth) =>
      made({ id: `other-${nth}`, url: `https://${nth}.example`, createdAt }),
    )

  it('reads further pages while a page may be newer than the POST', async () => {
    const service = await server()
    const first = page('webhooks', others(20, new Date().toISOString()), 'second')
    service
      .on('POST /v1/webhooks', reset)
      .on('GET /v1/webhooks', { json: first }, { json: page('webhooks', [made()]) })
    const created = clientOf(service.origin).webhooks.create(wanted)
    await expect(created).resolves.toMatchObject({ id: WEBHOOK_ID })
    expect(service.count('GET /v1/webhooks')).toBe(2)
  })

  it('reads no page beyond the time of the POST', async () => {
    const service = await server()
    const ages = Array.from({ length: 20 }, (_, nth) => `2020-01-01T00:${40 - nth}:00Z`)
    const old = page(
      'webhooks',
      ages.flatMap((createdAt) => others(1, createdAt)),
      'second',
    )
    service.on('POST /v1/webhooks', reset, { json: made() }).on('GET /v1/webhooks', { json: old })
    await clientOf(service.origin).webhooks.create(wanted)
    expect(service.count('GET /v1/webhooks')).toBe(1)
  })

  it('a list that may lack records proves nothing: the POST is not sent again', async () => {
    const service = await server()
    const endless = page('webhooks', others(20, new Date().toISOString()), 'again')
    service.on('POST /v1/webhooks', reset).on('GET /v1/webhooks', { json: endless })
    const error = await rejection(clientOf(service.origin).webhooks.create(wanted))
    expect(error).toMatchObject({ outcome: 'unknown' })
    expect(service.count('POST /v1/webhooks')).toBe(1)
  })

  it('waits for Retry-After before the POST is sent again', async () => {
    const service = await server()
    const failed = { ...refusal(503, 'X'), headers: { 'retry-after': '1' } }
    service
      .on('POST /v1/webhooks', failed, { json: made() })
      .on('GET /v1/webhooks', { json: page('webhooks', []) })
    const clock = new SkippingClock()
    await clientOf(service.origin, { clock }).webhooks.create(wanted)
    expect(clock.slept).toEqual([1_050])
  })

  it('a Retry-After above one minute: the error is thrown, and the POST is not sent again', async () => {
    const service = await server()
    const failed = { ...refusal(503, 'X'), headers: { 'retry-after': '100' } }
    service.on('POST /v1/webhooks', failed).on('GET /v1/webhooks', { json: page('webhooks', []) })
    const error = await rejection(clientOf(service.origin).webhooks.create(wanted))
    expect(error).toMatchObject({ name: 'ServerError', outcome: 'unknown', retryAfter: 100_000 })
    expect(service.count('POST /v1/webhooks')).toBe(1)
  })

  it('409 on a repeat, and the list has no such webhook: thrown, and not retried', async () => {
    const service = await server()
    service
      .on('POST /v1/webhooks', reset, refusal(409, 'DUPLICATE_WEBHOOK_SUBSCRIPTION'))
      .on('GET /v1/webhooks', { json: page('webhooks', []) })
    const error = await rejection(clientOf(service.origin).webhooks.create(wanted, { maxRetries: 9 }))
    expect(error).toMatchObject({ name: 'ConflictError', outcome: 'unknown' })
    expect(service.count('POST /v1/webhooks')).toBe(2)
  })

  it.each([
    ['at once', []],
    ['after a 429', [limited]],
  ] as const)('409 %s: a ConflictError, without a lookup', async (_, before) => {
    const service = await server()
    service.on('POST /v1/webhooks', ...before, refusal(409, 'DUPLICATE_WEBHOOK_SUBSCRIPTION'))
    const error = await rejection(clientOf(service.origin).webhooks.create(wanted))
    expect(error).toMatchObject({ name: 'ConflictError', outcome: 'failed' })
    expect(service.count('GET /v1/webhooks')).toBe(0)
  })
})
