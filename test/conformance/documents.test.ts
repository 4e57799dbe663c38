import { afterAll, describe, expect, it } from 'vitest'
import { expectOk } from './support/check.js'
import { at, first, type Json, objects, str } from './support/json.js'
import {
  cards,
  issued,
  place,
  pngUri,
  providerNumber,
  recordsOf,
  referralOf,
  until,
} from './support/samples.js'
import { type Answer, startService } from './support/service.js'

const service = await startService()
afterAll(() => service.stop())

const catalogue = recordsOf((await service.call('GET', '/v1/tests')).body)
const tests = [str(first(catalogue.filter((entry) => entry['medicareListed'] === true))['id'])]
const order = await issued(service, { tests })
const done = expectOk(await service.call('PUT', `/v1/referrals/${str(order['uuid'])}`))
const result = expectOk(await service.call('GET', `/v1/results/${str(at(done, 'resultsUuid'))}`))
const number = providerNumber(811001)
await service.call('POST', '/v1/providers', {
  body: { providerNumber: number, name: 'Dr Ada Quill', address: '1 Road', encodedSignature: pngUri },
})
const medicare = at(
  (
    await place(service, {
      medicareTests: tests,
      medicareCardNumber: cards.eleven,
      orderingPractitioner: { name: 'Dr Ada Quill', address: '1 Road', providerNumber: number },
    })
  ).body,
  0,
)
const medicareNow = await until(
  () => referralOf(service, str(at(medicare, 'uuid'))),
  (now) => now['status'] === 'ISSUED',
)
const incoming = await service.control('POST', '/results/incoming', {})
const incomingNow = expectOk(await service.call('GET', `/v1/results/${str(at(incoming, 'uuid'))}`))

const links: [string, string][] = [
  ['a commercial referral', str(order['referralAttachment'])],
  ['a Medicare referral', str(medicareNow['referralAttachment'])],
  ['a result', str(at(result, 'resultAttachment'))],
  ['an INCOMING result', str(at(incomingNow, 'resultAttachment'))],
]
const fetched = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  service.send(url, 'GET', { headers })
const expectRefused = (answer: Answer): void => {
  expect(answer.status).toBeGreaterThanOrEqual(400)
  expect(answer.status).toBeLessThan(500)
  expect(answer.bytes.subarray(0, 5).toString('latin1')).not.toBe('%PDF-')
}

describe.each(links)('§2.4, §2.5 the PDF of %s', (_name, url) => {
  it('is sent without Authorization', async () => {
    const answer = await fetched(url)
    expect(answer.status).toBe(200)
    expect(String(answer.headers['content-type'])).toMatch(/application\/pdf/)
  })
  it('is a PDF with its start and end marks', async () => {
    const { bytes } = await fetched(url)
    expect(bytes.subarray(0, 5).toString('latin1')).toBe('%PDF-')
    expect(bytes.toString('latin1').trimEnd().endsWith('%%EOF')).toBe(true)
    expect(bytes.toString('latin1')).toContain('startxref')
  })
  it('is sent with its length', async () => {
    const answer = await fetched(url)
    if (answer.headers['content-length'] !== undefined)
      expect(Number(answer.headers['content-length'])).toBe(answer.bytes.length)
  })
  it('can be read twice', async () => {
    expect((await fetched(url)).status).toBe(200)
    expect((await fetched(url)).status).toBe(200)
  })
  it.each(['Bearer', 'Basic', 'token'])('is rejected with an Authorization header: %s', async (scheme) => {
    const credential = scheme === 'Bearer' ? service.token : 'YTpi'
    expectRefused(await fetched(url, { authorization: `${scheme} ${credential}` }))
  })
  it('is rejected without its signature', async () => {
    const bare = new URL(url)
    bare.search = ''
    expectRefused(await fetched(bare.href))
  })
  it('is rejected with any query value changed', async () => {
    for (const [name, value] of new URL(url).searchParams) {
      const changed = new URL(url)
      changed.searchParams.set(name, `${value.startsWith('1') ? '2' : '1'}${value.slice(1)}`)
      expectRefused(await fetched(changed.href))
    }
  })
  it('is rejected without any of its query values', async () => {
    for (const name of new URL(url).searchParams.keys()) {
      const changed = new URL(url)
      changed.searchParams.delete(name)
      expectRefused(await fetched(changed.href))
    }
  })
  it('is rejected with the signature of another document', async () => {
    const other = links.find(([, one]) => new URL(one).pathname !== new URL(url).pathname)?.[1] ?? ''
    const mixed = new URL(url)
    mixed.pathname = new URL(other).pathname
    expectRefused(await fetched(mixed.href))
  })
  it('has a URL without any detail of the patient', () =>
    expect(decodeURIComponent(url)).not.toMatch(/Matilda|Reilly|1984-02-29|@/))
})

