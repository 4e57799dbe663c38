import type { PathologyClient, ResponseValidation } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { clientOf, rejection } from '../support/clients.js'
import { UUID, WEBHOOK_ID, webhook } from '../support/samples.js'
import { ScriptedServer } from '../support/scripted-server.js'

const MODES = ['strict', 'off'] as const satisfies readonly ResponseValidation[]

const REFERRAL = `/v1/referrals/${UUID}`

const METHODS: readonly (readonly [
  string,
  string,
  number,
  (client: PathologyClient) => PromiseLike<unknown>,
])[] = [
  ['referrals.retrieve', `GET ${REFERRAL}`, 3, ({ referrals }) => referrals.retrieve(UUID)],
  ['referrals.document', `GET ${REFERRAL}`, 3, ({ referrals }) => referrals.document(UUID)],
  [
    'referrals.waitFor',
    `GET ${REFERRAL}`,
    3,
    ({ referrals }) => referrals.waitFor(UUID, { until: () => true }),
  ],
  ['referrals.generateResults', `PUT ${REFERRAL}`, 1, ({ referrals }) => referrals.generateResults(UUID)],
  ['prices.calculate', 'POST /v1/calculate', 3, ({ prices }) => prices.calculate({ tests: ['fbc'] })],
  ['webhooks.eventNames', 'GET /v1/webhook-events', 3, ({ webhooks }) => webhooks.eventNames()],
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
    `with the validation ${mode}, an error envelope with status 200 is an error of %s, retried if a repeat is safe (§7)`,
    async (_, route, requests, call) => {
      const { server, client } = await setUp(mode)
      for (const json of ENVELOPES) {
        server.on(route, { json })
        const error = await rejection(call(client))
        expect([json, error]).toEqual([json, expect.objectContaining(told)])
        expect(server.count(route)).toBe(requests)
      }
    },
  )

  it.each([
    ['no list', {}],
    ['an envelope', ENVELOPES[0]],
    ['a value that is not a record', { webhooks: [null] }],
    [
      'a full page without a cursor',
      { webhooks: Array.from({ length: 20 }, () => webhook({ createdAt: '2999-01-01' })) },
    ],
  ])(
    `with the validation ${mode}, webhooks.create is not sent again after a list that has %s (§4.6)`,
    async (_, json) => {
      const { server, client } = await setUp(mode)
      server.on('POST /v1/webhooks', { reset: 'before' }).on('GET /v1/webhooks', { json })
      const error = await rejection(
        client.webhooks.create({ url: 'https://a.example/in', events: ['referral.issued'] }),
      )
      expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' })
      expect(server.count('POST /v1/webhooks')).toBe(1)
    },
  )
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
    it.each(unreadable)(
      `with the validation ${mode}, centres.changes has an error and no nextSince after %s (§4.5)`,
      async (_, pages) => {
        const { error, nextSince } = await changes(mode, ...pages)
        expect(error).toMatchObject({ name: 'InvalidResponseError', outcome: 'failed' })
        expect(nextSince).toBeUndefined()
      },
    )

    it.each([
      ['nothing changed', 0, [{ collectionCentres: [], totalResults: 0 }]],
      ['fewer than a page', 3, [{ collectionCentres: centres(3) }]],
      [
        'more than a page',
        8,
        [{ collectionCentres: centres(5), cursor: full('x', 5) }, { collectionCentres: centres(3, 5) }],
      ],
    ] as const)(
      `with the validation ${mode}, centres.changes has a nextSince if %s: %i changes (§4.5)`,
      async (_, count, pages) => {
        const { error, nextSince, read } = await changes(mode, ...pages)
        expect(error).toBeUndefined()
        expect(read).toBe(count)
        expect(nextSince).toMatch(/^\d{4}-\d\d-\d\dT/)
      },
    )
  })
})
