import { ORDER_KEY_FIELD, OrderOutcomeUnknownError, PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { medicareOrder, order } from '../../support/samples.js'
import { error, POST, setUp } from './order-world.js'

const KEY = 'job-77'
const LIST = 'GET /v1/referrals'
const HOUR = 3_600_000
const withKey = { metadata: { [ORDER_KEY_FIELD]: KEY } }

describe('§4.1 an order is looked up by its key, without ordering', () => {
  it('after a restart: the saved data of the error is enough', async () => {
    const fake = await FakePathologyService.start({ port: 0, centreCount: 1, seedReferrals: 0 })
    const hasty = new PathologyClient({ ...fake.clientOptions(), orderRecoveryTimeout: 0, maxRetries: 0 })
    const client = new PathologyClient(fake.clientOptions())
    onTestFinished(async () => {
      await Promise.all([hasty.close(), client.close()])
      await fake.close()
    })
    fake.faults.next(POST, { loseResponse: true })
    fake.faults.next(LIST, { status: 503 })
    const lost = await rejection(hasty.referrals.create(order({ tests: ['tsh'] })))
    if (!(lost instanceof OrderOutcomeUnknownError)) throw lost
    const found = await client.referrals.findByOrderKey(lost.orderKey ?? '', { since: lost.startedAt })
    const referrals = fake.referrals.all()
    expect(found).toMatchObject({ recovered: true, orderKey: lost.orderKey, medicare: undefined })
    expect(found?.commercial?.uuid).toBe(referrals[0]?.uuid)
    expect(await client.referrals.findByOrderKey('another key')).toBeUndefined()
    expect(fake.referrals.all()).toHaveLength(1)
  })

  it('no order, a part of it, or all of it: returned as the service shows it, in one lookup', async () => {
    const { client, book, server, clock } = await setUp()
    expect(await client.referrals.findByOrderKey(KEY)).toBeUndefined()
    const [commercial, medicare] = book.place(medicareOrder(withKey))
    book.referrals.pop()
    expect(await client.referrals.findByOrderKey(KEY)).toEqual({
      referrals: [commercial],
      commercial,
      medicare: undefined,
      recovered: true,
      orderKey: KEY,
    })
    if (medicare !== undefined) book.referrals.push(medicare)
    expect(await client.referrals.findByOrderKey(KEY)).toMatchObject({ commercial, medicare })
    expect(server.calls.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET'])
    expect(clock.slept).toEqual([])
  })

  it.each([
    ['23 hours ago', 23, undefined, true],
    ['25 hours ago', 25, undefined, false],
    ['25 hours ago, with since', 25, 26, true],
    ['ten minutes before since', 1, 1 - 1 / 6, true],
    ['an hour before since', 3, 2, false],
  ])('placed %s', async (_, hours, since, isFound) => {
    const { client, book } = await setUp()
    const ago = (given: number): Date => new Date(Date.now() - given * HOUR)
    book.place(order(withKey), ago(hours))
    const options = since === undefined ? {} : { since: ago(since).toISOString() }
    expect((await client.referrals.findByOrderKey(KEY, options)) !== undefined).toBe(isFound)
  })

  it('the lookup fails, or does not end in time: an error, and not `undefined`', async () => {
    const { client, server, clock } = await setUp()
    server.on(LIST, error(500))
    expect(await rejection(client.referrals.findByOrderKey(KEY))).toMatchObject({
      name: 'OrderOutcomeUnknownError',
      outcome: 'unknown',
      attempts: 0,
      orderKey: KEY,
      cause: { name: 'ServerError', status: 500 },
    })
    server.on(LIST, { hang: 'before' })
    const pending = rejection(client.referrals.findByOrderKey(KEY, { timeout: 10_000 }))
    await expect.poll(() => server.count(LIST)).toBe(1)
    clock.advance(10_000)
    expect(await pending).toMatchObject({
      name: 'OrderOutcomeUnknownError',
      outcome: 'unknown',
      attempts: 0,
      cause: {
        name: 'TimeoutError',
        outcome: 'unknown',
        timeout: 10_000,
        message: expect.stringContaining('reading the newest referrals did not end within 10000 ms'),
      },
    })
    expect(clock.pending).toBe(0)
  })

  it('an abort ends it, and a signal that is aborted already sends nothing', async () => {
    const { server } = await setUp()
    server.on(LIST, { hang: 'before' })
    const client = clientOf(server.origin)
    const reason = new Error('the user went away')
    const ended = { signal: AbortSignal.abort(reason) }
    expect(await rejection(client.referrals.findByOrderKey(KEY, ended))).toBe(reason)
    expect(server.requests).toHaveLength(0)
    const abort = new AbortController()
    const pending = rejection(client.referrals.findByOrderKey(KEY, { signal: abort.signal }))
    await expect.poll(() => server.count(LIST)).toBe(1)
    abort.abort(reason)
    expect(await pending).toBe(reason)
  })

  it('an invalid argument is reported, and nothing is sent', async () => {
    const { client, server } = await setUp()
    const findByOrderKey: typeof client.referrals.findByOrderKey = (key, options) =>
      client.referrals.findByOrderKey(key, options)
    for (const key of ['', ' ', undefined, false, 7, 'key-\ud83d']) {
      expect(await rejection(findByOrderKey(key as string))).toMatchObject({
        name: 'InvalidRequestError',
        message: expect.stringMatching(
          /^referrals\.findByOrderKey: .*orderKey must be text with at least one character/,
        ),
        issues: [{ field: 'orderKey' }],
      })
    }
    for (const [options, told] of [
      [{ since: 'yesterday' }, 'since must be a Date or an ISO 8601 time'],
      [{ since: 1_772_000_000_000 }, 'since must be a Date or an ISO 8601 time'],
      [{ lookupTimeout: 1 }, 'lookupTimeout is not an option of referrals.findByOrderKey'],
      [{ timeout: -1 }, 'timeout must be a number of milliseconds, 0 or more'],
      [{ apiVersion: '2.0.0' }, 'apiVersion'],
    ] as const) {
      const refused = await rejection(findByOrderKey(KEY, options as never))
      expect(refused).toMatchObject({ name: 'ConfigurationError', message: expect.stringContaining(told) })
    }
    expect(server.requests).toHaveLength(0)
  })
})
