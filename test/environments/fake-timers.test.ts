import { PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { order } from '../support/samples.js'

interface Case {
  /** Runs before the timers are fake. */
  readonly prepare?: (fake: FakePathologyService) => unknown
  readonly call: (client: PathologyClient, uuid: string) => Promise<unknown>
  readonly outcome: unknown
}

const ORDER = order({ tests: ['ferritin'] })
const isRecovered = ({ recovered }: { recovered: boolean }) => recovered
const vendors = async (client: PathologyClient) => (await client.vendors.list().toArray()).length

const CASES: Readonly<Record<string, Case>> = {
  'a referral is read': {
    call: async (client, uuid) => (await client.referrals.retrieve(uuid)).status,
    outcome: 'ISSUED',
  },
  'all centres are read': {
    call: async (client) => (await client.centres.list({ count: 10_000 }).toArray()).length,
    outcome: 5_900,
  },
  'an order is placed': {
    call: async (client) => isRecovered(await client.referrals.create(ORDER)),
    outcome: false,
  },
  'an order with a key is placed': {
    call: async (client) => isRecovered(await client.referrals.create(ORDER, { orderKey: 'job-1' })),
    outcome: false,
  },
  'a lost order is found': {
    prepare: (fake) => fake.faults.next('POST /v1/referrals', { loseResponse: true }),
    call: async (client) => isRecovered(await client.referrals.create(ORDER)),
    outcome: true,
  },
  'a 503 is retried': {
    prepare: (fake) => fake.faults.next('GET /v1/vendors', { status: 503 }),
    call: vendors,
    outcome: 4,
  },
  'a 429 is waited for': {
    prepare: (fake) => fake.faults.next('GET /v1/vendors', { status: 429, retryAfter: 5 }),
    call: vendors,
    outcome: 4,
  },
  'a response that never comes is a TimeoutError': {
    prepare: (fake) => fake.faults.next('GET /v1/vendors', { stall: 'headers' }),
    call: async (client) => vendors(client).catch(({ name }) => name),
    outcome: 'TimeoutError',
  },
  'a PDF is read': {
    call: async (client, uuid) => (await client.referrals.document(uuid).bytes()).subarray(0, 4).toString(),
    outcome: '37,80,68,70',
  },
  'an expired token is renewed': {
    prepare: (fake) => fake.clock.advance({ hours: 2 }),
    call: vendors,
    outcome: 4,
  },
}

/** Each moves the fake time by 120 s, which no call takes. */
const STEPS: Readonly<Record<string, () => Promise<unknown>>> = {
  'one large step': () => vi.advanceTimersByTimeAsync(120_000),
  'many small steps': async () => {
    for (let step = 0; step < 1_200; step += 1) await vi.advanceTimersByTimeAsync(100)
  },
}

let fake: FakePathologyService
let client: PathologyClient
let uuid: string

beforeEach(async () => {
  fake = new FakePathologyService({ seedReferrals: 0 })
  client = new PathologyClient({ ...fake.clientOptions(), dispatcher: undefined, fetch: fake.fetch })
  uuid = (await client.referrals.create(ORDER)).referrals[0].uuid
  await client.referrals.waitFor(uuid, { status: 'ISSUED' })
  await client.warmUp()
})

afterEach(async () => {
  vi.useRealTimers()
  await client.close()
  await fake.close()
})

for (const [title, { prepare, call, outcome }] of Object.entries(CASES))
  it.each(Object.keys(STEPS))(`with fake timers and fake.fetch, ${title} in %s`, async (steps) => {
    await prepare?.(fake)
    vi.useFakeTimers()
    const results: unknown[] = []
    void call(client, uuid).then(
      (result) => results.push(result),
      (error: unknown) => results.push(error),
    )
    await STEPS[steps]?.()
    expect(results).toEqual([outcome])
  })
