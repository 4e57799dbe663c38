import type { PathologyClient, RequestOptions, Webhook } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { expectNoCanary } from '../../support/canaries.js'
import { clientOf, rejection } from '../../support/clients.js'
import { PROVIDER_NUMBER, page, referral, UUID, WEBHOOK_ID, webhook } from '../../support/samples.js'
import type { Reply } from '../../support/scripted-server.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { limited, PROVIDER, REFERRAL, refusal, reset, server, WEBHOOK } from './reconciler-world.js'

/** A write whose response is lost, or that is refused when it is repeated, with the routes of the write and the lookup. */
interface Write {
  readonly routes: readonly [write: string, read: string]
  readonly call: (client: PathologyClient, options: RequestOptions) => PromiseLike<unknown>
}

/** Result, or error, and the sequence of writes (W) and reads (R). */
type Comes = { readonly data: object } | { readonly error: object }
type Row = [string, readonly Reply[], readonly Reply[], Comes, string, RequestOptions?]

async function reconcile({ routes: [write, read], call }: Write, ...row: Row): Promise<void> {
  const [, replies, lookups, comes, sequence, options = {}] = row
  const service = await server()
  service.on(write, ...replies).on(read, ...lookups)
  const outcome = call(clientOf(service.origin), options)
  if ('data' in comes) expect(await outcome).toMatchObject(comes.data)
  else {
    const error = await rejection(outcome)
    expect(error).toMatchObject(comes.error)
    expectNoCanary(error)
  }
  expect(service.calls.map(({ method }) => (method === 'GET' ? 'R' : 'W')).join('')).toBe(sequence)
}

const broken = refusal(500, 'X')
const unavailable = refusal(503, 'X')
const unknown = { error: { outcome: 'unknown' } }

describe('an update of a referral', () => {
  const patch = { phone: '0362001234', metadata: { clinic: 'south', old: null } }
  const before = referral({ uuid: UUID, metadata: { clinic: 'north', old: 1, other: 2 } })
  const after = referral({
    ...{ uuid: UUID, status: 'SCHEDULED_REISSUE', updatedAt: new Date().toISOString() },
    person: { ...before.person, phone: patch.phone },
    metadata: { clinic: 'south', other: 2 },
  })
  const update: Write = {
    routes: [`PATCH ${REFERRAL}`, `GET ${REFERRAL}`],
    call: ({ referrals }, options) => referrals.update(UUID, patch, options),
  }
  const [shown, missing] = [{ json: after }, { json: before }]
  const done = { data: after }
  const locked = refusal(400, 'INVALID_STATUS')
  const refused = (outcome: string) => ({
    error: { name: 'BadRequestError', code: 'INVALID_STATUS', outcome },
  })
  const invalid = refusal(400, 'INVALID_PAYLOAD')
  const plain = { error: { code: 'INVALID_PAYLOAD' } }

  it.each<Row>([
    ['returned when the referral shows the change', [reset], [shown], done, 'WR'],
    ['sent again when it does not', [reset, shown], [missing], done, 'WRW'],
    ['read again, whatever maxRetries is', [reset], [unavailable, shown], done, 'WRR', { maxRetries: 0 }],
    ['not sent again when the read fails', [reset], [broken], unknown, 'WRRR'],
    ['sent as maxRetries permits', [limited, reset, limited], [missing], unknown, 'WWRW', { maxRetries: 2 }],
    ['done after INVALID_STATUS on a repeat', [reset, locked], [missing, shown], done, 'WRWR'],
    ['refused when the change never appears', [reset, locked], [missing], refused('unknown'), 'WRWR'],
    ['refused by INVALID_STATUS at once', [locked], [], refused('failed'), 'W'],
    ['refused by another error on a repeat', [reset, invalid], [missing], plain, 'WRW'],
  ])('an update of a referral is %s (§3.1, §4.1)', async (...row) => reconcile(update, ...row))

  it('an update of a referral pauses before it is sent again', async () => {
    const service = await server()
    const clock = new SkippingClock()
    service.on(`PATCH ${REFERRAL}`, reset, shown).on(`GET ${REFERRAL}`, missing)
    await clientOf(service.origin, { clock }).referrals.update(UUID, patch)
    expect(clock.slept).toEqual([125])
  })

  it('an update of a referral rejects with the reason of an abort during the read, and is not sent again', async () => {
    const service = await server()
    service.on(`PATCH ${REFERRAL}`, reset).on(`GET ${REFERRAL}`, { hang: 'before' })
    const abort = new AbortController()
    const reason = new Error('the user went away')
    const { signal } = abort
    const pending = rejection(clientOf(service.origin).referrals.update(UUID, patch, { signal }))
    await expect.poll(() => service.count(`GET ${REFERRAL}`)).toBe(1)
    abort.abort(reason)
    expect(await pending).toBe(reason)
    expect(service.count(`PATCH ${REFERRAL}`)).toBe(1)
  })

  it.each([
    ['of the call', { timeout: 5_000 }, {}],
    ['of the client', {}, { timeout: 5_000 }],
  ])(
    'an update of a referral has the time limit %s for the read, and waits no longer',
    async (_, own, all) => {
      const service = await server()
      service.on(`PATCH ${REFERRAL}`, reset).on(`GET ${REFERRAL}`, { hang: 'before' })
      const clock = new SkippingClock({ skip: () => false })
      const client = clientOf(service.origin, { clock, ...all })
      const call = rejection(client.referrals.update(UUID, patch, own))
      await expect.poll(() => service.count(`GET ${REFERRAL}`)).toBe(1)
      clock.advance(5_000)
      expect(await call).toMatchObject({ name: 'ConnectionError', outcome: 'unknown', attempts: 1 })
      expect(clock.pending).toBe(0)
    },
  )
})

