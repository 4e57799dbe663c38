import { expect, it } from 'vitest'
import { fieldOf, startFake, type TestFake } from './orders-support.js'

const LOOPBACK = [
  ...['https://127.0.0.1/', 'https://127.255.255.254:8443/hook', 'https://127.1/', 'https://2130706433/'],
  ...['https://0x7f000001/', 'https://0177.0.0.1/', 'https://localhost/', 'https://LOCALHOST.:8443/'],
  ...['https://hooks.localhost/', 'http://127.0.0.1:8080/', 'https://[::1]/', 'https://[::ffff:127.0.0.1]/'],
]

/** URLs, and how they are stored. */
const ACCEPTED: Readonly<Record<string, string>> = {
  'https://hooks.example.com': 'https://hooks.example.com/',
  'https://HOOKS.Example.COM/Path?q=A': 'https://hooks.example.com/Path?q=A',
  'HTTPS://hooks.example.com:443/x': 'https://hooks.example.com/x',
  'https://hooks.example.com/a/../b': 'https://hooks.example.com/b',
  'https://8.8.8.8/x': 'https://8.8.8.8/x',
  'https://172.32.0.1/': 'https://172.32.0.1/',
  'https://[2606:4700::1111]/': 'https://[2606:4700::1111]/',
  'https://localhost.example.com/': 'https://localhost.example.com/',
  'https://10.0.0.1.example.com/': 'https://10.0.0.1.example.com/',
}

const create = (fake: TestFake, url: string) =>
  fake.call('POST', '/v1/webhooks', { body: { url, events: ['referral.issued'] } })

it('a webhook url that leads to this machine is INVALID_WEBHOOK_URL in every spelling (§4.6)', async () => {
  const fake = await startFake({ allowLoopbackWebhooks: false })
  for (const url of LOOPBACK) {
    const response = await create(fake, url)
    expect([url, response]).toMatchObject([url, { status: 400, body: { code: 'INVALID_WEBHOOK_URL' } }])
    expect(fieldOf(response.body, 'errorList')).toEqual([expect.stringContaining('[field: url]')])
  }
})

it('the rejection of a webhook url does not repeat credentials (§4.6)', async () => {
  const response = await create(await startFake(), 'https://user:canary-secret@hooks.example.com/')
  expect(response.status).toBe(400)
  expect(JSON.stringify(response.body)).not.toContain('canary')
})

it('a webhook url is stored in its normal form (§2.12)', async () => {
  const fake = await startFake({ allowLoopbackWebhooks: false })
  for (const [given, url] of Object.entries(ACCEPTED))
    expect(await create(fake, given)).toMatchObject({ status: 200, body: { url } })
})

it('with allowLoopbackWebhooks a webhook url may lead to this machine, also without https', async () => {
  const fake = await startFake({ allowLoopbackWebhooks: true })
  for (const url of [
    'http://127.0.0.1:8080/x',
    'https://127.0.0.1/x',
    'http://localhost:3000/',
    'http://[::1]:80/',
  ])
    expect(await create(fake, url)).toMatchObject({ status: 200 })
})
