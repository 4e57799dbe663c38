import { formatOpeningHours } from 'pathology-sdk/display'
import type { FakePathologyService } from 'pathology-sdk/testing'
import { describe, expect, it } from 'vitest'
import { authorised, createFake, orderOverApi, record, records, startFake } from '../support.js'

const UUID = '0b7f6f0e-3f53-4a5e-9a37-1d2c3b4a5f60'

async function read(fake: FakePathologyService, path: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${fake.controlUrl}/console${path}`)
  return record(await response.json())
}

/** The rows of a section of a page, or its facts, timeline or text. */
function section(page: Record<string, unknown>, title: string): Record<string, unknown> {
  return record(records(page['sections']).find((one) => one['title'] === title))
}

/** The timeline of a referral's page. */
async function timeline(fake: FakePathologyService, uuid: string): Promise<Record<string, unknown>[]> {
  return records(section(await read(fake, `/referrals/${uuid}`), 'Timeline')['timeline'])
}

async function post(fake: FakePathologyService, path: string): Promise<number> {
  const response = await fetch(`${fake.controlUrl}${path}`, { method: 'POST' })
  await response.body?.cancel()
  return response.status
}

describe('the page of the console', () => {
  it('the page of the console is for browsers; other clients get the list of actions', async () => {
    const fake = await startFake({ centreCount: 10 })
    const page = await fetch(`${fake.controlUrl}/`, { headers: { accept: 'text/html,*/*' } })
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await page.text()).toContain('<title>Pathology fake</title>')
    expect(
      records(record(await (await fetch(`${fake.controlUrl}/`)).json())['actions']).length,
    ).toBeGreaterThan(50)
  })

  it('the page of the console may load and request only its own origin', async () => {
    const fake = await startFake({ centreCount: 10 })
    const { headers } = await fetch(`${fake.controlUrl}/`, { headers: { accept: 'text/html' } })
    expect(headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "img-src 'self' data:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ])
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('the console serves each of its files with its type, and no other file', async () => {
    const fake = await startFake({ centreCount: 10 })
    const types = { 'console.js': 'text/javascript', 'console.css': 'text/css' }
    for (const [name, type] of Object.entries(types)) {
      const response = await fetch(`${fake.controlUrl}/${name}`)
      expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`)
      expect((await response.text()).length).toBeGreaterThan(5_000)
    }
    for (const name of ['tsconfig.json', 'main.tsx', 'index.html'])
      expect((await fetch(`${fake.controlUrl}/${name}`)).status).toBe(404)
    expect((await fetch(`${fake.controlUrl}/..%2fassets.ts`)).status).toBe(404)
  })
})

