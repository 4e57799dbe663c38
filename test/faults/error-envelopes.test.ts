import type { PathologyClient, ResponseValidation } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { clientOf, rejection } from '../support/clients.js'
import { PROVIDER_NUMBER, referral, UUID, WEBHOOK_ID, webhook } from '../support/samples.js'
import { type Reply, ScriptedServer } from '../support/scripted-server.js'

const MODES = ['strict', 'off'] as const satisfies readonly ResponseValidation[]

const REFERRAL = `/v1/referrals/${UUID}`
const PROVIDER = `/v1/providers/${PROVIDER_NUMBER}`
const WEBHOOK = `/v1/webhooks/${WEBHOOK_ID}`
const attestation = { attestedBy: 'Dr Roe', doctorSignedAt: new Date() }
const record = { providerNumber: PROVIDER_NUMBER, name: 'Dr Roe', address: '1 Road' }

/** Every method that returns one object, with its request and its outcome after an error. */
const METHODS: readonly (readonly [
  name: string,
  route: string,
  outcome: 'failed' | 'unknown',
  call: (client: PathologyClient) => PromiseLike<unknown>,
])[] = [
  ['referrals.retrieve', `GET ${REFERRAL}`, 'failed', ({ referrals }) => referrals.retrieve(UUID)],
  ['referrals.delete', `DELETE ${REFERRAL}`, 'unknown', ({ referrals }) => referrals.delete(UUID)],
  [
    'referrals.generateResults',
    `PUT ${REFERRAL}`,
    'unknown',
    ({ referrals }) => referrals.generateResults(UUID),
  ],
  ['referrals.document', `GET ${REFERRAL}`, 'failed', ({ referrals }) => referrals.document(UUID)],
  [
    'referrals.waitFor',
    `GET ${REFERRAL}`,
    'failed',
    ({ referrals }) => referrals.waitFor(UUID, { until: () => true }),
  ],
  ['results.retrieve', `GET /v1/results/${UUID}`, 'failed', ({ results }) => results.retrieve(UUID)],
  ['results.document', `GET /v1/results/${UUID}`, 'failed', ({ results }) => results.document(UUID)],
  ['prices.calculate', 'POST /v1/calculate', 'failed', ({ prices }) => prices.calculate({ tests: ['fbc'] })],
  ['providers.save', 'POST /v1/providers', 'unknown', ({ providers }) => providers.save(record)],
  ['providers.retrieve', `GET ${PROVIDER}`, 'failed', ({ providers }) => providers.retrieve(PROVIDER_NUMBER)],
  [
    'providers.update',
    `PUT ${PROVIDER}`,
    'unknown',
    ({ providers }) => providers.update(PROVIDER_NUMBER, { name: 'Dr Roe' }),
  ],
  ['providers.retire', `DELETE ${PROVIDER}`, 'unknown', ({ providers }) => providers.retire(PROVIDER_NUMBER)],
  [
    'providers.requestRouting',
    `POST ${PROVIDER}/routing`,
    'unknown',
    ({ providers }) => providers.requestRouting(PROVIDER_NUMBER, { vendorIds: ['a'], attestation }),
  ],
  [
    'centres.retrieve',
    `GET /v1/collection-centres/${UUID}`,
    'failed',
    ({ centres }) => centres.retrieve(UUID),
  ],
  ['webhooks.retrieve', `GET ${WEBHOOK}`, 'failed', ({ webhooks }) => webhooks.retrieve(WEBHOOK_ID)],
  [
    'webhooks.update',
    `PATCH ${WEBHOOK}`,
    'unknown',
    ({ webhooks }) => webhooks.update(WEBHOOK_ID, { active: true }),
  ],
  ['webhooks.delete', `DELETE ${WEBHOOK}`, 'unknown', ({ webhooks }) => webhooks.delete(WEBHOOK_ID)],
  ['webhooks.eventNames', 'GET /v1/webhook-events', 'failed', ({ webhooks }) => webhooks.eventNames()],
]

