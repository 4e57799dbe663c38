import { describe, expect, it } from 'vitest'

import { fieldOf, startFake, type TestFake } from './orders-support.js'

const EVENTS = ['referral.issued']
const PUBLIC_ONLY = { allowLoopbackWebhooks: false } as const

const create = (fake: TestFake, url: string) =>
  fake.call('POST', '/v1/webhooks', { body: { url, events: EVENTS } })

describe('rejected URLs (§4.6)', () => {
  it.each([
    ['loopback', 'https://127.0.0.1/'],
    ['loopback', 'https://127.255.255.254:8443/hook'],
    ['loopback in short', 'https://127.1/'],
    ['loopback in decimal', 'https://2130706433/'],
    ['loopback in hexadecimal', 'https://0x7f000001/'],
    ['loopback in octal', 'https://0177.0.0.1/'],
    ['loopback by name', 'https://localhost/'],
    ['loopback by name', 'https://LOCALHOST.:8443/'],
    ['loopback by name', 'https://hooks.localhost/'],
    ['loopback without https', 'http://127.0.0.1:8080/'],
    ['IPv6 loopback', 'https://[::1]/'],
    ['IPv4-mapped loopback', 'https://[::ffff:127.0.0.1]/'],
  ])('a webhook url with %s is INVALID_WEBHOOK_URL: %s (§4.6)', async (_name, url) => {
    const fake = await startFake(PUBLIC_ONLY)
    const response = await create(fake, url)
    expect(response).toMatchObject({ status: 400, body: { error: true, code: 'INVALID_WEBHOOK_URL' } })
    expect(fieldOf(response.body, 'errorList')).toEqual([expect.stringContaining('[field: url]')])
  })

  it('the rejection of a webhook url does not repeat credentials (§4.6)', async () => {
    const fake = await startFake(PUBLIC_ONLY)
    const response = await create(fake, 'https://user:canary-secret@hooks.example.com/')
    expect(JSON.stringify(response.body)).not.toContain('canary')
  })
})

describe('accepted URLs (§4.6, §2.12)', () => {
  it.each([
    ['https://hooks.example.com', 'https://hooks.example.com/'],
    ['https://HOOKS.Example.COM/Path?q=A', 'https://hooks.example.com/Path?q=A'],
    ['HTTPS://hooks.example.com:443/x', 'https://hooks.example.com/x'],
    ['https://hooks.example.com/a/../b', 'https://hooks.example.com/b'],
    ['https://8.8.8.8/x', 'https://8.8.8.8/x'],
    ['https://172.32.0.1/', 'https://172.32.0.1/'],
    ['https://[2606:4700::1111]/', 'https://[2606:4700::1111]/'],
    ['https://localhost.example.com/', 'https://localhost.example.com/'],
    ['https://10.0.0.1.example.com/', 'https://10.0.0.1.example.com/'],
  ])('the webhook url %s is stored as %s (§2.12)', async (url, stored) => {
    const fake = await startFake(PUBLIC_ONLY)
    expect(await create(fake, url)).toMatchObject({ status: 200, body: { url: stored } })
  })
})

describe('allowLoopbackWebhooks, for receivers in tests', () => {
  it.each(['http://127.0.0.1:8080/x', 'https://127.0.0.1/x', 'http://localhost:3000/', 'http://[::1]:8080/'])(
    'with allowLoopbackWebhooks the API accepts %s',
    async (url) => {
      const fake = await startFake({ allowLoopbackWebhooks: true })
      expect((await create(fake, url)).status).toBe(200)
    },
  )

  it.each(['http://hooks.example.com/', 'https://10.0.0.1/', 'http://user@127.0.0.1/', 'http://0.0.0.0/'])(
    'with allowLoopbackWebhooks the API still rejects %s',
    async (url) => {
      const fake = await startFake({ allowLoopbackWebhooks: true })
      expect(await create(fake, url)).toMatchObject({ status: 400, body: { code: 'INVALID_WEBHOOK_URL' } })
    },
  )
})
