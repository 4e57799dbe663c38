import type { PathologyClient } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { clientOf, rejection } from '../support/clients.js'
import { order, page, UUID } from '../support/samples.js'
import { type Script, ScriptedServer } from '../support/scripted-server.js'
import { good, limited, REFERRAL } from './rate-limit-world.js'

describe('a 429 while the service accepts other calls (§8)', () => {
  const PLACE = 'POST /v1/referrals'
  const LIST = 'GET /v1/webhooks'

  /** A client that makes a list call every 100 ms, which the service accepts. */
  async function crowded(
    route: string,
    replies: readonly Script[],
    run: (client: PathologyClient) => Promise<unknown>,
  ) {
    const service = await ScriptedServer.start()
    service.on(route, ...replies).on(LIST, { json: page('webhooks', []) })
    const client = clientOf(service.origin, { clock: undefined })
    const ended = run(client).finally(() => clearInterval(timer))
    const timer = setInterval(
      () =>
        void client.webhooks
          .list()
          .firstPage()
          .catch(() => undefined),
      100,
    )
    return { ended: await ended.catch((error: unknown) => error), service }
  }

  it('a read waits for another turn, and such a 429 does not count as a retry', async () => {
    const replies = [limited(), limited(), limited(), limited(), good]
    const { ended } = await crowded(REFERRAL, replies, (client) =>
      client.referrals.retrieve(UUID).withResponse(),
    )
    expect(ended).toMatchObject({ response: { attempts: 5 } })
  })

  it('an endpoint that always responds with 429 ends in a RateLimitError', async () => {
    const { ended, service } = await crowded(REFERRAL, [limited()], (client) =>
      client.referrals.retrieve(UUID),
    )
    expect(ended).toMatchObject({ name: 'RateLimitError', outcome: 'refused' })
    expect(service.count(REFERRAL)).toBeLessThanOrEqual(6)
  })

  it('a read without retries fails at the first 429', async () => {
    const { ended, service } = await crowded(REFERRAL, [limited(), limited(), good], async (client) => {
      await rejection(client.referrals.retrieve(UUID, { maxRetries: 0 }))
      return client.referrals.retrieve(UUID, { maxRetries: 0 })
    })
    expect(ended).toMatchObject({ name: 'RateLimitError', attempts: 1 })
    expect(service.count(REFERRAL)).toBe(2)
  })

  it('an order is sent three times at most', async () => {
    const { ended, service } = await crowded(PLACE, [limited()], (client) => client.referrals.create(order()))
    expect(ended).toMatchObject({ name: 'RateLimitError', outcome: 'refused', attempts: 3 })
    expect(service.count(PLACE)).toBe(3)
  })
})
