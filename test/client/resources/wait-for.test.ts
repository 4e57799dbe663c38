import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { referral, UUID } from '../../support/samples.js'
import { type Script, ScriptedServer } from '../../support/scripted-server.js'
import { SkippingClock } from '../../support/skipping-clock.js'

const REFERRAL = `GET /v1/referrals/${UUID}`
const showing = (...statuses: string[]): Script[] =>
  statuses.map((status) => ({ json: referral({ uuid: UUID, status }) }))

async function setUp(replies: readonly Script[]) {
  const service = await ScriptedServer.start()
  service.on(REFERRAL, ...replies)
  const clock = new SkippingClock({ skip: (delayMs) => delayMs < 30_000 })
  return { service, clock, client: clientOf(service.origin, { clock }) }
}

it('referrals.waitFor reads until the status is reached, at growing intervals', async () => {
  const { service, clock, client } = await setUp(showing('CREATED', 'CREATED', 'CREATED', 'ISSUED'))
  const issued = await client.referrals.waitFor(UUID, { status: 'ISSUED' })
  expect(issued.status).toBe('ISSUED')
  expect(service.count(REFERRAL)).toBe(4)
  expect(clock.slept).toEqual([500, 750, 1_125])
})

it.each([
  { interval: 25_000, slept: [25_000, 30_000, 30_000] },
  { interval: 40_000, slept: [40_000, 40_000, 40_000] },
])(
  'referrals.waitFor has an interval of $interval ms that grows up to 30 seconds, and never becomes shorter',
  async (row) => {
    const service = await ScriptedServer.start()
    service.on(REFERRAL, ...showing('CREATED', 'CREATED', 'CREATED', 'CREATED', 'ISSUED'))
    // The time limits of the token request and of the calls do not end at once, but the pauses between the reads do.
    let limitMs = 30_000
    const clock = new SkippingClock({ skip: (delayMs) => delayMs < limitMs })
    const client = clientOf(service.origin, { clock, timeout: 120_000 })
    await client.referrals.retrieve(UUID)
    limitMs = 120_000
    await client.referrals.waitFor(UUID, { status: 'ISSUED', interval: row.interval, timeout: 600_000 })
    expect(clock.slept).toEqual(row.slept)
  },
)

it.each([0, 1, 99])(
  'referrals.waitFor has an interval of %i ms that counts as 100 ms, and grows',
  async (interval) => {
    const { clock, client } = await setUp(showing('CREATED', 'CREATED', 'CREATED', 'ISSUED'))
    await client.referrals.waitFor(UUID, { status: 'ISSUED', interval })
    expect(clock.slept).toEqual([100, 150, 225])
  },
)

it('referrals.waitFor ends with any of several statuses, or when until returns true', async () => {
  const { client } = await setUp(showing('CREATED', 'BILLING_FAILED'))
  await expect(
    client.referrals.waitFor(UUID, { status: ['ISSUED', 'BILLING_FAILED'] }),
  ).resolves.toMatchObject({
    status: 'BILLING_FAILED',
  })
  await expect(client.referrals.waitFor(UUID, { until: ({ uuid }) => uuid === UUID })).resolves.toBeDefined()
})

it.each(['BILLING_FAILED', 'FAILED_TEST'])(
  'referrals.waitFor rejects with the status of a failed referral, when it waits for ISSUED or results: %s (§3.1)',
  async (status) => {
    for (const asked of [['ISSUED'], ['PARTIAL_RESULTS', 'COMPLETE'], ['COMPLETE']]) {
      const { service, client } = await setUp(showing('CREATED', status))
      const error = await rejection(client.referrals.waitFor(UUID, { status: asked }))
      expect(error).toMatchObject({
        name: 'ReferralFailedError',
        code: 'REFERRAL_FAILED',
        status,
        outcome: 'failed',
        attempts: 2,
        retryable: false,
      })
      expect(String(error)).toContain(status)
      expect(service.count(REFERRAL)).toBe(2)
    }
  },
)

it('referrals.waitFor rejects with the time of the deletion when the referral was deleted (§4.1)', async () => {
  const deletedAt = '2026-05-04T10:00:00.000Z'
  const { client } = await setUp([{ json: referral({ uuid: UUID, status: 'CREATED', deletedAt }) }])
  const error = await rejection(client.referrals.waitFor(UUID, { status: 'ISSUED' }))
  expect(error).toMatchObject({ name: 'ReferralFailedError', status: 'CREATED', deletedAt })
})

it.each(['', null])(
  'referrals.waitFor continues with a deletedAt of %j, which is not a deletion (§2.4)',
  async (deletedAt) => {
    const { client } = await setUp([
      { json: referral({ uuid: UUID, status: 'CREATED', deletedAt }) },
      { json: referral({ uuid: UUID, status: 'ISSUED', deletedAt }) },
    ])
    await expect(client.referrals.waitFor(UUID, { status: 'ISSUED' })).resolves.toMatchObject({ deletedAt })
  },
)

it('referrals.waitFor does not end with a failed referral when it waits for another status, or with until', async () => {
  const failed = await setUp(showing('BILLING_FAILED', 'REFUNDED'))
  await expect(failed.client.referrals.waitFor(UUID, { status: 'REFUNDED' })).resolves.toBeDefined()
  const until = await setUp(showing('FAILED_TEST', 'CREATED'))
  const isCreated = ({ status }: { status: string }): boolean => status === 'CREATED'
  await expect(
    until.client.referrals.waitFor(UUID, { status: 'ISSUED', until: isCreated }),
  ).resolves.toMatchObject({ status: 'CREATED' })
})

