import { memoryOrderLedger } from 'pathology-sdk'
import { Agent, interceptors } from 'undici'
import { expect, it, onTestFinished } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { order, page, referral, UUID, webhook } from '../../support/samples.js'
import { type Reply, ScriptedServer } from '../../support/scripted-server.js'
import { ShiftedClock } from '../../support/shifted-clock.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { WatchedLedger } from '../../support/watched-ledger.js'

it('a dispatcher that starts a write again cannot send it twice', async () => {
  const service = await ScriptedServer.start()
  service.on(`PUT /v1/referrals/${UUID}`, { reset: 'before' }, { json: referral() })
  const agent = new Agent()
  onTestFinished(() => agent.close())
  const dispatcher = agent.compose(
    interceptors.retry({ methods: ['PUT', 'POST'], minTimeout: 1, maxTimeout: 1 }),
  )
  const error = await rejection(clientOf(service.origin, { dispatcher }).referrals.generateResults(UUID))
  expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown', attempts: 1 })
  expect(service.count(`PUT /v1/referrals/${UUID}`)).toBe(1)
})

it('an order that a 429 holds back while it waits for a connection does not stay marked as sent', async () => {
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const service = await ScriptedServer.start()
  service.on(`GET /v1/referrals/${UUID}`, { status: 429, json: {}, after: released })
  service.on('GET /v1/referrals', { json: { referrals: [] } })
  service.on('POST /v1/referrals', { json: referral() })
  const ledger = new WatchedLedger(memoryOrderLedger())
  const clock = new ShiftedClock({ speed: 10 })
  const client = clientOf(service.origin, { clock, maxSockets: 1, orderLedger: ledger })
  const takeConnection = async (): Promise<void> => {
    void client.referrals.retrieve(UUID, { maxRetries: 0 }).catch(() => undefined)
    await expect.poll(() => service.calls.length, { interval: 5 }).toBe(2)
    setImmediate(release)
  }
  ledger.next('mark', { after: takeConnection })
  await client.referrals.create(order(), { orderKey: 'key-1' })
  expect(ledger.operations).toEqual(['claim', 'mark', 'unmark', 'mark', 'record'])
  expect(service.count('POST /v1/referrals')).toBe(1)
})

it.each<[string, Reply, number]>([
  ['a reset', { reset: 'before' }, 200],
  ['a 503', { status: 503 }, 503],
])(
  'the data of an update that was lost by %s is returned, with what is known of its response',
  async (_, lost, status) => {
    const phone = '0362001234'
    const changed = referral({
      uuid: UUID,
      person: { ...referral().person, phone },
      status: 'SCHEDULED_REISSUE',
    })
    const service = await ScriptedServer.start()
    service.on(`PATCH /v1/referrals/${UUID}`, lost).on(`GET /v1/referrals/${UUID}`, { json: changed })
    const warnings: string[] = []
    const client = clientOf(service.origin, { logger: { warn: (line) => warnings.push(line) } })
    expect(await client.referrals.update(UUID, { phone }).withResponse()).toEqual({
      data: changed,
      response: { status, headers: {}, requestId: undefined, attempts: 1 },
    })
    expect(warnings).toEqual([
      'pathology-sdk: the response to referrals.update was lost; the request had been carried out',
    ])
  },
)

it('a lookup after a second lost request also finds what the first one made', async () => {
  const service = await ScriptedServer.start()
  const clock = new SkippingClock()
  const made = webhook({ createdAt: new Date(clock.now()).toISOString() })
  service.on('POST /v1/webhooks', { reset: 'before' })
  const none = (): Reply => {
    clock.advance(600_000)
    return { json: page('webhooks', []) }
  }
  service.on('GET /v1/webhooks', none, { json: page('webhooks', [made]) })
  const { webhooks } = clientOf(service.origin, { clock, timeout: 3_600_000 })
  const { url, events } = made
  await expect(webhooks.create({ url, events })).resolves.toEqual(made)
  expect(service.count('POST /v1/webhooks')).toBe(2)
})
