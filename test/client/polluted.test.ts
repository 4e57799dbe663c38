import { type ClientOptions, PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { createWebhookReceiver, memoryDedupeStore, signWebhook } from 'pathology-sdk/webhooks'
import { beforeAll, describe, expect, it } from 'vitest'
import { order } from '../support/samples.js'

const throwing = (): never => {
  throw new Error('polluted')
}

/** Names of options, and values that would have an effect if they were read from `Object.prototype`. */
const POLLUTION: Readonly<Record<string, unknown>> = {
  baseUrl: 'http://127.0.0.1:1',
  authUrl: 'http://127.0.0.1:1',
  clientId: 'polluted',
  clientSecret: 'polluted',
  apiVersion: '9.9.9',
  clientAuthentication: 'body',
  timeout: 1,
  maxRetries: 'x',
  maxSockets: 0,
  maxRequestBytes: 1,
  maxResponseBytes: 1,
  proxy: 'x',
  maxDocumentBytes: 1,
  documentHosts: 7,
  orderRecoveryTimeout: -1,
  responseValidation: 'none',
  tokenStore: {},
  tokenLock: {},
  dispatcher: { dispatch: throwing },
  fetch: throwing,
  logger: { warn: throwing },
  appInfo: { name: 'polluted' },
  clock: { now: throwing },
  random: 7,
  signal: AbortSignal.abort(),
  headers: { 'x-polluted': '1' },
  cursor: 'polluted',
  flag: 'polluted',
  prefetch: true,
  dedupe: false,
  skipDuplicates: true,
  onProgress: 7,
  orderKey: 'polluted',
  since: 'polluted',
  lookupTimeout: -1,
  status: 'POLLUTED',
  until: throwing,
  interval: -1,
  partial: true,
  limit: 0,
  sort: 'polluted',
  count: -1,
  enqueue: throwing,
  dedupeTtl: -1,
  maxBodyBytes: 1,
  onUnknown: throwing,
  onError: throwing,
  previousFailures: 7,
  max: -1,
  ttl: -1,
  port: 'polluted',
  host: '192.0.2.1',
  seed: 7,
  startTime: 'polluted',
  environment: 'production',
  times: 7,
  nth: 7,
  probability: 0,
  retryAfter: 'polluted',
  days: 7,
}

/** Runs while every object inherits a property. */
async function whilePolluted<T>(name: string, run: () => Promise<T>): Promise<T> {
  Object.defineProperty(Object.prototype, name, {
    value: POLLUTION[name],
    configurable: true,
    writable: true,
  })
  try {
    return await run()
  } finally {
    Reflect.deleteProperty(Object.prototype, name)
  }
}

/** Visible behaviour of a client, a receiver and the fake. */
async function everything(options: ClientOptions = {}): Promise<unknown> {
  const fake = new FakePathologyService({ seed: 1, startTime: '2026-03-02T00:00:00Z', centreCount: 30 })
  const client = new PathologyClient({ ...fake.clientOptions(), ...options })
  const seen: unknown[] = []
  try {
    const { referrals } = await client.referrals.create(order({ tests: ['tsh'] }), { orderKey: 'key-1' })
    const { uuid } = referrals[0]
    seen.push(await client.referrals.waitFor(uuid, { status: 'ISSUED' }))
    seen.push(await client.referrals.findByReferenceNumber('ref-77').toArray())
    seen.push((await client.referrals.findByOrderKey('key-1'))?.recovered)
    seen.push(await client.referrals.list({ count: 5 }).toArray({ limit: 12 }))
    seen.push((await client.centres.list({}, {}).firstPage()).items.length)
    seen.push((await client.referrals.document(uuid).bytes()).byteLength)
    seen.push(await client.referrals.generateResults(uuid))
    fake.faults.next('GET /v1/results', { status: 503 })
    seen.push((await client.results.list().firstPage()).items.length)
    seen.push(await received())
    seen.push(fake.requests.map(({ method, path, status }) => [method, path, status]))
  } finally {
    await client.close()
    await fake.close()
  }
  return seen
}

async function received(): Promise<unknown> {
  const handled: string[] = []
  const secret = 'signing-secret'
  const receiver = createWebhookReceiver({
    secret,
    dedupe: memoryDedupeStore(),
    on: {
      '*': ({ eventUuid }, { previousFailures: failures }) => void handled.push(`${eventUuid} ${failures}`),
    },
  })
  const event = {
    eventName: 'referral.issued',
    eventUuid: 'one',
    version: '1.0',
    data: { uuid: 'u' },
  } as const
  const body = JSON.stringify(event)
  const headers = { 'x-svc-hmac-sha256': await signWebhook(body, secret) }
  const responses = [await receiver.receive({ method: 'POST', headers, body })]
  responses.push(await receiver.receive({ method: 'POST', headers: {}, body }))
  await receiver.dispatch(event)
  return [handled, responses]
}

describe('options are own properties: a polluted Object.prototype does not set an option', () => {
  const names = Object.keys(POLLUTION)

  let expected: unknown
  beforeAll(async () => {
    expected = await everything()
  })

  it.each(names)('Object.prototype.%s', async (name) => {
    // Retries without a pause, except in the test of that option.
    const options = name === 'random' ? {} : { random: () => 0 }
    expect(await whilePolluted(name, () => everything(options))).toEqual(expected)
  })

  it('a required option that only Object.prototype has counts as missing', async () => {
    await whilePolluted('clientSecret', async () => {
      expect(
        () =>
          new PathologyClient({ baseUrl: 'https://a.example', authUrl: 'https://a.example', clientId: 'a' }),
      ).toThrow('clientSecret is required')
    })
  })

  it('an instance of a class does not inherit an option of Object.prototype', async () => {
    class Options {
      readonly since = '2026-03-01T00:00:00Z'
    }
    const fake = new FakePathologyService({ startTime: '2026-03-02T00:00:00Z' })
    const client = new PathologyClient(fake.clientOptions())
    await whilePolluted('lookupTimeout', async () => {
      expect(await client.referrals.findByOrderKey('key-1', new Options())).toBeUndefined()
      const options = Object.assign(new Options(), { orderKey: 'key-1' })
      expect(await client.referrals.create(order({ tests: ['tsh'] }), options)).toHaveProperty(
        'recovered',
        false,
      )
    })
    await client.close()
    await fake.close()
  })
})