const marks = { code: 'REFERRAL_NOT_FOUND', message: 'Unable to find Mr Roe', errorList: [] }
const ENVELOPES: readonly unknown[] = [
  { error: true, ...marks },
  { data: { error: true, ...marks } },
  { error: true, ...marks, uuid: UUID, id: WEBHOOK_ID, events: [], calculatePrice: {} },
]

const told = {
  name: 'InvalidResponseError',
  code: 'RESPONSE_ERROR_ENVELOPE',
  reason: 'error-envelope',
  status: 200,
}

async function setUp(responseValidation: ResponseValidation = 'warn') {
  const server = await ScriptedServer.start()
  return { server, client: clientOf(server.origin, { responseValidation }) }
}

describe.each(MODES)('with the validation %s', (mode) => {
  it.each(METHODS)(
    'an error envelope with status 200 is an error of %s, retried if a repeat is safe (§7)',
    async (name, route, outcome, call) => {
      const requests = name === 'referrals.generateResults' ? 1 : 3
      const { server, client } = await setUp(mode)
      for (const json of ENVELOPES) {
        server.on(route, { json })
        const error = await rejection(call(client))
        expect([json, error]).toEqual([json, expect.objectContaining({ ...told, outcome })])
        expect(server.count(route)).toBe(requests)
      }
    },
  )

  it('an error envelope with status 200 is reconciled by a read for referrals.update (§4.1)', async () => {
    const { server, client } = await setUp(mode)
    const done = referral({ uuid: UUID, status: 'SCHEDULED_REISSUE', updatedAt: new Date().toISOString() })
    server.on(`PATCH ${REFERRAL}`, { json: ENVELOPES[0] }).on(`GET ${REFERRAL}`, { json: done })
    await expect(client.referrals.update(UUID, { metadata: {} })).resolves.toEqual(done)
    expect(server.count(`PATCH ${REFERRAL}`)).toBe(1)
    const other = referral({ uuid: UUID, status: 'ISSUED' })
    server.on(`PATCH ${REFERRAL}`, { json: ENVELOPES[0] }).on(`GET ${REFERRAL}`, { json: other })
    const error = await rejection(client.referrals.update(UUID, { email: 'other@clinic.example' }))
    expect(error).toMatchObject({ ...told, outcome: 'unknown' })
    expect(server.count(`PATCH ${REFERRAL}`)).toBe(2)
  })

  it('an error envelope with status 200 is reconciled by the list for webhooks.create (§4.6)', async () => {
    const { server, client } = await setUp(mode)
    const made = webhook({ createdAt: new Date().toISOString() })
    const list: Reply = { json: { webhooks: [made] } }
    server.on('POST /v1/webhooks', { json: ENVELOPES[0] }).on('GET /v1/webhooks', list)
    await expect(client.webhooks.create({ url: made.url, events: [...made.events] })).resolves.toEqual(made)
    expect(server.count('POST /v1/webhooks')).toBe(1)
  })

  it.each([
    ['no list', {}],
    ['an envelope', ENVELOPES[0]],
    ['a value that is not a record', { webhooks: [null] }],
    [
      'a full page without a cursor',
      { webhooks: Array.from({ length: 20 }, () => webhook({ createdAt: '2999-01-01' })) },
    ],
  ])('webhooks.create is not sent again after a list that cannot be read: %s (§4.6)', async (_, json) => {
    const { server, client } = await setUp(mode)
    server.on('POST /v1/webhooks', { reset: 'before' }).on('GET /v1/webhooks', { json })
    const error = await rejection(
      client.webhooks.create({ url: 'https://a.example/in', events: ['referral.issued'] }),
    )
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' })
    expect(server.count('POST /v1/webhooks')).toBe(1)
  })
})