const proxy: Reply = { status: 404, text: 'default backend - 404' }
const never = { error: { name: 'NotFoundError', outcome: 'failed' } }
const unsure = { error: { name: 'NotFoundError', outcome: 'unknown', attempts: 2 } }
const foreign = {
  error: { ...unsure.error, message: expect.stringContaining('check that baseUrl is the address') },
}

describe('a deleted webhook', () => {
  const removal: Write = {
    routes: [`DELETE ${WEBHOOK}`, `GET ${WEBHOOK}`],
    call: ({ webhooks }, options) => webhooks.delete(WEBHOOK_ID, options),
  }
  const none = refusal(404, 'WEBHOOK_NOT_FOUND')
  const gone = { data: { object: 'webhook', id: WEBHOOK_ID, deleted: true } }

  it.each<Row>([
    ['gone: a reset, and then not found', [reset, none], [], gone, 'WW'],
    ['gone: a 500, and then not found', [broken, none], [], gone, 'WW'],
    ['gone: a 408, and then not found', [refusal(408, 'X'), none], [], gone, 'WW'],
    ['one that never existed: not found', [none], [], never, 'W'],
    ['one that never existed: a 429, and then not found', [limited, none], [], never, 'WW'],
    ['one that never existed: a 401, and then not found', [refusal(401, 'X'), none], [], never, 'WW'],
    ["unknown: a 503, and then a proxy's own 404", [unavailable, proxy], [], foreign, 'WW'],
  ])('a deleted webhook is %s (§7)', async (...row) => reconcile(removal, ...row))
})

describe('a retired provider', () => {
  const retirement: Write = {
    routes: [`DELETE ${PROVIDER}`, `GET ${PROVIDER}`],
    call: ({ providers }, options) => providers.retire(` ${PROVIDER_NUMBER.toLowerCase()} `, options),
  }
  const gone = { data: { object: 'provider', providerNumber: PROVIDER_NUMBER, deleted: true } }
  const none = (status: number) => refusal(status, 'PROVIDER_NOT_FOUND')
  const busy = refusal(409, 'PROVIDER_HAS_ACTIVE_ROUTING')
  const conflict = { error: { name: 'ConflictError', code: 'PROVIDER_HAS_ACTIVE_ROUTING' } }

  it.each<Row>([
    ['gone: a reset, and then not found with 404', [reset, none(404)], [], gone, 'WW'],
    ['gone: a reset, and then not found with 400', [reset, none(400)], [], gone, 'WW'],
    ['kept: a reset, and then a 409, which is never retried', [reset, busy], [], conflict, 'WW'],
    ["unknown: a 503, and then a proxy's own 404", [unavailable, proxy], [], foreign, 'WW'],
  ])('a retired provider is %s (§7)', async (...row) => reconcile(retirement, ...row))
})

describe('a deleted referral', () => {
  const deletion: Write = {
    routes: [`DELETE ${REFERRAL}`, `GET ${REFERRAL}`],
    call: ({ referrals }, options) => referrals.delete(UUID, options),
  }
  const deleted = referral({ uuid: UUID, deletedAt: '2026-03-02T01:02:03.000Z' })
  const kept = { json: { ...deleted, deletedAt: null } }
  const none = refusal(404, 'REFERRAL_NOT_FOUND')

  it.each<Row>([
    [
      'returned when a read shows its deletedAt',
      [reset, none],
      [{ json: deleted }],
      { data: deleted },
      'WWR',
    ],
    ['unknown when a read shows none', [reset, none], [kept], unsure, 'WWR'],
    ['unknown when it cannot be read', [reset, none], [none], unsure, 'WWR'],
  ])('a deleted referral is %s, after a reset and a 404 (§7)', async (...row) => reconcile(deletion, ...row))
})

