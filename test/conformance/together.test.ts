import { afterAll, describe, expect, it } from 'vitest'
import { at, first, str } from './support/json.js'
import { issued, placed, recordsOf, referralOf, wholeList } from './support/samples.js'
import { startService } from './support/service.js'

const service = await startService()
afterAll(() => service.stop())

const catalogue = recordsOf((await service.call('GET', '/v1/tests')).body)
const tests = [str(first(catalogue.filter((entry) => entry['medicareListed'] === true))['id'])]
describe('many requests at once', () => {
  it('60 orders at once give 60 referrals, each once and all in the list in order (§4.1)', async () => {
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
  it('of 40 updates of one referral at once, exactly those that were accepted are applied (§4.1)', async () => {
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
  it('of 30 refreshes at once with one refresh token, one is granted (§5)', async () => {
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
  it('of 20 webhooks at once with one URL and event, one is created (§4.6)', async () => {
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