const attachment = async (path: string, name: string): Promise<Json | undefined> =>
  at((await service.call('GET', path)).body, name)
describe('§2.4 links', () => {
  const path = `/v1/referrals/${str(order['uuid'])}`
  it('a new read returns a link that works', async () => {
    expect((await fetched(str(await attachment(path, 'referralAttachment')))).status).toBe(200)
  })
  it('the link in the list works', async () => {
    const list = objects(at((await service.call('GET', '/v1/referrals?sort=desc')).body, 'referrals'))
    const entry = first(list.filter((one) => one['uuid'] === order['uuid']))
    expect((await fetched(str(entry['referralAttachment']))).status).toBe(200)
  })
  it('a later link is a different one', async () => {
    await service.control('POST', '/clock/advance', { seconds: 30 })
    expect(await attachment(path, 'referralAttachment')).not.toBe(order['referralAttachment'])
  })
  it('a Medicare PDF differs from a commercial one', async () => {
    const [one, two] = await Promise.all([
      fetched(str(order['referralAttachment'])),
      fetched(str(medicareNow['referralAttachment'])),
    ])
    expect(one.bytes.equals(two.bytes)).toBe(false)
  })
  it('a deleted referral has no PDF, and its old URL no longer works', async () => {
    const made = await issued(service, { tests })
    const url = str(made['referralAttachment'])
    expect((await fetched(url)).status).toBe(200)
    const gone = expectOk(await service.call('DELETE', `/v1/referrals/${str(made['uuid'])}`))
    expect(at(gone, 'referralAttachment')).toBeNull()
    expectRefused(await fetched(url))
  })
  it('PATCH gives a new PDF', async () => {
    const made = await issued(service, { tests })
    const before = await fetched(str(made['referralAttachment']))
    await service.call('PATCH', `/v1/referrals/${str(made['uuid'])}`, { body: { firstName: 'Wilhelmina' } })
    const now = await until(
      () => referralOf(service, str(made['uuid'])),
      (one) => one['referralAttachment'] !== null,
    )
    const after = await fetched(str(now['referralAttachment']))
    expect(after.status).toBe(200)
    expect(after.bytes.equals(before.bytes)).toBe(false)
  })
  it('a result without a PDF has null', async () => {
    const list = recordsOf((await service.call('GET', '/v1/results')).body)
    for (const entry of list)
      expect(entry['resultAttachment'] === null || str(entry['resultAttachment']).startsWith('http')).toBe(
        true,
      )
  })
  it('links expire; a new read returns a new one', async () => {
    const url = str(order['referralAttachment'])
    await service.control('POST', '/clock/advance', { days: 8 })
    expectRefused(await fetched(url))
    const grant = await service.tokens({
      grant_type: 'client_credentials',
      client_id: service.clientId,
      client_secret: service.clientSecret,
    })
    const authorization = `Bearer ${str(at(grant.body, 'access_token'))}`
    const fresh = await service.call('GET', path, { authorization })
    expect((await fetched(str(at(fresh.body, 'referralAttachment')))).status).toBe(200)
  })
})