describe('a webhook whose POST is lost', () => {
  const wanted = { url: 'https://HOOKS.example.com/in', events: ['referral.issued', 'result.created'] }
  const now = new Date().toISOString()
  const made = (change: Partial<Webhook> = {}) =>
    webhook({
      ...{ url: 'https://hooks.example.com/in', events: ['result.created', 'referral.issued'] },
      ...{ createdAt: now, ...change },
    })
  const subscribe = (active?: boolean): Write => ({
    routes: ['POST /v1/webhooks', 'GET /v1/webhooks'],
    call: ({ webhooks }, options) =>
      webhooks.create({ ...wanted, ...(active !== undefined && { active }) }, options),
  })
  const listing = (...webhooks: readonly object[]): Reply => ({ json: { webhooks } })
  /** Other webhooks that fill a page. */
  const others = (createdAt: (nth: number) => string) =>
    Array.from({ length: 20 }, (_, nth) =>
      made({ id: `other-${nth}`, url: `https://${nth}.example`, createdAt: createdAt(nth) }),
    )
  const newer = {
    json: page(
      'webhooks',
      others(() => now),
      'next',
    ),
  }
  const older = {
    json: page(
      'webhooks',
      others((nth) => `2020-01-01T00:${40 - nth}:00Z`),
      'next',
    ),
  }
  const found = { data: { id: WEBHOOK_ID } }
  const shown = listing(made())
  const { active: _, ...bare } = made()
  const duplicate = refusal(409, 'DUPLICATE_WEBHOOK_SUBSCRIPTION')
  const conflict = (outcome: string) => ({ error: { name: 'ConflictError', outcome } })
  const lost = { error: { name: 'ConnectionError', outcome: 'unknown' } }
  const late = { ...unavailable, headers: { 'retry-after': '100' } }
  const waits = { error: { name: 'ServerError', outcome: 'unknown', retryAfter: 100_000 } }

  it.each<Row>([
    ['returned when the list has it', [reset], [shown], found, 'WR'],
    ['returned when the list has it after a 504', [refusal(504, 'X')], [shown], found, 'WR'],
    ['returned when the list does not show whether it is active', [reset], [listing(bare)], found, 'WR'],
    [
      'looked up again, whatever maxRetries is',
      [reset],
      [unavailable, shown],
      found,
      'WRR',
      { maxRetries: 0 },
    ],
    ['looked for on further pages that may be newer', [reset], [newer, shown], found, 'WRR'],
    ['looked for on no page that is older', [reset, { json: made() }], [older], found, 'WRW'],
    ['not sent again after a list whose cursors repeat', [reset], [newer], unknown, 'WRR'],
    [
      'not sent again after a full page without a cursor',
      [reset],
      [listing(...others(() => now))],
      unknown,
      'WR',
    ],
    ['unknown when the lookup fails', [reset], [{ status: 404 }], lost, 'WR'],
    ['returned after a 409 on a repeat', [reset, duplicate], [listing(), shown], found, 'WRWR'],
    [
      'refused by a 409 when it is not in the list',
      [reset, duplicate],
      [listing()],
      conflict('unknown'),
      'WRWR',
    ],
    ['refused by a 409 at once', [duplicate], [], conflict('failed'), 'W'],
    ['refused by a 409 after a 429', [limited, duplicate], [], conflict('failed'), 'WW'],
    ['unknown after a Retry-After above one minute', [late], [listing()], waits, 'WR'],
  ])('a webhook whose POST is lost is %s (§4.6)', async (...row) => reconcile(subscribe(), ...row))

  it.each([
    [true, false],
    [undefined, false],
    [false, true],
  ])(
    'a webhook whose POST is lost with active %s is not one with active %s, so a 409 is final (§4.6)',
    async (wish, active) => {
      const lists = [listing(made({ active }))]
      await reconcile(subscribe(wish), '', [broken, duplicate], lists, conflict('unknown'), 'WRWR')
    },
  )

  it('a webhook whose POST is lost with active: false is found if it is not active (§4.6)', async () => {
    const lists = [listing(made({ active: false }))]
    await reconcile(subscribe(false), '', [reset], lists, { data: { active: false } }, 'WR')
  })

  it('a webhook whose POST is lost waits for Retry-After before its POST is sent again', async () => {
    const service = await server()
    const failed = { ...unavailable, headers: { 'retry-after': '1' } }
    service.on('POST /v1/webhooks', failed, { json: made() }).on('GET /v1/webhooks', listing())
    const clock = new SkippingClock()
    await clientOf(service.origin, { clock }).webhooks.create(wanted)
    expect(clock.slept).toEqual([1_050])
  })
})