it('referrals.waitFor has an error that counts the reads, including the one that it interrupts, and names the last status', async () => {
  const { service } = await setUp([...showing('CREATED', 'CREATED'), { hang: 'before' }])
  const clock = new SkippingClock({ skip: (delayMs) => delayMs < 1_000 })
  const client = clientOf(service.origin, { clock, timeout: 90_000 })
  const pending = rejection(client.referrals.waitFor(UUID, { status: 'ISSUED', timeout: 50_000 }))
  await expect.poll(() => service.count(REFERRAL)).toBe(3)
  clock.advance(50_000)
  expect(await pending).toMatchObject({ outcome: 'failed', attempts: 3, timeout: 50_000 })
  expect(String(await pending)).toContain('its status is CREATED')
})

it('referrals.waitFor sends nothing with a time limit of zero, and the error says so', async () => {
  const { service, client } = await setUp(showing('ISSUED'))
  const error = await rejection(client.referrals.waitFor(UUID, { status: 'ISSUED', timeout: 0 }))
  expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'not-sent', attempts: 0, timeout: 0 })
  expect(String(error)).toContain('within 0 ms: its status is unknown')
  expect(service.requests).toHaveLength(0)
})

it.each(['a connection', 'its token'])(
  'referrals.waitFor has sent nothing when its time limit expires while it waits for %s',
  async (what) => {
    const { service } = await setUp(showing('ISSUED'))
    const clock = new SkippingClock({ skip: () => false })
    const client = clientOf(service.origin, { clock, maxSockets: 1, timeout: 90_000 })
    service.on('GET /v1/referrals', { hang: 'before' })
    if (what === 'its token') service.on('POST /oauth/token', { hang: 'before' })
    if (what === 'a connection') {
      void rejection(client.referrals.list().toArray())
      await expect.poll(() => service.count('GET /v1/referrals')).toBe(1)
    }
    const pending = rejection(client.referrals.waitFor(UUID, { status: 'ISSUED', timeout: 40_000 }))
    await expect.poll(() => clock.pending).toBeGreaterThan(1)
    await new Promise((resolve) => setTimeout(resolve, 50))
    clock.advance(40_000)
    expect(await pending).toMatchObject({ name: 'TimeoutError', outcome: 'not-sent' })
    expect(service.count(REFERRAL)).toBe(0)
    clock.advance(90_000)
  },
)

it.each([
  ['Alex Example', 'its status is unknown to this version of pathology-sdk'],
  ['x'.repeat(99), 'its status is unknown to this version of pathology-sdk'],
  [null, 'its status is unknown'],
])('referrals.waitFor does not repeat an invalid status, %j, in the message', async (status, words) => {
  const { client } = await setUp([{ json: referral({ uuid: UUID, status: status as string }) }])
  const error = await rejection(client.referrals.waitFor(UUID, { status: 'ISSUED', timeout: 60_000 }))
  expect(String(error)).toBe(
    `TimeoutError: the referral did not reach the expected state within 60000 ms: ${words}; nothing was changed; read the referral again later, or set a longer timeout`,
  )
})

it('referrals.waitFor ends with the error of a read whose own time limit is shorter', async () => {
  const { service } = await setUp([{ hang: 'before' }])
  const clock = new SkippingClock({ skip: () => false })
  const client = clientOf(service.origin, { clock, timeout: 5_000 })
  const pending = rejection(client.referrals.waitFor(UUID, { status: 'ISSUED', timeout: 60_000 }))
  await expect.poll(() => service.count(REFERRAL)).toBe(1)
  clock.advance(5_000)
  expect(await pending).toMatchObject({ name: 'TimeoutError', timeout: 5_000, outcome: 'failed' })
})

it('referrals.waitFor ends with an error of a read, or of until', async () => {
  const { client } = await setUp([{ status: 404 }])
  await expect(client.referrals.waitFor(UUID, { status: 'ISSUED' })).rejects.toMatchObject({
    name: 'NotFoundError',
  })
  const thrown = new Error('mine')
  const other = await setUp(showing('CREATED'))
  const until = () => {
    throw thrown
  }
  expect(await rejection(other.client.referrals.waitFor(UUID, { until }))).toBe(thrown)
})

it.each<[string, () => unknown]>([
  ['a promise', () => Promise.reject(new Error('nobody hears of it'))],
  ['a promise of another realm', () => runInNewContext('Promise.resolve(false)')],
])('referrals.waitFor rejects an until that returns %s, because every promise is true', async (_, until) => {
  const { client } = await setUp(showing('CREATED'))
  expect(await rejection(client.referrals.waitFor(UUID, { until } as never))).toMatchObject({
    name: 'ConfigurationError',
    message: 'until must return true or false, not a promise',
  })
})

it.each([
  [{}, 'InvalidRequestError'],
  [{ status: 'ISSUED', timeout: -1 }, 'ConfigurationError'],
  [{ status: 'ISSUED', interval: Number.NaN }, 'ConfigurationError'],
] as const)('referrals.waitFor rejects %j before any read', async (options, name) => {
  const { service, client, clock } = await setUp(showing('ISSUED'))
  expect(await rejection(client.referrals.waitFor(UUID, options))).toMatchObject({ name })
  expect(service.requests).toHaveLength(0)
  expect(clock.pending).toBe(0)
})
