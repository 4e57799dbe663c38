import { describe, expect, it } from 'vitest'

import { fieldOf, startFake, type TestFake } from './orders-support.js'

const EVENTS = ['referral.issued']
const PUBLIC_ONLY = { allowLoopbackWebhooks: false } as const

const create = (fake: TestFake, url: string) =>
  fake.call('POST', '/v1/webhooks', { body: { url, events: EVENTS } })

describe('§4.6 rejected as INVALID_WEBHOOK_URL', () => {
  it.each([
    ['not a URL', 'hooks'],
    ['not a URL', ''],
    ['not a URL', 'https://'],
    ['not a URL', '/relative'],
    ['not https', 'http://hooks.example.com/'],
    ['not https', 'ftp://hooks.example.com/'],
    ['not https', 'javascript:alert(1)'],
    ['credentials', 'https://user@hooks.example.com/'],
    ['credentials', 'https://user:secret@hooks.example.com/'],
    ['credentials', 'https://:secret@hooks.example.com/'],
    ['loopback', 'https://127.0.0.1/'],
    ['loopback', 'https://127.255.255.254:8443/hook'],
    ['loopback in short', 'https://127.1/'],
    ['loopback in decimal', 'https://2130706433/'],
    ['loopback in hexadecimal', 'https://0x7f000001/'],
    ['loopback in octal', 'https://0177.0.0.1/'],
    ['loopback by name', 'https://localhost/'],
    ['loopback by name', 'https://LOCALHOST.:8443/'],
    ['loopback by name', 'https://hooks.localhost/'],
    ['this host', 'https://0.0.0.0/'],
    ['private', 'https://10.0.0.1/'],
    ['private', 'https://172.16.0.1/'],
    ['private', 'https://172.31.255.255/'],
    ['private', 'https://192.168.1.1/'],
    ['shared address space', 'https://100.64.0.1/'],
    ['link-local', 'https://169.254.169.254/latest/meta-data/'],
    ['benchmarking', 'https://198.18.0.1/'],
    ['multicast', 'https://224.0.0.1/'],
    ['broadcast', 'https://255.255.255.255/'],
    ['IPv6 loopback', 'https://[::1]/'],
    ['IPv6 unspecified', 'https://[::]/'],
    ['IPv6 link-local', 'https://[fe80::1]/'],
    ['IPv6 unique local', 'https://[fd12:3456:789a::1]/'],
    ['IPv6 site-local', 'https://[fec0::1]/'],
    ['IPv6 multicast', 'https://[ff02::1]/'],
    ['IPv4-mapped loopback', 'https://[::ffff:127.0.0.1]/'],
    ['IPv4-mapped private', 'https://[::ffff:c0a8:101]/'],
    ['IPv4-compatible', 'https://[::127.0.0.1]/'],
    ['translated private', 'https://[64:ff9b::10.0.0.1]/'],
    ['6to4', 'https://[2002:7f00:1::1]/'],
    ['internal name', 'https://printer.local/'],
    ['internal name', 'https://metadata.google.internal/'],
    ['internal name', 'https://router.home.arpa/'],
    ['internal name', 'https://wiki.corp/'],
    ['a name without a dot', 'https://intranet/'],
  ])('%s: %s', async (_name, url) => {
    const fake = await startFake(PUBLIC_ONLY)
    const response = await create(fake, url)
    expect(response).toMatchObject({ status: 400, body: { error: true, code: 'INVALID_WEBHOOK_URL' } })
    expect(fieldOf(response.body, 'errorList')).toEqual([expect.stringContaining('[field: url]')])
  })

  it('the rejection does not repeat credentials', async () => {
    const fake = await startFake(PUBLIC_ONLY)
    const response = await create(fake, 'https://user:canary-secret@hooks.example.com/')
    expect(JSON.stringify(response.body)).not.toContain('canary')
  })
})

describe('§4.6, §2.12 accepted, and stored normalised', () => {
  it.each([
    ['https://hooks.example.com', 'https://hooks.example.com/'],
    ['https://HOOKS.Example.COM/Path?q=A', 'https://hooks.example.com/Path?q=A'],
    ['HTTPS://hooks.example.com:443/x', 'https://hooks.example.com/x'],
    ['https://hooks.example.com:8443/x', 'https://hooks.example.com:8443/x'],
    ['https://hooks.example.com/a/../b', 'https://hooks.example.com/b'],
    ['https://not-there-yet.example.invalid/x', 'https://not-there-yet.example.invalid/x'],
    ['https://8.8.8.8/x', 'https://8.8.8.8/x'],
    ['https://172.32.0.1/', 'https://172.32.0.1/'],
    ['https://100.128.0.1/', 'https://100.128.0.1/'],
    ['https://[2606:4700::1111]/', 'https://[2606:4700::1111]/'],
    ['https://localhost.example.com/', 'https://localhost.example.com/'],
    ['https://10.0.0.1.example.com/', 'https://10.0.0.1.example.com/'],
  ])('%s as %s', async (url, stored) => {
    const fake = await startFake(PUBLIC_ONLY)
    expect(await create(fake, url)).toMatchObject({ status: 200, body: { url: stored } })
  })
})

describe('allowLoopbackWebhooks, for receivers in tests', () => {
  it.each(['http://127.0.0.1:8080/x', 'https://127.0.0.1/x', 'http://localhost:3000/', 'http://[::1]:8080/'])(
    'accepts %s',
    async (url) => {
      const fake = await startFake({ allowLoopbackWebhooks: true })
      expect((await create(fake, url)).status).toBe(200)
    },
  )

  it.each(['http://hooks.example.com/', 'https://10.0.0.1/', 'http://user@127.0.0.1/', 'http://0.0.0.0/'])(
    'still rejects %s',
    async (url) => {
      const fake = await startFake({ allowLoopbackWebhooks: true })
      expect(await create(fake, url)).toMatchObject({ status: 400, body: { code: 'INVALID_WEBHOOK_URL' } })
    },
  )
})
