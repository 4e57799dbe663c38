import { afterAll, describe, expect, it } from 'vitest'
import { expectOk } from './support/check.js'
import { at, first, type JsonObject, str } from './support/json.js'
import { issued, order, place, placed, recordsOf, referralOf, wholeList } from './support/samples.js'
import { startService } from './support/service.js'

const service = await startService()
afterAll(() => service.stop())

const catalogue = recordsOf((await service.call('GET', '/v1/tests')).body)
const tests = [str(first(catalogue.filter((entry) => entry['medicareListed'] === true))['id'])]
const pause = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 4))
const timeOf = (record: JsonObject): number => Date.parse(str(record['updatedAt']))

describe('many requests at once', () => {
  it('60 orders: 60 referrals, each once, all in the list in order', async () => {
    const before = (await wholeList(service, '/v1/referrals')).length
    const made = await Promise.all(Array.from({ length: 60 }, () => placed(service, { tests })))
    expect(new Set(made.map((entry) => entry['uuid'])).size).toBe(60)
    expect(new Set(made.map((entry) => entry['reference'])).size).toBe(60)
    const list = await wholeList(service, '/v1/referrals')
    expect(list.length).toBe(before + 60)
    expect(new Set(list.map((entry) => entry['uuid'])).size).toBe(list.length)
    const times = list.map((entry) => Date.parse(str(entry['createdAt'])))
    expect(times).toEqual([...times].sort((a, b) => a - b))
  })
  it('40 updates of one referral end in a consistent state', async () => {
    const made = await issued(service, { tests })
    const path = `/v1/referrals/${str(made['uuid'])}`
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_none, index) =>
        service.call('PATCH', path, { body: { metadata: { [`k${index}`]: index } } }),
      ),
    )
    const taken = answers.filter((answer) => answer.status === 200).length
    expect(taken).toBeGreaterThan(0)
    expect(Object.keys((await referralOf(service, str(made['uuid'])))['metadata'] ?? {}).length).toBe(taken)
  })
  it('30 refreshes with one refresh token: one is granted', async () => {
    const grant = {
      grant_type: 'client_credentials',
      client_id: service.clientId,
      client_secret: service.clientSecret,
    }
    const token = str(at((await service.tokens(grant)).body, 'refresh_token'))
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => service.tokens({ grant_type: 'refresh_token', refresh_token: token })),
    )
    expect(answers.filter((answer) => answer.status === 200).length).toBe(1)
  })
  it('20 webhooks with one URL and event: one is created', async () => {
    const body = { url: 'https://race.example.com/', events: ['referral.created'] }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => service.call('POST', '/v1/webhooks', { body })),
    )
    expect(answers.map((answer) => answer.status).sort((a, b) => a - b)).toEqual([
      200,
      ...Array(19).fill(409),
    ])
  })
})

describe('§2.4 updatedAt changes with the status', () => {
  const moves: readonly (readonly [string, (path: string) => Promise<unknown>])[] = [
    ['PUT', (path) => service.call('PUT', path)],
    ['PUT ?partial', (path) => service.call('PUT', `${path}?partial`)],
    ['a refund', (path) => service.control('POST', `${path.slice(3)}/refund`, {})],
  ]
  it.each(moves)('%s', async (_name, move) => {
    const made = await issued(service, { tests })
    await pause()
    await move(`/v1/referrals/${str(made['uuid'])}`)
    const now = await referralOf(service, str(made['uuid']))
    expect(timeOf(now)).toBeGreaterThan(timeOf(made))
    expect(now['createdAt']).toBe(made['createdAt'])
  })
  it('reading does not change it', async () => {
    const made = await issued(service, { tests })
    const { referralAttachment: _one, ...before } = await referralOf(service, str(made['uuid']))
    await pause()
    const { referralAttachment: _two, ...after } = await referralOf(service, str(made['uuid']))
    expect(after).toEqual(before)
  })
})

describe('HTTP', () => {
  it('a body with a charset in its content type is read', async () => {
    const answer = await service.call('POST', '/v1/referrals', {
      raw: JSON.stringify(order({ tests })),
      headers: { 'content-type': 'application/json; charset=utf-8' },
    })
    expectOk(answer)
  })
  it('non-ASCII text is returned as it was sent', async () => {
    const firstName = 'Zoë 🧬 Ω'
    const made = await placed(service, { tests, firstName })
    expect(at(await referralOf(service, str(made['uuid'])), 'person', 'firstName')).toBe(firstName)
  })
  it('a large order is accepted or rejected, and never causes a crash', async () => {
    const answer = await place(service, { tests, metadata: { note: 'x'.repeat(300_000) } })
    expect(answer.status).toBeLessThan(500)
  })
  it('metadata keys such as __proto__ are stored like any other', async () => {
    const raw = JSON.stringify(order({ tests })).replace(
      /}$/,
      ',"metadata":{"__proto__":{"polluted":true},"constructor":1}}',
    )
    const answer = await service.call('POST', '/v1/referrals', { raw })
    expect(answer.status).toBeLessThan(500)
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
    expect((await service.call('GET', '/v1/vendors')).status).toBe(200)
  })
})
