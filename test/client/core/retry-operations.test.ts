import { type PathologyClient, PathologyError, type RequestOptions } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { expectNoCanary } from '../../support/canaries.js'
import { clientOf, rejection } from '../../support/clients.js'
import { failingOnceAgent } from '../../support/failing-connections.js'
import { pairsOf } from '../../support/sample.js'
import {
  order,
  PRICE,
  PROVIDER_NUMBER,
  page,
  provider,
  referral,
  UUID,
  WEBHOOK_ID,
  webhook,
} from '../../support/samples.js'
import { type Reply, ScriptedServer } from '../../support/scripted-server.js'

/**
 * Result for the caller, and the number of requests. "again": two requests, and a response. "error": one
 * request, and its error. "found": one request, and a lookup finds the result. "unknown": one request, and an
 * error with an unknown outcome.
 */
type Effect = 'again' | 'error' | 'found' | 'unknown'

const failed = (status: number): Reply => ({
  status,
  json: { error: true, code: 'X', message: 'x', errorList: [] },
})

const FAULTS = {
  '401': failed(401),
  '429': { ...failed(429), headers: { 'retry-after': '1' } },
  '408': failed(408),
  '500': failed(500),
  '502': { status: 502, text: '<html>Bad gateway</html>' },
  '503': failed(503),
  '504': { status: 504, text: '' },
  '522': { status: 522, text: 'Connection timed out' },
  'ambiguous reset': { reset: 'before' },
  'ambiguous cut': { json: { cut: 'x'.repeat(64) }, reset: 'in-body' },
  'ambiguous not JSON': { text: '<html>Welcome to the hotel network</html>' },
  'ambiguous empty': { text: '' },
  'ambiguous envelope': failed(200),
  'ambiguous number': { json: 7 },
} as const satisfies Record<string, Reply>
type Fault = keyof typeof FAULTS

/** Result of each fault. A rejection is missing here, because it is always retried. */
const allOf = (effect: Effect): Record<Fault, Effect> => ({
  '401': 'again',
  '429': 'again',
  '408': effect,
  '500': effect,
  '502': effect,
  '503': effect,
  '504': effect,
  '522': effect,
  'ambiguous reset': effect,
  'ambiguous cut': effect,
  'ambiguous not JSON': effect,
  'ambiguous empty': effect,
  'ambiguous envelope': effect,
  'ambiguous number': effect,
})

interface Operation {
  readonly name: string
  readonly route: string
  readonly success: Reply
  readonly call: (client: PathologyClient, options: RequestOptions) => PromiseLike<unknown>
  readonly effects: Readonly<Record<Fault, Effect>>
}

const patch = { phone: '0362001234' }
const patched = referral({
  uuid: UUID,
  person: { ...referral().person, ...patch },
  status: 'SCHEDULED_REISSUE',
  updatedAt: new Date().toISOString(),
})

const OPERATIONS: readonly Operation[] = [
  {
    name: 'GET',
    route: `GET /v1/referrals/${UUID}`,
    success: { json: referral() },
    call: (client, options) => client.referrals.retrieve(UUID, options),
    effects: allOf('again'),
  },
  {
    name: 'POST calculate',
    route: 'POST /v1/calculate',
    success: { json: { calculatePrice: PRICE } },
    call: (client, options) => client.prices.calculate({ tests: ['fbc'] }, options),
    effects: allOf('again'),
  },
  {
    name: 'POST referrals',
    route: 'POST /v1/referrals',
    success: { json: referral() },
    call: (client, options) => client.referrals.create(order(), options),
    effects: allOf('unknown'),
  },
  {
    name: 'PATCH referrals',
    route: `PATCH /v1/referrals/${UUID}`,
    success: { json: patched },
    call: (client, options) => client.referrals.update(UUID, patch, options),
    effects: allOf('found'),
  },
  {
    name: 'PUT referrals (staging)',
    route: `PUT /v1/referrals/${UUID}`,
    success: { json: referral() },
    call: (client, options) => client.referrals.generateResults(UUID, options),
    effects: allOf('error'),
  },
  {
    name: 'DELETE referrals',
    route: `DELETE /v1/referrals/${UUID}`,
    success: { json: referral() },
    call: (client, options) => client.referrals.delete(UUID, options),
    effects: allOf('again'),
  },
  {
    name: 'POST providers',
    route: 'POST /v1/providers',
    success: { json: provider() },
    call: (client, options) =>
      client.providers.save(
        { providerNumber: PROVIDER_NUMBER, name: 'Dr Ada Roe', address: '1 Clinic Road' },
        options,
      ),
    effects: allOf('again'),
  },
  {
    name: 'PUT providers',
    route: `PUT /v1/providers/${PROVIDER_NUMBER}`,
    success: { json: provider() },
    call: (client, options) => client.providers.update(PROVIDER_NUMBER, { title: 'Dr' }, options),
    effects: allOf('again'),
  },
  {
    name: 'DELETE providers',
    route: `DELETE /v1/providers/${PROVIDER_NUMBER}`,
    success: { json: { object: 'provider', providerNumber: PROVIDER_NUMBER, deleted: true } },
    call: (client, options) => client.providers.retire(PROVIDER_NUMBER, options),
    effects: allOf('again'),
  },
  {
    name: 'POST providers/{n}/routing',
    route: `POST /v1/providers/${PROVIDER_NUMBER}/routing`,
    success: { json: { connections: [] } },
    call: (client, options) =>
      client.providers.requestRouting(
        PROVIDER_NUMBER,
        { vendorIds: ['a'], attestation: { attestedBy: 'A. Manager', doctorSignedAt: new Date(0) } },
        options,
      ),
    effects: allOf('again'),
  },
  {
    name: 'POST webhooks',
    route: 'POST /v1/webhooks',
    success: { json: webhook() },
    call: (client, options) =>
      client.webhooks.create({ url: 'https://hooks.example.com/in', events: ['referral.issued'] }, options),
    effects: { ...allOf('again'), '408': 'error' },
  },
  {
    name: 'PATCH webhooks',
    route: `PATCH /v1/webhooks/${WEBHOOK_ID}`,
    success: { json: webhook({ active: false }) },
    call: (client, options) => client.webhooks.update(WEBHOOK_ID, { active: false }, options),
    effects: allOf('again'),
  },
  {
    name: 'DELETE webhooks',
    route: `DELETE /v1/webhooks/${WEBHOOK_ID}`,
    success: { json: { object: 'webhook', id: WEBHOOK_ID, deleted: true } },
    call: (client, options) => client.webhooks.delete(WEBHOOK_ID, options),
    effects: allOf('again'),
  },
]

