import { inspect } from 'node:util'
import { type ClientOptions, PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { createWebhookReceiver, signWebhook } from 'pathology-sdk/webhooks'
import { expect, it, onTestFinished } from 'vitest'
import { CANARIES, canariesIn, everythingShownOf } from '../support/canaries.js'
import { rejection } from '../support/clients.js'
import { medicareOrder, order, referral, result, UUID } from '../support/samples.js'
import { HostileService } from './hostile-service.js'
import { Sinks } from './sinks.js'
import { createWorld } from './world.js'

async function setUp() {
  const service = await HostileService.start()
  const sinks = new Sinks()
  const world = createWorld(service, sinks.logger)
  onTestFinished(async () => {
    sinks.close()
    await world.close()
    await service[Symbol.asyncDispose]()
  })
  return { service, sinks, client: (options?: ClientOptions) => world.client(options) }
}

it('successful calls publish events without personal data', async () => {
  const { service, sinks, client } = await setUp()
  service.on('POST /v1/referrals', { json: [referral(), referral()] })
  service.on(`GET /v1/referrals/${UUID}`, { json: referral({ uuid: UUID }) })
  service.on('GET /v1/results', { json: { results: [result()] } })
  const own = client()
  await own.referrals.create(medicareOrder())
  await own.referrals.retrieve(UUID)
  await own.results.list().toArray()
  expect(sinks.lines).toHaveLength(6)
  expect(canariesIn(sinks.lines.join('\n'))).toEqual([])
})

it('responses that differ from the contract are logged by field, without values', async () => {
  const { service, sinks, client } = await setUp()
  const odd = {
    ...referral({ uuid: UUID }),
    status: { [CANARIES.lastName]: CANARIES.firstName },
    person: { firstName: [CANARIES.firstName], dob: { born: CANARIES.dob }, phone: 491_570_156 },
    tests: { [CANARIES.clinicalNotes]: true },
    metadata: [CANARIES.clinicalNotes],
    medicareCardNumber: 29_518_731_251,
  }
  service.on('*', { json: odd })
  await client().referrals.retrieve(UUID)
  const warnings = sinks.lines.filter((line) => line.includes('differs from the contract'))
  expect(warnings.join('\n')).toContain('person.firstName')
  expect(warnings.length).toBeGreaterThan(4)
  expect(canariesIn(sinks.lines.join('\n'))).toEqual([])
})

it('rejected and failed deliveries are reported without secret, signature or body', async () => {
  const sinks = new Sinks()
  const receiver = createWebhookReceiver({
    secret: CANARIES.signingSecret,
    logger: sinks.logger,
    on: { '*': () => undefined },
  })
  const body = JSON.stringify({ patient: referral() })
  for (const signature of [CANARIES.signature, '0'.repeat(64), undefined]) {
    const headers = { 'x-svc-hmac-sha256': signature, authorization: CANARIES.accessToken }
    const { status } = await receiver.receive({ method: 'POST', headers, body })
    expect(status).toBe(401)
  }
  sinks.close()
  expect(canariesIn(sinks.lines.join('\n') + everythingShownOf(receiver))).toEqual([])
})

const NAMES = Object.values(CANARIES)

it.each(NAMES)(
  'a receiver logs no value %# of an event, its id, or the name of the error that a handler throws (§6)',
  async (canary) => {
    const sinks = new Sinks()
    const shown: unknown[] = []
    const throwing = (): never => {
      throw Object.assign(new Error(canary), { name: canary, code: canary })
    }
    const receiver = createWebhookReceiver({
      secret: CANARIES.signingSecret,
      logger: sinks.logger,
      on: { '*': throwing },
      dedupe: { claim: async () => true, release: throwing },
      onError: (_error, { outcome, status }) => shown.push(outcome, status),
    })
    const data = { ...referral({ uuid: UUID }), eventName: canary }
    const body = JSON.stringify({ eventName: canary, eventUuid: canary, version: canary, data })
    const headers = { 'x-svc-hmac-sha256': await signWebhook(body, CANARIES.signingSecret) }
    const { status, body: answer } = await receiver.receive({ method: 'POST', headers, body })
    sinks.close()
    expect(status).toBe(500)
    expect(sinks.lines.join('\n')).toContain('webhook failed (an unknown event')
    expect(canariesIn(sinks.lines.join('\n') + answer + shown.join())).toEqual([])
  },
)

it.each(NAMES)('a receiver shows no value %# that is the name of a handler', (canary) => {
  const sinks = new Sinks()
  const make = (name: string): unknown =>
    createWebhookReceiver({ secret: 'x', logger: sinks.logger, on: { [name]: () => undefined } })
  let shown = ''
  try {
    make(canary)
  } catch (error) {
    shown = everythingShownOf(error)
  }
  sinks.close()
  expect(canariesIn(sinks.lines.join('\n') + shown)).toEqual([])
})

it('a printed client, call, list or document shows no secret and no detail of a patient (§1)', async () => {
  const { service, client } = await setUp()
  service.on('*', {
    json: referral({ uuid: UUID, referralAttachment: `${service.origin}/a?s=${CANARIES.signature}` }),
  })
  const own = client()
  const call = own.referrals.create(order())
  const held = [own, call, own.referrals.list(), await own.referrals.document(UUID)]
  await call
  expect(canariesIn(held.map(everythingShownOf).join('\n'))).toEqual([])
  expect(canariesIn(inspect(held, { depth: 10, showHidden: true }))).toEqual([])
})

it('an error of a list shows its cursor to code, and never prints it', async () => {
  const { service, client } = await setUp()
  const cursor = `${CANARIES.lastName}-1`
  service.on('*', ({ target }) =>
    target.includes('cursor=')
      ? { status: 400 }
      : { json: { referrals: [referral()], cursor: { cursor, count: 1, resultCount: 1 } } },
  )
  const error = await rejection(client().referrals.list().toArray())
  expect(error).toMatchObject({ name: 'BadRequestError', cursor })
  expect(canariesIn(everythingShownOf(error))).toEqual([])
})

it("the fake's journals contain no secret and no token (§5)", async () => {
  const fake = await FakePathologyService.start({
    clientSecret: CANARIES.clientSecret,
    signingSecret: CANARIES.signingSecret,
  })
  onTestFinished(() => fake.close())
  const store = new Map<string, unknown>()
  const secrets = new Set<string>([CANARIES.clientSecret, CANARIES.signingSecret])
  for (const clientAuthentication of ['basic', 'body'] as const) {
    const client = new PathologyClient({ ...fake.clientOptions(), clientAuthentication, tokenStore: store })
    for (let round = 0; round < 2; round += 1) {
      const { referrals } = await client.referrals.create(order({ tests: ['full-blood-count'] }))
      const { uuid } = referrals[0]
      const { referralAttachment } = await client.referrals.retrieve(uuid)
      await client.referrals.document(uuid).bytes()
      secrets.add(new URL(referralAttachment ?? '').searchParams.get('signature') ?? '')
      for (const [, token = ''] of [...store.values()].join().matchAll(/Token":"([^"]+)"/g))
        secrets.add(token)
      fake.tokens.revokeAll()
    }
    await client.close()
  }
  expect(secrets.size).toBeGreaterThanOrEqual(8)
  expect(secrets).not.toContain('')
  const overHttp = await Promise.all(
    ['', 'requests', 'state'].map(async (path) => (await fetch(`${fake.controlUrl}/${path}`)).text()),
  )
  const shown = [
    JSON.stringify(fake.requests),
    inspect(fake.requests, { depth: 10 }),
    inspect(fake, { depth: 10, showHidden: true }),
    ...overHttp,
  ]
  expect(shown[0]).toContain('[redacted]')
  for (const text of shown) {
    for (const secret of secrets) {
      expect(text.includes(secret), `${secret} in ${text.slice(0, 40)}…`).toBe(false)
      const basic = Buffer.from(`fake-client-id:${secret}`).toString('base64')
      expect(text.includes(basic)).toBe(false)
    }
  }
})