describe('data that the console reads', () => {
  it('the console offers the transitions that are possible in each status of a referral, and no others (§3.1)', async () => {
    const fake = await startFake({ centreCount: 10, seedReferrals: 150 })
    const byStatus = new Map(
      fake.referrals.all().map(({ status, deletedAt, uuid }) => [`${status} ${deletedAt !== null}`, uuid]),
    )
    expect(byStatus.size).toBeGreaterThan(10)
    const snapshot = fake.snapshot()
    const names = ['issue', 'verify', 'pending-verification', 'fail-billing', 'reissue', 'partial-results']
    const all = [...names, 'complete', 'insufficient-data', 'fail-test', 'refund', 'transfer']
    for (const uuid of byStatus.values()) {
      const moves = records((await read(fake, `/referrals/${uuid}`))['buttons']).map(({ path }) =>
        String(path),
      )
      const possible: string[] = []
      for (const path of all.map((name) => `/referrals/${uuid}/${name}`)) {
        if ((await post(fake, path)) === 200) possible.push(path)
        fake.restore(snapshot)
      }
      expect(moves.toSorted()).toEqual(possible.toSorted())
    }
  })

  it('the console offers the changes that are possible for each kind of result, and no others (§3.2)', async () => {
    const fake = await startFake({ centreCount: 10, seedReferrals: 80 })
    const held = fake.results.all().findLast(({ status }) => status === 'COMPLETE')
    fake.results.hold(String(held?.uuid))
    fake.results.receiveIncoming({ partial: true })
    const partlyHeld = fake.results.receiveIncoming({ partial: true })
    fake.results.hold(partlyHeld.uuid)
    const byKind = new Map(
      fake.results
        .all()
        .map(({ provenance, status, deletedAt, uuid }) => [`${provenance} ${status} ${deletedAt}`, uuid]),
    )
    const snapshot = fake.snapshot()
    for (const uuid of byKind.values()) {
      const { referralUuid, deletedAt } = fake.results.retrieve(uuid)
      const moves = records((await read(fake, `/results/${uuid}`))['buttons'])
        .map(({ path }) => String(path))
        // A correction needs values: results-amend.test.ts tries when it is possible.
        .filter((path) => !path.endsWith('/amend'))
      const all = [
        ...['complete', 'hold', 'release', 'review'].map((name) => `/results/${uuid}/${name}`),
        ...(referralUuid === null
          ? []
          : ['partial-results', 'complete'].map((name) => `/referrals/${referralUuid}/${name}`)),
      ]
      const possible: string[] = deletedAt === null ? [`/results/${uuid}/soft-delete`] : []
      for (const path of all) {
        if ((await post(fake, path)) === 200) possible.push(path)
        fake.restore(snapshot)
      }
      expect(moves.toSorted()).toEqual(possible.toSorted())
    }
  })

  it('the lists of the console have pages from a given record on, so that new records do not move them', async () => {
    const fake = await startFake({ centreCount: 10, seedReferrals: 120 })
    const newest = fake.referrals.all().toReversed()
    const first = await read(fake, '/referrals?count=10')
    const last = records(first['items']).at(-1)
    await orderOverApi(fake)
    const second = await read(fake, `/referrals?count=10&before=${last?.['position']}`)
    expect(records(second['items']).map(({ id }) => id)).toEqual(newest.slice(10, 20).map(({ uuid }) => uuid))
    expect(second).toMatchObject({ total: newest.length + 1, newer: 11 })
    const some = await read(fake, '/referrals?status=COMPLETE&count=1000')
    const complete = newest.filter(({ status }) => status === 'COMPLETE')
    expect(records(some['items']).map(({ id }) => id)).toEqual(complete.map(({ uuid }) => uuid))
    expect(records((await read(fake, `/referrals?search=${newest[5]?.uuid}`))['items'])).toHaveLength(1)
    expect(records((await read(fake, '/referrals?search=nobody-has-this'))['items'])).toEqual([])
  })

  it('the console shows the history of a referral in order: requests, facts, events and planned steps', async () => {
    const fake = await startFake({ centreCount: 10, issueTiming: { afterMs: 60_000 } })
    fake.webhooks.createInPortal({ url: 'https://hooks.integrator.example/', events: ['referral.created'] })
    fake.deliverTo('https://hooks.integrator.example/', () => new Response())
    const uuid = await orderOverApi(fake)
    await fake.settled()
    const entries = () => timeline(fake, uuid)
    expect(await entries()).toMatchObject([
      { kind: 'request', title: 'POST /v1/referrals', href: '#/requests/1' },
      { kind: 'event', title: 'referral.created', marks: [{ status: 'delivered', text: 'Delivered' }, null] },
      { kind: 'planned', at: expect.stringMatching(/^2026-03-02T09:01:00\.0/), title: 'Planned: issue' },
    ])
    await fake.clock.advance({ minutes: 2 })
    fake.referrals.partialResults(uuid)
    const titles = (await entries()).map(({ title }) => title)
    expect(titles.slice(2)).toEqual([
      'Emailed',
      'referral.issued',
      'result.created',
      'Laboratory message',
      'result.partial_results',
      'referral.partial_results',
    ])
  })

  it.each<[string, (fake: FakePathologyService, uuid: string) => unknown]>([
    ['another transition', (fake, uuid) => fake.referrals.issue(uuid)],
    [
      'a delete',
      async (fake, uuid) =>
        fake.fetch(`${fake.baseUrl}/v1/referrals/${uuid}`, {
          method: 'DELETE',
          headers: await authorised(fake),
        }),
    ],
  ])('the console shows no planned step that %s has cancelled', async (_name, change) => {
    const fake = await startFake({ centreCount: 0, seedReferrals: 0, issueTiming: { afterMs: 60_000 } })
    const uuid = await orderOverApi(fake)
    const next = async () => (await read(fake, '/overview'))['next']
    expect(await next()).toMatchObject({ title: 'a referral changes its status' })
    await change(fake, uuid)
    const entries = await timeline(fake, uuid)
    expect(entries.filter(({ kind }) => kind === 'planned')).toEqual([])
    expect(await next()).toBeNull()
  })

  it('the console lists only requests that the journal still has', async () => {
    const fake = await startFake({ centreCount: 10, journalLimit: 2 })
    const uuid = await orderOverApi(fake)
    for (let count = 0; count < 4; count += 1) await orderOverApi(fake)
    const entries = await timeline(fake, uuid)
    expect(entries.filter(({ kind }) => kind === 'request')).toEqual([])
  })

  it('a read of the console is not a step of the fake, so it does not make the console read again', async () => {
    const fake = await startFake({ centreCount: 10 })
    const uuid = await orderOverApi(fake)
    const response = await fetch(`${fake.controlUrl}/changes`)
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader?.read())?.value).toContain('"number":1')
    for (const path of [
      '/overview',
      '/choices',
      '/referrals',
      `/referrals/${uuid}`,
      '/results',
      '/deliveries',
    ])
      await read(fake, path)
    for (const path of ['/webhooks', '/requests', '/requests/1', '/faults', '/directory'])
      await read(fake, path)
    fake.trigger('referral.refunded')
    expect((await reader?.read())?.value).toContain('"number":2')
    await fake.tokens.issue()
    expect((await reader?.read())?.value).toContain('"number":3')
    await reader?.cancel()
  })

  it('the data of the console contain no secrets and no records of other organisations', async () => {
    const fake = await startFake({
      centreCount: 10,
      clientSecret: 'canary-client',
      signingSecret: 'canary-signing',
    })
    const [foreign] = fake.referrals.ofOtherOrganisation()
    await orderOverApi(fake)
    const responses = await Promise.all(
      ['/overview', '/choices', '/options', '/requests/1', '/webhooks', `/referrals/${foreign?.uuid}`].map(
        (path) => read(fake, path),
      ),
    )
    expect(JSON.stringify(responses)).not.toMatch(/canary|Bearer \w/)
    expect(responses.at(-1)).toMatchObject({ error: true })
  })

  it('an event about a record of another organisation has no link to a view', async () => {
    const fake = await startFake({ centreCount: 10 })
    const links = async () => {
      const { page } = await read(fake, '/overview')
      return records(section(record(page), 'Last events')['timeline']).map(({ href }) => href)
    }
    const uuid = fake.referrals.all()[0]?.uuid ?? ''
    fake.trigger('referral.updated', { entityUuid: uuid })
    fake.trigger('referral.updated', { entityUuid: fake.referrals.ofOtherOrganisation()[0]?.uuid ?? '' })
    expect((await links()).slice(0, 2)).toEqual([undefined, `#/referrals/${uuid}`])
  })

  it('the console lists every centre by name, finds it by suburb and postcode, and describes its opening hours', async () => {
    const fake = await startFake({ centreCount: 120, seedReferrals: 0 })
    const centres = fake.centres.all()
    const { items, total } = await read(fake, '/centres?count=200')
    expect(total).toBe(centres.length)
    const names = records(items).map(({ title }) => String(title))
    expect(names).toEqual(names.toSorted((one, other) => (one < other ? -1 : 1)))
    for (const { id, below } of records(items)) {
      const centre = centres.find((each) => each.uuid === id)
      expect(below).toContain(centre && formatOpeningHours(centre).replaceAll('\n', ', '))
    }
    const last = centres.find(({ uuid }) => uuid === records(items).at(-1)?.['id'])
    const place = `${last?.city} ${last?.state} ${last?.postcode}`
    const found = await read(fake, `/centres?search=${encodeURIComponent(place)}`)
    expect(records(found['items']).map(({ id }) => id)).toContain(last?.uuid)
    expect(await read(fake, `/centres/${last?.uuid}`)).toMatchObject({ title: last?.name })
  })

  it('a search of the console for a status does not match inside a UUID, and the start of a UUID finds its record', async () => {
    const fake = await startFake({ centreCount: 0, seedReferrals: 0 })
    const headers = await authorised(fake)
    const uuid = '12340440-4040-4404-8404-404040404040'
    for (const path of ['/v1/vendors', `/v1/referrals/${uuid}`])
      await (await fake.fetch(`${fake.baseUrl}${path}`, { headers })).text()
    await (await fake.fetch(`${fake.baseUrl}/v1/webhooks/${uuid}`, { headers })).text()
    const statuses = async (query: string) =>
      records((await read(fake, `/requests?${query}`))['items']).map(({ mark }) => record(mark)['text'])
    expect((await statuses('search=404')).every((status) => status === 404)).toBe(true)
    expect(await statuses('search=0440')).toEqual([])
    expect(await statuses('search=1234')).toHaveLength(2)
    expect(await statuses(`search=${uuid}`)).toHaveLength(2)
    expect(await statuses('show=2&route=vendors.list')).toEqual([200])
  })

  it('the console sends a request as a client, and returns its number', async () => {
    const fake = await startFake({ centreCount: 0, seedReferrals: 0 })
    const send = async (body: unknown) => {
      const response = await fetch(`${fake.controlUrl}/console/send`, {
        method: 'POST',
        body: JSON.stringify(body),
      })
      return record(await response.json())
    }
    expect(await send({ method: 'GET', path: '/v1/vendors' })).toEqual({ number: 1 })
    fake.faults.next('*', { reset: 'before' })
    expect(await send({ method: 'POST', path: '/v1/referrals', body: '{"broken' })).toEqual({ number: 2 })
    expect(await read(fake, '/requests/2')).toMatchObject({ marks: [{ text: 'no response' }] })
  })

  it('the console counts the requests of the current period of the request limit', async () => {
    const fake = await startFake({ centreCount: 0, seedReferrals: 0, startTime: '2026-03-02T09:00:00Z' })
    fake.faults.quota({ limit: 1, perMs: 60_000 })
    const quota = async (): Promise<unknown> => section(await read(fake, '/faults'), 'Limit requests')['hint']
    await orderOverApi(fake)
    expect(await quota()).toContain('1 request in 1 min. Requests in the current period: 1.')
    await fake.clock.advance({ minutes: 1 })
    expect(await quota()).toContain('Requests in the current period: 0.')
  })

  it('the console names the event of each planned delivery', async () => {
    const fake = await startFake({ centreCount: 0, seedReferrals: 0, startTime: '2026-03-02T09:00:00Z' })
    fake.webhooks.createInPortal({ url: 'http://127.0.0.1:9/hook' })
    await orderOverApi(fake)
    await fake.settled()
    const { page } = await read(fake, '/overview')
    const planned = records(section(record(page), 'Next')['timeline'])
    expect(planned.map(({ title }) => title)).toContain('referral.created is sent')
  })

  it('the console offers a correction only for complete results with biomarkers', async () => {
    const fake = await startFake({ centreCount: 10, seedReferrals: 0 })
    const offers = async (uuid: string): Promise<boolean> =>
      records((await read(fake, `/results/${uuid}`))['buttons']).some(({ label }) => label === 'Amend')
    expect(await offers(fake.results.receiveIncoming().uuid)).toBe(true)
    expect(await offers(fake.results.receiveIncoming({ partial: true }).uuid)).toBe(false)
    expect(await offers(fake.results.receiveIncoming({ reportOnly: true }).uuid)).toBe(false)
  })

  it('the console orders a sample over the API, as a client does', async () => {
    const fake = await startFake({ centreCount: 10 })
    const before = fake.referrals.all().length
    expect(await post(fake, '/console/order')).toBe(200)
    expect(fake.referrals.all()).toHaveLength(before + 1)
    expect(fake.requests.at(-1)).toMatchObject({ route: 'referrals.create', status: 200 })
    for (let count = 0; count < 20; count += 1) await post(fake, '/console/order')
    const numbers = fake.referrals
      .all()
      .slice(before)
      .map(({ tests }) => new Set(tests).size)
    expect(new Set(numbers)).toEqual(new Set([3]))
  })
})