describe('the error of an envelope', () => {
  it("the error of an envelope has the service's code if it is known, and nothing else of the envelope (§7)", async () => {
    const { server, client } = await setUp()
    const route = `GET ${REFERRAL}`
    server.on(route, { json: ENVELOPES[0] })
    const known = await rejection(client.referrals.retrieve(UUID))
    expect(String(known)).toContain('(REFERRAL_NOT_FOUND)')
    expect(String(known)).not.toContain('Roe')
    server.on(route, { json: { error: true, code: 'ROE', message: 'Roe', errorList: ['Roe'] } })
    expect(String(await rejection(client.referrals.retrieve(UUID)))).not.toMatch(/roe/i)
  })
})

describe('centres.changes', () => {
  const centres = (count: number, from = 0): object[] =>
    Array.from({ length: count }, (_, index) => ({ uuid: `c-${from + index}`, status: 'ACTIVE' }))
  const full = (next: string, count: number) => ({ cursor: next, count, resultCount: count })

  async function changes(mode: ResponseValidation, ...pages: readonly unknown[]) {
    const { server, client } = await setUp(mode)
    server.on('GET /v1/collection-centres', ...pages.map((json) => ({ json })))
    const walk = client.centres.changes({ since: '2026-01-01' })
    const uuids: string[] = []
    const read = async (): Promise<undefined> => {
      for await (const { uuid } of walk) uuids.push(uuid)
      return undefined
    }
    const error: unknown = await read().catch((reason: unknown) => reason)
    return { error, nextSince: walk.nextSince, read: uuids.length }
  }

  const unreadable: readonly (readonly [string, readonly unknown[]])[] = [
    ['an empty object', [{}]],
    ['a bare list', [[]]],
    ['another list', [{ data: [] }]],
    ['null for the list', [{ collectionCentres: null, totalResults: 0 }]],
    ['an envelope', [ENVELOPES[0]]],
    ['a centre without its uuid', [{ collectionCentres: [{ status: 'RETIRED' }] }]],
    ['a full page without a cursor', [{ collectionCentres: centres(50) }]],
    ['fewer than the total', [{ collectionCentres: centres(3), totalResults: 4 }]],
    ['none of the total', [{ collectionCentres: [], totalResults: 4 }]],
    [
      'a short page before the total',
      [
        {
          collectionCentres: centres(3),
          totalResults: 4,
          cursor: { cursor: 'x', count: 10_000, resultCount: 3 },
        },
      ],
    ],
    [
      'fewer centres than the page says',
      [{ collectionCentres: centres(3), cursor: { cursor: 'x', count: 10_000, resultCount: 4 } }],
    ],
    [
      'a second page that is full, without a cursor',
      [{ collectionCentres: centres(5), cursor: full('x', 5) }, { collectionCentres: centres(5, 5) }],
    ],
    [
      'an envelope on the second page',
      [{ collectionCentres: centres(5), cursor: full('x', 5) }, ENVELOPES[0]],
    ],
    ['a full page without a cursor', [{ collectionCentres: centres(50), totalResults: 50 }]],
    ['nothing on the second page', [{ collectionCentres: centres(5), cursor: full('x', 5) }, {}]],
  ]

  describe.each(['warn', 'off'] as const)('with the validation %s', (mode) => {
    it.each(unreadable)('centres.changes has an error and no nextSince after %s (§4.5)', async (_, pages) => {
      const { error, nextSince } = await changes(mode, ...pages)
      expect(error).toMatchObject({ name: 'InvalidResponseError', outcome: 'failed' })
      expect(nextSince).toBeUndefined()
    })

    it.each([
      ['nothing changed', 0, [{ collectionCentres: [], totalResults: 0 }]],
      ['fewer than a page', 3, [{ collectionCentres: centres(3) }]],
      [
        'more than a page',
        8,
        [{ collectionCentres: centres(5), cursor: full('x', 5) }, { collectionCentres: centres(3, 5) }],
      ],
    ] as const)('centres.changes has a nextSince if %s: %i changes (§4.5)', async (_, count, pages) => {
      const { error, nextSince, read } = await changes(mode, ...pages)
      expect(error).toBeUndefined()
      expect(read).toBe(count)
      expect(nextSince).toMatch(/^\d{4}-\d\d-\d\dT/)
    })
  })
})
