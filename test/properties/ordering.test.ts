import fc from 'fast-check'
import type { Order, PathologyClient, Referral } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { expectNoCanary } from '../support/canaries.js'
import { clientOf } from '../support/clients.js'
import { OrderBook } from '../support/order-book.js'
import { medicareOrder, order } from '../support/samples.js'
import { type Reply, ScriptedServer } from '../support/scripted-server.js'

const failed = (status: number): Reply => ({
  status,
  json: { error: true, code: 'X', message: 'x', errorList: [] },
})

/** Responses that do not show whether the order was carried out. */
const AMBIGUOUS: Readonly<Record<string, Reply>> = {
  reset: { reset: 'before' },
  cut: { json: { uuid: 'half' }, reset: 'in-body' },
  '408': failed(408),
  '500': failed(500),
  '502': { status: 502, text: '<html>' },
  '503': { ...failed(503), headers: { 'retry-after': '1' } },
  '522': { status: 522, text: '' },
  html: { text: '<html>' },
  empty: { text: '' },
  null: { json: null },
}

/** Responses that show that the order was not carried out. */
const REFUSED: Readonly<Record<string, Reply>> = {
  '400': failed(400),
  '401': failed(401),
  '403': failed(403),
  '404': failed(404),
  '409': failed(409),
  '429': { ...failed(429), headers: { 'retry-after': '1' } },
  '307': { status: 307, headers: { location: 'https://elsewhere.example' } },
}

type Fate =
  | { readonly kind: 'good' }
  | { readonly kind: 'refused'; readonly name: string }
  | { readonly kind: 'ambiguous'; readonly name: string; readonly placed: boolean }

const fate: fc.Arbitrary<Fate> = fc.oneof(
  fc.constant<Fate>({ kind: 'good' }),
  fc.record({ kind: fc.constant('refused' as const), name: fc.constantFrom(...Object.keys(REFUSED)) }),
  fc.record({
    kind: fc.constant('ambiguous' as const),
    name: fc.constantFrom(...Object.keys(AMBIGUOUS)),
    placed: fc.boolean(),
  }),
)

const plan = fc.record({
  /** Outcome of each POST of this order, in turn; later ones succeed. */
  fates: fc.array(fate, { maxLength: 4 }),
  key: fc.constantFrom('random' as const, 'own' as const),
  medicare: fc.boolean(),
})
type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never

const world = fc.record({
  plans: fc.array(plan, { minLength: 1, maxLength: 4 }),
  listFaults: fc.array(fc.constantFrom<Reply>({ reset: 'before' }, failed(503), failed(500), { text: '<' }), {
    maxLength: 4,
  }),
  hiddenFor: fc.nat(4),
  maxRetries: fc.nat(3),
  maxSockets: fc.constantFrom(1, 2, undefined),
})

const referenceOf = (body: string): string => JSON.parse(body).referenceNumber

/** A service that selects the outcome of a POST by the order's reference number. */
async function serviceFor(plans: readonly Plan[], listFaults: readonly Reply[]) {
  const server = await ScriptedServer.start()
  const book = new OrderBook(server)
  const left = new Map(plans.map(({ fates }, index) => [`ref-${index}`, [...fates]]))
  server.on('POST /v1/referrals', ({ body }) => {
    const next = left.get(referenceOf(body))?.shift() ?? { kind: 'good' }
    if (next.kind === 'refused') return REFUSED[next.name] ?? failed(400)
    const made = next.kind === 'good' || next.placed ? book.place(JSON.parse(body)) : []
    return next.kind === 'good' ? { json: made } : (AMBIGUOUS[next.name] ?? failed(500))
  })
  const faults = [...listFaults]
  const list = book.listScript
  server.on('GET /v1/referrals', (request) => faults.shift() ?? list(request))
  return { server, book }
}

interface Outcome {
  readonly resolved?: { readonly referrals: readonly Referral[]; readonly recovered: boolean }
  readonly rejected?: { readonly outcome?: string; readonly name?: string }
}

function create(client: PathologyClient, { key, medicare }: Plan, index: number): Promise<Outcome> {
  const referenceNumber = `ref-${index}`
  const given: Order = medicare ? medicareOrder({ referenceNumber }) : order({ referenceNumber })
  const orderKey = { random: undefined, own: `own-${index}` }[key]
  return client.referrals.create(given, { orderKey }).then(
    (resolved) => ({ resolved }),
    (rejected: unknown) => {
      expectNoCanary(rejected)
      return { rejected: rejected as NonNullable<Outcome['rejected']> }
    },
  )
}

it('an order is never placed twice, whatever the service does, and the caller gets a correct result (§4.1, property)', async () => {
  await fc.assert(
    fc.asyncProperty(world, async ({ plans, listFaults, hiddenFor, ...options }) => {
      const { server, book } = await serviceFor(plans, listFaults)
      book.hiddenFor = hiddenFor
      const client = clientOf(server.origin, options)
      const outcomes = await Promise.all(plans.map((each, index) => create(client, each, index)))
      for (const [index, { resolved, rejected }] of outcomes.entries()) {
        const placed = book.orders.filter(({ referenceNumber }) => referenceNumber === `ref-${index}`)
        const shown = book.referrals.filter(({ referenceNumber }) => referenceNumber === `ref-${index}`)
        expect(placed.length, JSON.stringify(plans[index])).toBeLessThanOrEqual(1)
        if (resolved !== undefined) {
          expect(resolved.referrals.map(({ uuid }) => uuid).sort()).toEqual(
            shown.map(({ uuid }) => uuid).sort(),
          )
          expect(placed).toHaveLength(1)
        } else if (rejected?.outcome !== 'unknown') {
          expect(['not-sent', 'refused', 'failed']).toContain(rejected?.outcome)
          expect(placed, JSON.stringify(plans[index])).toHaveLength(0)
        }
      }
    }),
    { numRuns: 100 },
  )
}, 30_000)

it('a job that runs with its own key until it succeeds has ordered once (§4.1, property)', async () => {
  const own = plan.map((each): Plan => ({ ...each, key: 'own' }))
  await fc.assert(
    fc.asyncProperty(
      own,
      fc.array(fc.constantFrom<Reply>(failed(503), { reset: 'before' }), { maxLength: 3 }),
      async (job, listFaults) => {
        const { server, book } = await serviceFor([job], listFaults)
        let done: Outcome = {}
        for (let run = 0; run < 10 && done.resolved === undefined; run += 1) {
          // Every run uses the client of another process.
          done = await create(clientOf(server.origin, { maxRetries: 0 }), job, 0)
        }
        expect(done.resolved?.referrals).toHaveLength(job.medicare ? 2 : 1)
        expect(book.orders).toHaveLength(1)
      },
    ),
    { numRuns: 40 },
  )
}, 30_000)
