import { PathologyClient } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { createFake } from '../support.js'

describe('a closed fake', () => {
  it('rejects requests through its dispatcher like a closed port', async () => {
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

  it('rejects requests through its fetch', async () => {
    const fake = createFake()
    await fake.close()
    await expect(fake.fetch(`${fake.baseUrl}/v1/vendors`)).rejects.toMatchObject({
      name: 'TypeError',
      cause: { message: 'the fake is closed', code: 'ECONNREFUSED' },
    })
  })

  it('sends no delivery', async () => {
    const fake = createFake()
    const received: string[] = []
    const url = 'https://hooks.integrator.example/'
    fake.deliverTo(url, () => {
      received.push(url)
      return new Response()
    })
    fake.webhooks.createInPortal({ url, events: ['referral.issued'] })
    fake.trigger('referral.issued')
    await fake.settled()
    expect(received).toEqual([url])
    await fake.close()
    fake.trigger('referral.issued')
    await fake.settled()
    expect(received).toEqual([url])
    expect(fake.deliveries.at(-1)?.attempts).toMatchObject([{ failure: 'not sent' }])
  })
})
