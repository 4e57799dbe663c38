import { afterAll, describe, expect, it } from 'vitest'
import { expectError, expectOk } from './support/check.js'
import { at, type JsonObject, obj, str } from './support/json.js'
import type { Body } from './support/samples.js'
import { type Answer, startService } from './support/service.js'

const service = await startService()
afterAll(() => service.stop())

const code = 'DUPLICATE_WEBHOOK_SUBSCRIPTION'
let turn = 0
const freshHost = (): string => {
  turn += 1
  return `duplicate-${turn}.example.com`
}
const create = (url: string, events: readonly string[], more: Body = {}): Promise<Answer> =>
  service.call('POST', '/v1/webhooks', { body: { url, events, ...more } })
const made = async (url: string, events: readonly string[]): Promise<JsonObject> =>
  obj(expectOk(await create(url, events)))
const patch = (record: JsonObject, body: Body): Promise<Answer> =>
  service.call('PATCH', `/v1/webhooks/${str(record['id'])}`, { body })

const spellings: readonly (readonly [string, (host: string) => string])[] = [
  ['the same', (host) => `https://${host}/hook`],
  ['in capitals', (host) => `HTTPS://${host.toUpperCase()}/hook`],
  ['with the standard port', (host) => `https://${host}:443/hook`],
  ['with dots in the path', (host) => `https://${host}/x/../hook`],
]
describe('§4.6 one event reaches a URL from one webhook only', () => {
  it.each(spellings)('POST to %s URL is 409', async (_name, spelt) => {
    const host = freshHost()
    await made(`https://${host}/hook`, ['result.created', 'result.updated'])
    expectError(await create(spelt(host), ['result.created']), 409, code)
    expectError(await create(spelt(host), ['referral.created', 'result.updated']), 409, code)
    expectOk(await create(spelt(host), ['referral.created']))
  })
  it('a URL with a slash at its end is the same as without it', async () => {
    const host = freshHost()
    await made(`https://${host}`, ['result.created'])
    expectError(await create(`https://${host}/`, ['result.created']), 409, code)
  })
  it.each([
    (host: string) => `https://${host}/other`,
    (host: string) => `https://${host}/hook?x=1`,
    (host: string) => `https://${host}:8443/hook`,
    (host: string) => `https://${host}/HOOK`,
    (host: string) => `https://${host}/hook/`,
  ])('another URL is not a duplicate: %s', async (spelt) => {
    const host = freshHost()
    await made(`https://${host}/hook`, ['result.created'])
    expectOk(await create(spelt(host), ['result.created']))
  })
  it('PATCH of events that duplicates another webhook is 409 and changes nothing', async () => {
    const url = `https://${freshHost()}/hook`
    await made(url, ['result.created'])
    const second = await made(url, ['result.updated'])
    expectError(await patch(second, { events: ['result.updated', 'result.created'] }), 409, code)
    expect(at((await service.call('GET', `/v1/webhooks/${str(second['id'])}`)).body, 'events')).toEqual([
      'result.updated',
    ])
  })
  it('PATCH of the URL that duplicates another webhook is 409 and changes nothing', async () => {
    const url = `https://${freshHost()}/hook`
    await made(url, ['result.created'])
    const second = await made(`https://${freshHost()}/hook`, ['result.created'])
    expectError(await patch(second, { url }), 409, code)
    expect(at((await service.call('GET', `/v1/webhooks/${str(second['id'])}`)).body, 'url')).toBe(
      second['url'],
    )
  })
  it('PATCH of both is checked with both new values', async () => {
    const url = `https://${freshHost()}/hook`
    await made(url, ['result.created'])
    const second = await made(`https://${freshHost()}/hook`, ['result.created'])
    expectOk(await patch(second, { url, events: ['result.updated'] }))
  })
  it('a webhook is not a duplicate of itself', async () => {
    const record = await made(`https://${freshHost()}/hook`, ['result.created'])
    expectOk(await patch(record, { events: ['result.created', 'result.updated'] }))
    expectOk(await patch(record, { url: str(record['url']) }))
  })
  it('after DELETE or a change of the URL, another webhook may have the event and URL', async () => {
    const url = `https://${freshHost()}/hook`
    const record = await made(url, ['result.created'])
    await service.call('DELETE', `/v1/webhooks/${str(record['id'])}`)
    const second = await made(url, ['result.created'])
    expectOk(await patch(second, { events: ['result.updated'] }))
    expectOk(await create(url, ['result.created']))
  })
  it('an inactive webhook may block a duplicate or not, and never causes a crash', async () => {
    const url = `https://${freshHost()}/hook`
    expectOk(await create(url, ['result.created'], { active: false }))
    const answer = await create(url, ['result.created'])
    if (answer.status !== 200) expectError(answer, 409, code)
  })
})

const notices = async (): Promise<number> => {
  const body = await service.control('GET', '/webhooks/owner-notices')
  return Array.isArray(body) ? body.length : Number(at(body, 'notices', 'length') ?? 0)
}
describe('§4.6 emails to owners', () => {
  it('on creation, change of the URL and deletion, but not on pause and change of events', async () => {
    const start = await notices()
    const record = await made(`https://${freshHost()}/hook`, ['result.created'])
    expect(await notices()).toBe(start + 1)
    await patch(record, { active: false })
    await patch(record, { events: ['result.updated'] })
    expect(await notices()).toBe(start + 1)
    await patch(record, { url: `https://${freshHost()}/moved` })
    expect(await notices()).toBe(start + 2)
    await service.call('DELETE', `/v1/webhooks/${str(record['id'])}`)
    expect(await notices()).toBe(start + 3)
  })
})