/** A server where lookups find the patched referral, no order and no webhook. */
async function serverFor(): Promise<ScriptedServer> {
  const server = await ScriptedServer.start()
  return server
    .on(`GET /v1/referrals/${UUID}`, { json: patched })
    .on('GET /v1/referrals', { json: page('referrals', []) })
    .on('GET /v1/webhooks', { json: page('webhooks', []) })
}

/**
 * Operations whose outcome is looked up: each is tried with every fault. The decision table has its own test.
 */
const LOOKED_UP = OPERATIONS.filter(({ name }) =>
  /^(POST referrals|PATCH referrals|POST webhooks)$/.test(name),
)
const OTHERS = OPERATIONS.filter((operation) => !LOOKED_UP.includes(operation))
const FAULT_NAMES = Object.keys(FAULTS) as Fault[]
const cells = [
  ...LOOKED_UP.flatMap((one) => FAULT_NAMES.map((other) => ({ one, other }))),
  ...pairsOf(OTHERS, FAULT_NAMES),
].map(({ one, other: fault }) => ({ ...one, fault, effect: one.effects[fault], reply: FAULTS[fault] }))

describe('retry decisions, over HTTP', () => {
  it.each(cells)('$name, $fault: $effect', async ({ route, success, call, effect, reply }) => {
    const server = await serverFor()
    server.on(route, reply, success)
    const client = clientOf(server.origin, { orderRecoveryTimeout: 0 })
    if (effect === 'again' || effect === 'found') {
      await call(client, {})
      expect(server.count(route)).toBe(effect === 'again' ? 2 : 1)
      return
    }
    const error = await rejection(call(client, {}))
    expect(server.count(route)).toBe(1)
    expect(error).toBeInstanceOf(PathologyError)
    expect(error).toMatchObject({ outcome: 'unknown', attempts: 1 })
    if (effect === 'unknown') expect(error).toMatchObject({ code: 'ORDER_OUTCOME_UNKNOWN' })
    expectNoCanary(error)
  })

  it.each(OPERATIONS)(
    '$name, connection refused: sent once there is a connection',
    async ({ route, success, call }) => {
      const server = await serverFor()
      const auth = await ScriptedServer.start()
      server.on(route, success)
      const options = () => ({ authUrl: auth.origin, dispatcher: failingOnceAgent(server.origin) })
      const error = await rejection(call(clientOf(server.origin, options()), { maxRetries: 0 }))
      expect(error).toMatchObject({ name: 'ConnectionError', reason: 'refused', outcome: 'not-sent' })
      expect(server.count(route)).toBe(0)
      await call(clientOf(server.origin, options()), {})
      expect(server.count(route)).toBe(1)
    },
  )

  it.each(OPERATIONS)(
    '$name, maxRetries 0: sent once after a 429 and after a reset',
    async ({ route, call }) => {
      for (const reply of [FAULTS['429'], FAULTS['ambiguous reset']]) {
        const server = await serverFor()
        server.on(route, reply)
        const client = clientOf(server.origin, { orderRecoveryTimeout: 0 })
        await Promise.resolve(call(client, { maxRetries: 0 })).catch(() => undefined)
        expect(server.count(route)).toBe(1)
      }
    },
  )

  it('POST referrals, only 429: sent three times, then a RateLimitError that says that nothing was done', async () => {
    const server = await serverFor()
    server.on('POST /v1/referrals', FAULTS['429'])
    const client = clientOf(server.origin, { maxRetries: 9, timeout: 600_000 })
    const error = await rejection(client.referrals.create(order()))
    expect(server.count('POST /v1/referrals')).toBe(3)
    expect(error).toMatchObject({
      name: 'RateLimitError',
      outcome: 'refused',
      retryAfter: 1_000,
      attempts: 3,
    })
  })

  it('PUT referrals: 404 in production has a clear message and is not retried (§4.1)', async () => {
    const server = await serverFor()
    server.on(`PUT /v1/referrals/${UUID}`, {
      status: 404,
      json: { error: true, code: 'NOT_FOUND', message: 'no' },
    })
    const error = await rejection(clientOf(server.origin).referrals.generateResults(UUID))
    expect(error).toMatchObject({ name: 'NotFoundError', outcome: 'failed' })
    expect(String(error)).toContain('staging')
    expect(server.count(`PUT /v1/referrals/${UUID}`)).toBe(1)
  })
})
