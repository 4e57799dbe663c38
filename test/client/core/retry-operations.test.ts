import { type PathologyClient, PathologyError, type RequestOptions } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { expectNoCanary } from '../../support/canaries.js'
import { clientOf, rejection } from '../../support/clients.js'
import { failingOnceAgent } from '../../support/failing-connections.js'
import { order, page, provider, referral, UUID, webhook } from '../../support/samples.js'
import { type Reply, ScriptedServer } from '../../support/scripted-server.js'
import { SkippingClock } from '../../support/skipping-clock.js'

const failed = (status: number): Reply => ({
  status,
  json: { error: true, code: 'X', message: 'x', errorList: [] },
})

const LIMITED: Reply = { ...failed(429), headers: { 'retry-after': '1' } }

/** Responses after which the request may have been carried out. */
const AMBIGUOUS: Readonly<Record<string, Reply>> = {
  '408': failed(408),
  '500': failed(500),
  '502': { status: 502, text: '<html>Bad gateway</html>' },
  '503': failed(503),
  '504': { status: 504, text: '' },
  '522': { status: 522, text: 'Connection timed out' },
  'a reset': { reset: 'before' },
  'half a response': { json: { cut: 'x'.repeat(64) }, reset: 'in-body' },
  'no JSON': { text: '<html>Welcome to the hotel network</html>' },
  'an empty response': { text: '' },
  'an error envelope': failed(200),
  'a number': { json: 7 },
}

/**
 * Result after such a response. `again`: the request is sent twice. `found`: a lookup finds the result. `unknown`: an
 * error with an unknown outcome.
 */
type Effect = 'again' | 'found' | 'unknown'

interface Operation {
  readonly name: string
  readonly route: string
  readonly success: Reply
  readonly call: (client: PathologyClient, options: RequestOptions) => PromiseLike<unknown>
  readonly effect: Effect
}

const person = { ...referral().person, phone: '0362001234' }
const patched = referral({
  uuid: UUID,
  person,
  status: 'SCHEDULED_REISSUE',
  updatedAt: new Date().toISOString(),
})

/** One operation of each kind. The table of all decisions has its own test. */
const OPERATIONS: readonly Operation[] = [
  {
    name: 'a read',
    route: `GET /v1/referrals/${UUID}`,
    success: { json: referral() },
    call: (client, options) => client.referrals.retrieve(UUID, options),
    effect: 'again',
  },
  {
    name: 'a write that may be repeated',
    route: 'POST /v1/providers',
    success: { json: provider() },
    call: ({ providers }, options) =>
      providers.save({ providerNumber: '2426621B', name: 'Dr Ada Roe', address: '1 Clinic Road' }, options),
    effect: 'again',
  },
  {
    name: 'a write that may not be repeated',
    route: `PUT /v1/referrals/${UUID}`,
    success: { json: referral() },
    call: (client, options) => client.referrals.generateResults(UUID, options),
    effect: 'unknown',
  },
  {
    name: 'an order',
    route: 'POST /v1/referrals',
    success: { json: referral() },
    call: (client, options) => client.referrals.create(order(), options),
    effect: 'unknown',
  },
  {
    name: 'an update',
    route: `PATCH /v1/referrals/${UUID}`,
    success: { json: patched },
    call: (client, options) => client.referrals.update(UUID, { phone: '0362001234' }, options),
    effect: 'found',
  },
  {
    name: 'a subscription',
    route: 'POST /v1/webhooks',
    success: { json: webhook() },
    call: ({ webhooks }, options) =>
      webhooks.create({ url: 'https://hooks.example.com/in', events: ['referral.issued'] }, options),
    effect: 'again',
  },
]

