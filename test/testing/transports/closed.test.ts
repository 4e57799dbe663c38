import { setTimeout as sleep } from 'node:timers/promises'
import { setupServer } from 'msw/node'
import { PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { authorised, createFake, ORDER } from '../support.js'

const HOOK = 'https://hooks.integrator.example/'
const CLOSED = { message: 'the fake is closed', code: 'ECONNREFUSED' }

/** Number of timers that keep the process running. */
const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

describe('a closed fake', () => {
  it('a closed fake rejects requests of a client in the same process like a closed port', async () => {
    const fake = createFake()
    await fake.close()
    const client = new PathologyClient({ ...fake.clientOptions(), maxRetries: 0 })
    await expect(client.vendors.list().firstPage()).rejects.toMatchObject({
      name: 'ConnectionError',
      reason: 'refused',
      outcome: 'not-sent',
    })
    expect(fake.requests).toHaveLength(0)
  })

  it('a closed fake rejects requests through its fetch, and through MSW without a cause', async () => {
    const fake = createFake()
    await fake.close()
    const url = `${fake.baseUrl}/v1/vendors`
    await expect(fake.fetch(url)).rejects.toMatchObject({ name: 'TypeError', cause: CLOSED })
    const server = setupServer(...fake.handlers())
    server.listen({ onUnhandledRequest: 'error' })
    onTestFinished(() => server.close())
    await expect(fetch(url)).rejects.toMatchObject({ name: 'TypeError' })
  })

  it('a closed fake does not carry out a request whose body arrives after the end', async () => {
    const fake = createFake()
    const headers = { ...(await authorised(fake)), 'content-type': 'application/json' }
    const before = JSON.stringify(fake.snapshot())
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await sleep(20)
        controller.enqueue(
          new TextEncoder().encode(JSON.stringify({ url: HOOK, events: ['referral.issued'] })),
        )
        controller.close()
      },
    })
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' }
    const request = fake.fetch(`${fake.baseUrl}/v1/webhooks`, init)
    const ended = expect(request).rejects.toMatchObject({ cause: CLOSED })
    await fake.close()
    await ended
    expect(JSON.stringify(fake.snapshot())).toBe(before)
  })

  it('closing ends a request that waits for its response, as the end of a connection does', async () => {
    const fake = createFake({ orderLatencyMs: 1_000, seedReferrals: 0 })
    const headers = { ...(await authorised(fake)), 'content-type': 'application/json' }
    const order = { method: 'POST', headers, body: JSON.stringify(ORDER) } as const
    const ended = expect(fake.fetch(`${fake.baseUrl}/v1/referrals`, order)).rejects.toMatchObject({
      message: 'fetch failed',
      cause: { code: 'UND_ERR_SOCKET' },
    })
    await sleep(20)
    await fake.close()
    await ended
    expect(fake.referrals.all()).toEqual([])
  })

  it('closing ends an attempt whose receiver in the process does not respond', async () => {
    const fake = createFake()
    let signal: AbortSignal | undefined
    fake.deliverTo(HOOK, (request) => {
      signal = request.signal
      return new Promise(() => undefined)
    })
    fake.webhooks.createInPortal({ url: HOOK })
    const before = timers()
    fake.trigger('referral.issued')
    await fake.close()
    const tooLate = sleep(1_000, 'too late', { ref: false })
    expect(await Promise.race([fake.settled(), tooLate])).toBeUndefined()
    expect(timers()).toBeLessThanOrEqual(before)
    expect(signal?.aborted).toBe(true)
  })

  it('a closed fake sends no delivery, and runs no job whose time has come', async () => {
    const fake = new FakePathologyService({ seedReferrals: 0 })
    let received = 0
    fake.deliverTo(HOOK, () => {
      received += 1
      return new Response('', { status: 500 })
    })
    fake.webhooks.createInPortal({ url: HOOK, events: ['referral.issued'] })
    fake.trigger('referral.issued', { data: {} })
    await fake.settled()
    expect(fake.deliveries).toMatchObject([{ status: 'waiting' }])
    // The retry is due after a minute on the fake's clock, which follows the system clock.
    await fake.clock.advance({ milliseconds: 59_900 })
    const snapshot = fake.snapshot()
    await fake.close()
    fake.restore(snapshot)
    await sleep(200)
    await fake.clock.advance({ minutes: 1 })
    fake.trigger('referral.issued', { data: {} })
    expect(received).toBe(1)
    expect(fake.deliveries[0]?.attempts).toHaveLength(1)
  })
})
