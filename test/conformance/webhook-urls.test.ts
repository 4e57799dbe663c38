import { afterAll, describe, expect, it } from 'vitest'
import { expectError, expectOk } from './support/check.js'
import { type Json, obj } from './support/json.js'
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
  it.each(normal)('%s as %s', async (sent, kept) => expect((await made({ url: sent }))['url']).toBe(kept))
})

describe('§4.6 public hosts', () => {
  it.each([
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
  it.each([
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
  it.each(loopback)('%s', async (url) => {
    const answer = await strict.call('POST', '/v1/webhooks', { body: { url, events: ['referral.created'] } })
    expectError(answer, 400, 'INVALID_WEBHOOK_URL')
  })
  it.each(['http://127.0.0.1:8080/x', 'http://localhost:8080/x', 'http://[::1]:8080/x'])(
    '%s is accepted when they are allowed',
    async (url) => {
      expect((await made({ url }))['url']).toBe(url)
    },
  )
})
