import { PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { rejection } from '../../support/clients.js'
import { order, UUID } from '../../support/samples.js'

let fake: FakePathologyService
let client: PathologyClient

beforeEach(() => {
  fake = new FakePathologyService({ centreCount: 10 })
  client = new PathologyClient({ ...fake.clientOptions(), maxRetries: 0, orderRecoveryTimeout: 0 })
})

afterEach(() => fake.close())

const calls: Record<string, () => Promise<unknown>> = {
  call: async () => await client.referrals.retrieve(UUID),
  'composite call': async () => await client.referrals.create(order({ tests: ['no-such-test'] })),
  'broken order with a key': async () =>
    await client.referrals.create(order({ email: 'no-address' }), { orderKey: 'booking-1' }),
  wait: async () => await client.referrals.waitFor(UUID, { status: 'ISSUED' }),
  document: async () => await client.referrals.document(UUID).bytes(),
  page: async () => await client.referrals.list({ cursor: 'no-cursor' }).firstPage(),
  list: async () => await client.referrals.list({ cursor: 'no-cursor' }).toArray(),
  iteration: async () => {
    for await (const referral of client.referrals.list({ cursor: 'no-cursor' })) return referral
    return undefined
  },
  'raw request': async () => await client.request('GET', '/v1/elsewhere'),
  'time limit': async () => {
    fake.faults.next('GET /v1/vendors', { stall: 'headers' })
    return await client.vendors.list({}, { timeout: 20 }).toArray()
  },
  'lost order': async () => {
    fake.faults.next('POST /v1/referrals', { loseResponse: true })
    fake.faults.next('GET /v1/referrals', { status: 503 })
    return await client.referrals.create(order())
  },
  token: async () => {
    const wrong = new PathologyClient({ ...fake.clientOptions(), clientSecret: 'not-it' })
    return await wrong.vendors.list().toArray()
  },
}

it.each(Object.keys(calls))(
  'the stack trace of the error of a %s contains the line of the caller',
  async (name) => {
    async function caller(): Promise<unknown> {
      return await calls[name]?.()
    }
    // The first call loads modules.
    await client.warmUp()
    const error = await rejection(caller())
    expect(error).toMatchObject({ stack: expect.stringContaining('stack-trace.test.ts') })
  },
)

it('the stack trace of the reason of an abort stays as it is', async () => {
  const reason = new Error('the user left')
  const { stack } = reason
  fake.faults.next('GET /v1/vendors', { stall: 'headers' })
  const abort = new AbortController()
  const listed = client.vendors.list({}, { signal: abort.signal }).toArray()
  setTimeout(() => abort.abort(reason), 20)
  expect(await rejection(listed)).toBe(reason)
  expect(reason.stack).toBe(stack)
})