/** A server where lookups find the patched referral, no order and no webhook. */
async function serverFor(route: string, ...replies: Reply[]): Promise<ScriptedServer> {
  const server = await ScriptedServer.start()
  server.on(`GET /v1/referrals/${UUID}`, { json: patched })
  server.on('GET /v1/referrals', { json: page('referrals', []) })
  server.on('GET /v1/webhooks', { json: page('webhooks', []) })
  return server.on(route, ...replies)
}

const cells = OPERATIONS.flatMap((operation) =>
  Object.entries(AMBIGUOUS).map(([fault, reply]) => ({
    ...operation,
    fault,
    reply,
    // A 408 came before any work of a subscription.
    effect: operation.name === 'a subscription' && fault === '408' ? 'unknown' : operation.effect,
  })),
)

it.each(cells)(
  '$name that gets $fault: $effect (§8)',
  async ({ name, route, success, call, effect, reply }) => {
    const server = await serverFor(route, reply, success)
    const client = clientOf(server.origin, { orderRecoveryTimeout: 0 })
    if (effect !== 'unknown') {
      await call(client, {})
      expect(server.count(route)).toBe(effect === 'again' ? 2 : 1)
      return
    }
    const error = await rejection(call(client, {}))
    expect(server.count(route)).toBe(1)
    expect(error).toBeInstanceOf(PathologyError)
    expect(error).toMatchObject({ outcome: 'unknown', attempts: 1 })
    if (name === 'an order') expect(error).toMatchObject({ code: 'ORDER_OUTCOME_UNKNOWN' })
    expectNoCanary(error)
  },
)

it.each(OPERATIONS)('$name is sent again after a 401 and a 429', async ({ route, success, call }) => {
  const server = await serverFor(route, failed(401), LIMITED, success)
  await call(clientOf(server.origin), {})
  expect(server.count(route)).toBe(3)
})

it.each(OPERATIONS)('$name is sent once there is a connection', async ({ route, success, call }) => {
  const server = await serverFor(route, success)
  const auth = await ScriptedServer.start()
  const options = () => ({ authUrl: auth.origin, dispatcher: failingOnceAgent(server.origin) })
  const error = await rejection(call(clientOf(server.origin, options()), { maxRetries: 0 }))
  expect(error).toMatchObject({ name: 'ConnectionError', reason: 'refused', outcome: 'not-sent' })
  expect(server.count(route)).toBe(0)
  await call(clientOf(server.origin, options()), {})
  expect(server.count(route)).toBe(1)
})

it.each(OPERATIONS)(
  '$name is sent once with maxRetries 0, after a 429 and after a reset',
  async ({ route, call }) => {
    for (const reply of [LIMITED, { reset: 'before' } as const]) {
      const server = await serverFor(route, reply)
      const client = clientOf(server.origin, { orderRecoveryTimeout: 0 })
      await Promise.resolve(call(client, { maxRetries: 0 })).catch(() => undefined)
      expect(server.count(route)).toBe(1)
    }
  },
)

it('an order that gets only 429 is sent three times, and its error says that nothing was done', async () => {
  const server = await serverFor('POST /v1/referrals', LIMITED)
  const client = clientOf(server.origin, { maxRetries: 9, timeout: 600_000 })
  const error = await rejection(client.referrals.create(order()))
  expect(server.count('POST /v1/referrals')).toBe(3)
  expect(error).toMatchObject({ name: 'RateLimitError', outcome: 'refused', retryAfter: 1_000, attempts: 3 })
})

it('the pauses before retries grow, and a success gives the tokens of its retries back to the budget (§8)', async () => {
  const server = await serverFor('GET /v1/vendors')
  const clock = new SkippingClock()
  const client = clientOf(server.origin, { clock })
  for (let nth = 0; nth < 60; nth += 1) {
    server.on('GET /v1/vendors', failed(503), failed(503), { json: { vendors: [] } })
    await client.vendors.list().toArray()
  }
  expect(server.count('GET /v1/vendors')).toBe(3)
  expect(clock.slept).toEqual(Array.from({ length: 60 }, () => [125, 250]).flat())
})