it('a fake without a server has no console', () => {
  expect(createFake({ centreCount: 10 }).controlUrl).toBeUndefined()
})

describe('a delivery that fails', () => {
  /** A fake whose receiver refuses connections, or responds with 503. */
  async function failing(kind: 'refused' | 'status 503'): Promise<FakePathologyService> {
    const fake = await startFake({ seedReferrals: 0, centreCount: 10 })
    const url = 'http://127.0.0.1:9/hook'
    if (kind !== 'refused') fake.deliverTo(url, () => new Response('busy', { status: 503 }))
    fake.webhooks.createInPortal({ url })
    return fake
  }

  it.each([
    ['refused', /the receiver did not respond: .*refused/i],
    ['status 503', /the receiver responded with 503, busy \(the signature is valid\)/],
  ] as const)(
    'the overview of the console says why the last attempt of a delivery failed, also a repeated one: %s',
    async (kind, text) => {
      const fake = await failing(kind)
      fake.trigger('referral.issued', { data: {}, entityUuid: UUID })
      await fake.settled()
      const rejection = async () => record((await read(fake, '/overview'))['rejection'])
      expect(await rejection()).toEqual({ key: '1 1', text: expect.stringMatching(text) })
      await fake.clock.advance({ minutes: 2 })
      expect(await rejection()).toEqual({ key: '1 2', text: expect.stringMatching(text) })
    },
  )

  it('a failing delivery holds back later events of its record, and they link to it in the console', async () => {
    const fake = await failing('status 503')
    fake.trigger('referral.issued', { data: {}, entityUuid: UUID })
    fake.trigger('referral.complete', { data: {}, entityUuid: UUID })
    await fake.settled()
    const marks = async (id: number) => (await read(fake, `/deliveries/${id}`))['marks']
    expect(await marks(1)).toEqual([{ status: 'waiting' }, null])
    expect(await marks(2)).toMatchObject([
      { status: 'waiting', text: 'Waiting for 1', href: '#/deliveries/1' },
      null,
    ])
  })
})
