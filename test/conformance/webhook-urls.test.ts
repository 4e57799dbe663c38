import { afterAll, describe, expect, test } from 'vitest'
import { shareOf } from '../support/sample.js'
import { expectError, expectOk } from './support/check.js'
import { at, type Json, obj, str } from './support/json.js'
import type { Body } from './support/samples.js'
import { type Answer, startService } from './support/service.js'

const service = await startService()
const strict = await startService('--set', 'allow-loopback-webhooks=false')
afterAll(() => Promise.all([service.stop(), strict.stop()]))

let turn = 0
const freshUrl = (): string => {
  turn += 1
  return `https://hooks.example.com/conformance/${turn}`
}
const create = (body: unknown): Promise<Answer> => service.call('POST', '/v1/webhooks', { body })
const made = async (body: Body = {}): Promise<Record<string, Json>> =>
  obj(expectOk(await create({ url: freshUrl(), events: ['referral.created'], ...body })))
const pathOf = (record: Record<string, Json>): string => `/v1/webhooks/${str(record['id'])}`
const patch = (record: Record<string, Json>, body: unknown): Promise<Answer> =>
  service.call('PATCH', pathOf(record), { body })
const read = async (record: Record<string, Json>): Promise<Json> =>
  expectOk(await service.call('GET', pathOf(record)))

const normal: readonly (readonly [string, string])[] = [
  ['https://A.Example.COM/Path/Keep', 'https://a.example.com/Path/Keep'],
  ['HTTPS://upper.example.com/x', 'https://upper.example.com/x'],
  ['https://bare.example.com', 'https://bare.example.com/'],
  ['https://port.example.com:443/x', 'https://port.example.com/x'],
  ['https://port.example.com:8443/x', 'https://port.example.com:8443/x'],
  ['https://query.example.com?a=B', 'https://query.example.com/?a=B'],
  ['https://query.example.com/x?a=1&b=2', 'https://query.example.com/x?a=1&b=2'],
  ['https://dots.example.com/a/../b', 'https://dots.example.com/b'],
  ['https://8.8.8.8/hook', 'https://8.8.8.8/hook'],
  ['https://[2606:4700::1111]/hook', 'https://[2606:4700::1111]/hook'],
]
describe('§2.12 the url is stored normalised', () => {
  test.each(normal)('%s as %s', async (sent, kept) => expect((await made({ url: sent }))['url']).toBe(kept))
})

const badUrls = [
  'http://hooks.example.com/x',
  'http://8.8.8.8/x',
  'ftp://hooks.example.com/x',
  'ws://hooks.example.com/x',
  'wss://hooks.example.com/x',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/plain,x',
  'mailto:a@example.com',
  '//hooks.example.com/x',
  'hooks.example.com/x',
  '/x',
  '',
  ' ',
  'not a url',
  'https://',
  'https:///x',
  'https://?',
  'https://user@hooks.example.com/x',
  'https://user:pass@hooks.example.com/x',
  'https://:pass@hooks.example.com/x',
  'https://10.0.0.1/x',
  'https://10.255.255.255/x',
  'https://172.16.0.1/x',
  'https://172.31.255.255/x',
  'https://192.168.0.1/x',
  'https://192.168.255.255/x',
  'https://169.254.169.254/latest/meta-data',
  'https://169.254.0.1/x',
  'https://0.0.0.0/x',
  'https://100.64.0.1/x',
  'https://100.127.255.255/x',
  'https://0x0a000001/x',
  'https://0xa9fea9fe/x',
  'https://167772161/x',
  'https://2852039166/x',
  'https://10.1/x',
  'https://012.0.0.1/x',
  'https://192.168.1/x',
  'https://0xc0.0xa8.0x1.0x1/x',
  'https://[fc00::1]/x',
  'https://[fd12:3456:789a::1]/x',
  'https://[fe80::1]/x',
  'https://[febf::1]/x',
  'https://[::]/x',
  'https://[::ffff:10.0.0.1]/x',
  'https://[::ffff:a9fe:a9fe]/x',
  'https://[::ffff:192.168.1.1]/x',
  'https://[::ffff:c0a8:101]/x',
  'https://[64:ff9b::10.0.0.1]/x',
  'https://[64:ff9b::a00:1]/x',
  'https://[2002:a00:1::]/x',
  'https://10.0.0.1:8443/x',
  'https://10.0.0.1./x',
  'https://service.internal/x',
  'https://metadata.google.internal/x',
  'https://printer.local/x',
  'https://SERVICE.INTERNAL/x',
  'https://service.internal./x',
  'https://%31%30.0.0.1/x',
  'https://１０.0.0.1/x',
  'https://192.168.1.1?x',
  'https://192.168.1.1#x',
  'https://intranet/x',
]
describe('§4.6 INVALID_WEBHOOK_URL', async () => {
  const record = await made()
  test.each(badUrls)('POST of %s', async (url) => {
    expectError(await create({ url, events: ['referral.created'] }), 400, 'INVALID_WEBHOOK_URL')
  })
  test.each(shareOf(badUrls, 0, 6))('PATCH to %s', async (url) => {
    expectError(await patch(record, { url }), 400, 'INVALID_WEBHOOK_URL')
    expect(at(await read(record), 'url')).toBe(record['url'])
  })
  test.each([5, null, [], {}, true])('url %j', async (url) => {
    expectError(await create({ url, events: ['referral.created'] }), 400, [
      'INVALID_WEBHOOK_URL',
      'INVALID_PAYLOAD',
    ])
    expectError(await patch(record, { url }), 400, ['INVALID_WEBHOOK_URL', 'INVALID_PAYLOAD'])
  })
  test.each([
    '172.15.255.255',
    '172.32.0.1',
    '192.167.1.1',
    '192.169.1.1',
    '11.0.0.1',
    '9.255.255.255',
    '100.63.255.255',
    '100.128.0.1',
    '169.253.1.1',
    '1.1.1.1',
  ])('%s is public and accepted', async (host) => {
    expect((await made({ url: `https://${host}/x` }))['url']).toBe(`https://${host}/x`)
  })
  test.each([
    'internal.example.com',
    'localhost.example.com',
    '10.0.0.1.example.com',
    'fc00.example.com',
    'local.example.com',
  ])('%s only looks private, and is accepted', async (host) => {
    expect((await made({ url: `https://${host}/x` }))['url']).toBe(`https://${host}/x`)
  })
})

const loopback = [
  'https://localhost/x',
  'https://127.0.0.1/x',
  'https://127.255.255.254/x',
  'https://[::1]/x',
  'https://0x7f000001/x',
  'https://2130706433/x',
  'https://127.1/x',
  'https://[::ffff:127.0.0.1]/x',
  'https://LOCALHOST/x',
  'https://localhost./x',
  'https://a.localhost/x',
  'http://127.0.0.1:8080/x',
]
describe('§4.6 loopback addresses are rejected unless they are allowed', () => {
  test.each(loopback)('%s', async (url) => {
    const answer = await strict.call('POST', '/v1/webhooks', { body: { url, events: ['referral.created'] } })
    expectError(answer, 400, 'INVALID_WEBHOOK_URL')
  })
  test.each(['http://127.0.0.1:8080/x', 'http://localhost:8080/x', 'http://[::1]:8080/x'])(
    '%s is accepted when they are allowed',
    async (url) => {
      expect((await made({ url }))['url']).toBe(url)
    },
  )
})
