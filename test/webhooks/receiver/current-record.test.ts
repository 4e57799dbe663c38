import { PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import {
  createWebhookReceiver,
  parseWebhookEvent,
  type RecordClient,
  type WebhookReceiverOptions,
} from 'pathology-sdk/webhooks'
import { expect, it, onTestFinished, vi } from 'vitest'
import { CANARIES, canariesIn } from '../../support/canaries.js'
import { order } from '../../support/samples.js'
import { deliveryOf, eventOf } from '../support.js'
import { SECRET } from '../verification/vectors.js'

const UUID = '0b7f6f0e-3f53-4a5e-9a37-1d2c3b4a5f60'

/** A client that returns which method was called. */
function recordClient() {
  const referrals = {
    retrieve: vi.fn(async (uuid: string, _options?: object) => ({ kind: 'referral', uuid })),
  }
  const results = { retrieve: vi.fn(async (uuid: string, _options?: object) => ({ kind: 'result', uuid })) }
  return { referrals, results }
}

function receiverOf(on: object, client?: unknown, rest: object = {}) {
  return createWebhookReceiver({ secret: SECRET, on, client: client as RecordClient, ...rest })
}

const named = (eventName: string, data: object = { uuid: UUID }): never =>
  eventOf({ eventName, data }) as never

it.each([
  ['referral.issued', { kind: 'referral', uuid: UUID }],
  ['referral.archived', { kind: 'referral', uuid: UUID }],
  ['result.complete', { kind: 'result', uuid: UUID }],
  ['collection_centres.updated', undefined],
  ['something.else', undefined],
])('context.retrieve() of %s reads the record (§6)', async (name, record) => {
  const seen: unknown[] = []
  const client = recordClient()
  const handler = async (_: unknown, { retrieve }: { retrieve: () => unknown }) => seen.push(await retrieve())
  const receiver = receiverOf({ '*': handler }, client)
  expect(await receiver.receive(deliveryOf(named(name)))).toMatchObject({ status: 200 })
  await receiver.dispatch(parseWebhookEvent(named(name)))
  expect(seen).toEqual([record, record])
  for (const [, options] of [...client.referrals.retrieve.mock.calls, ...client.results.retrieve.mock.calls])
    expect(options).toEqual({ signal: expect.any(AbortSignal) })
})

it('context.retrieve() reads the present referral with a real client', async () => {
  const fake = new FakePathologyService({ centreCount: 1 })
  const client = new PathologyClient(fake.clientOptions())
  onTestFinished(async () => {
    await client.close()
    await fake.close()
  })
  const { referrals } = await client.referrals.create(order({ tests: ['tsh'] }))
  const statuses: string[] = []
  const receiver = createWebhookReceiver({
    secret: SECRET,
    client,
    on: {
      'referral.created': async (_, { retrieve }) => {
        const { status } = await retrieve()
        statuses.push(status)
      },
    },
  })
  await receiver.receive(deliveryOf(named('referral.created', { uuid: referrals[0].uuid })))
  expect(statuses).toEqual([(await client.referrals.retrieve(referrals[0].uuid)).status])
})

it('context.retrieve() rejects without the option client, and for an event without a uuid', async () => {
  const handler = (_: unknown, { retrieve }: { retrieve: () => unknown }) => retrieve()
  const issued = parseWebhookEvent(named('referral.issued'))
  await expect(receiverOf({ '*': handler }).dispatch(issued)).rejects.toMatchObject({
    name: 'ConfigurationError',
    message: expect.stringContaining('requires the option client'),
  })
  const client = recordClient()
  for (const data of [{}, { uuid: 7 }]) {
    const event = parseWebhookEvent(named('result.complete', data))
    await expect(receiverOf({ '*': handler }, client).dispatch(event)).rejects.toMatchObject({
      code: 'WEBHOOK_EVENT_WITHOUT_UUID',
    })
  }
  expect(client.results.retrieve).not.toHaveBeenCalled()
})

it.each([null, 7, {}, { referrals: { retrieve: () => 1 } }, { referrals: {}, results: {} }])(
  'a receiver rejects the client %j',
  (client) => {
    expect(() => receiverOf({ '*': () => undefined }, client)).toThrow(
      'client must have the functions referrals.retrieve and results.retrieve',
    )
  },
)

it('an event goes to its own handler, otherwise to that of its kind, otherwise to * (§6)', async () => {
  const calls: string[] = []
  const on = Object.fromEntries(
    ['result.complete', 'result.*', 'referral.*', '*'].map((name) => [name, () => calls.push(name)]),
  )
  const receiver = receiverOf(on)
  const names = ['result.complete', 'result.created', 'result.amended', 'referral.issued', 'results.created']
  for (const name of [...names, 'collection_centres.updated']) await receiver.receive(deliveryOf(named(name)))
  expect(calls).toEqual(['result.complete', 'result.*', 'result.*', 'referral.*', '*', '*'])
})

function warnings(): readonly string[] {
  const lines: string[] = []
  const spy = vi.spyOn(process, 'emitWarning').mockImplementation((line) => void lines.push(String(line)))
  onTestFinished(() => spy.mockRestore())
  return lines
}

const forged = () => ({ ...deliveryOf(), headers: { 'x-svc-hmac-sha256': '0'.repeat(64) } })

it('a secret that does not match causes one warning without logger and onError (§6)', async () => {
  const lines = warnings()
  const receiver = receiverOf({ '*': () => undefined })
  for (let count = 0; count < 3; count += 1)
    expect(await receiver.receive(forged())).toMatchObject({ status: 401 })
  expect(lines).toEqual([expect.stringMatching(/signature does not match\. Check that the secret/)])
})

it('other rejected deliveries cause no warning, and with a logger or onError no delivery does (§6)', async () => {
  const lines = warnings()
  await receiverOf({ '*': () => undefined }).receive({ ...deliveryOf(), headers: {} })
  const silent: Partial<WebhookReceiverOptions>[] = [{ logger: {} }, { onError: () => undefined }]
  for (const rest of silent) await receiverOf({ '*': () => undefined }, undefined, rest).receive(forged())
  expect(lines).toEqual([])
})

async function lineOf(thrown: unknown): Promise<string> {
  const error = vi.fn()
  const receiver = receiverOf(
    {
      '*': () => {
        throw thrown
      },
    },
    undefined,
    { logger: { error } },
  )
  await receiver.receive(deliveryOf())
  return String(error.mock.calls[0]?.[0])
}

it('the log line of a failed handler has the name and the line of the error, and not its message', async () => {
  const line = await lineOf(new TypeError(`no row for ${CANARIES.lastName}`))
  expect(line).toMatch(/: TypeError at .*current-record\.test\.ts:\d+:\d+\)?; set onError to get the error$/)
  expect(canariesIn(line)).toEqual([])
})

it.each(Object.values(CANARIES))(
  'the log line of a failed handler does not show value %# of a message, its lines or a stack',
  async (canary) => {
    const lines = `x\n    at ${canary} (/${canary}.js:1:1)\n    at /${canary}.js:1:1`
    const changed = new Error('before')
    changed.message = canary
    const madeUp = Object.assign(new Error('x'), { stack: `Error: x ${canary}\n    at ${canary}` })
    const other = Object.assign(new Error('x'), { stack: 7 })
    for (const error of [new Error(lines), changed, madeUp, other, canary, { message: canary }])
      expect(canariesIn(await lineOf(error))).toEqual([])
  },
)

it('the log line of an error whose message was replaced shows no source line', async () => {
  const error = new Error('before\n    at x (/secret.js:1:1)')
  expect(error.stack).toContain('before')
  error.message = 'after'
  expect(await lineOf(error)).toMatch(/: Error; set onError/)
})
