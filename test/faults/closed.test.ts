import { getEventListeners } from 'node:events'
import { type ClientOptions, PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { Agent } from 'undici'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FILE, PDF, pdf, setUp } from '../client/documents/document-world.js'
import { clientOf, rejection } from '../support/clients.js'
import { order, page, referral, UUID } from '../support/samples.js'
import { ScriptedServer } from '../support/scripted-server.js'
import { SkippingClock } from '../support/skipping-clock.js'

const CLOSED = { name: 'ConnectionError', reason: 'closed', outcome: 'not-sent', attempts: 0 }

const agent = (): Agent => {
  const dispatcher = new Agent()
  onTestFinished(() => dispatcher.close())
  return dispatcher
}

const TRANSPORTS: Readonly<Record<string, () => ClientOptions>> = {
  'its own connections': () => ({}),
  'a dispatcher': () => ({ dispatcher: agent() }),
  'a fetch function': () => ({ fetch: globalThis.fetch }),
}

describe('on a closed client every call is rejected at once, and nothing is sent', () => {
  it.each(Object.entries(TRANSPORTS))(
    'on a closed client every call is rejected at once through %s, and nothing is sent',
    async (_, options) => {
      const service = await ScriptedServer.start()
      service.on('GET /v1/vendors', { json: page('vendors', []) })
      const client = clientOf(service.origin, options())
      await client.vendors.list().toArray()
      await client.close()
      await client.close()
      const sent = service.requests.length
      for (const call of [
        () => client.vendors.list().toArray(),
        () => client.referrals.create(order()),
        () => client.referrals.create(order(), { orderKey: 'job-1' }),
        () => client.referrals.waitFor(UUID, { status: 'ISSUED' }),
        () => client.referrals.document(UUID),
        () => client.warmUp(),
      ]) {
        const error = await rejection(call())
        expect(error).toMatchObject(CLOSED)
        expect(String(error)).toMatch(/: the client is closed; nothing was sent; create a new client$/)
      }
      expect(service.requests).toHaveLength(sent)
    },
  )

  it('a closed client of the fake sends nothing, and its fetch still works for others', async () => {
    const fake = new FakePathologyService()
    const client = new PathologyClient(fake.clientOptions())
    await client.close()
    expect(await rejection(client.vendors.list().toArray())).toMatchObject(CLOSED)
    expect(fake.requests).toEqual([])
    await using other = new PathologyClient(fake.clientOptions())
    await expect(other.vendors.list().toArray()).resolves.toBeInstanceOf(Array)
  })

  it('the error of the next page on a closed client has the cursor to continue with', async () => {
    const service = await ScriptedServer.start()
    service.on('GET /v1/referrals', { json: page('referrals', [referral()], 'next-page') })
    const client = clientOf(service.origin)
    const pages = client.referrals.list().pages()[Symbol.asyncIterator]()
    await pages.next()
    await client.close()
    expect(await rejection(pages.next())).toMatchObject({ ...CLOSED, cursor: 'next-page' })
  })
})

describe('documents and close()', () => {
  it('close() waits for a download in progress, which gets its renewed URL', async () => {
    let open = (): void => undefined
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    const { client, host } = await setUp([{ status: 403, after: opened }, pdf])
    const document = await client.referrals.document(UUID)
    const bytes = document.bytes()
    await expect.poll(() => host.count(FILE)).toBe(1)
    const closing = client.close()
    open()
    expect(Buffer.from(await bytes).equals(PDF)).toBe(true)
    await closing
    expect(await rejection(document.bytes())).toMatchObject(CLOSED)
    expect(await rejection(document.stream().getReader().read())).toMatchObject(CLOSED)
    expect(host.count(FILE)).toBe(2)
  })

  it('close() waits for a document stream that is no longer read only until its time limit', async () => {
    const clock = new SkippingClock({ skip: () => false })
    const { client } = await setUp([{ ...pdf, hang: 'in-body' }], { clock })
    const { signal } = new AbortController()
    const reader = (await client.referrals.document(UUID)).stream({ signal }).getReader()
    await reader.read()
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    const closing = client.close()
    clock.advance(120_000)
    await closing
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    await reader.cancel()
  })
})
