import type { Order, Referral } from 'pathology-sdk'
import { referral } from './samples.js'
import type { Reply, ScriptedServer, SeenRequest } from './scripted-server.js'

/**
 * Outcome of an order. `answer`: stored, and the response is normal. A reply: stored, with this response. `not placed`:
 * not stored, and the connection is reset.
 */
export type Fate = Reply | 'answer' | 'not placed'

/** The service's side of ordering: the stored orders, and the list that shows them, newest first. */
export class OrderBook {
  /** One entry for each POST that was carried out. */
  readonly orders: Order[] = []
  readonly referrals: Referral[] = []
  /** Number of reads of the list after which referrals appear in it. */
  hiddenFor = 0
  pageSize = 20
  /** `false`: the response to an order of one referral is one object, as in version 1.0.0. */
  alwaysList = false
  #listReads = 0
  readonly #now: () => number

  /** @param now - The service's clock. */
  constructor(server: ScriptedServer, fates: readonly Fate[] = ['answer'], now: () => number = Date.now) {
    this.#now = now
    server.on('POST /v1/referrals', (request, nth) => this.#post(request, fates[nth - 1] ?? 'answer'))
    server.on('GET /v1/referrals', this.listScript)
    server.on('GET /v1/referrals/*', ({ path }) => this.#read(path.split('/').at(-1) ?? ''))
  }

  /** Responds with the list of referrals. */
  readonly listScript = (request: SeenRequest): Reply => this.#list(request)

  /** Number of requests for the list. */
  get listReads(): number {
    return this.#listReads
  }

  /** Stores an order, as if another process had placed it. */
  place(order: Order, createdAt = new Date(this.#now())): Referral[] {
    this.orders.push(order)
    const common: Partial<Referral> = {
      person: { ...referral().person, ...pick(order), dob: order.dob },
      referenceNumber: order.referenceNumber,
      metadata: order.metadata ?? null,
      createdAt: createdAt.toISOString(),
      updatedAt: createdAt.toISOString(),
    }
    const made: Referral[] = []
    const { tests = [], bundleId, medicareTests } = order
    if (order.tests !== undefined || bundleId !== undefined)
      made.push(referral({ ...common, medicare: false, tests: [...tests] }))
    if (medicareTests !== undefined)
      made.push(referral({ ...common, medicare: true, tests: [...medicareTests] }))
    this.referrals.push(...made)
    return made
  }

  #post(request: SeenRequest, fate: Fate): Reply {
    const order: Order = JSON.parse(request.body)
    if (fate === 'not placed') return { reset: 'before' }
    const made = this.place(order)
    if (fate !== 'answer') return fate
    return { json: made.length === 1 && !this.alwaysList ? made[0] : made }
  }

  #read(uuid: string): Reply {
    const found = this.referrals.find((each) => each.uuid === uuid)
    return found === undefined ? { status: 404, json: { code: 'REFERRAL_NOT_FOUND' } } : { json: found }
  }

  #list({ query }: SeenRequest): Reply {
    this.#listReads += 1
    const shown = this.#listReads > this.hiddenFor ? this.referrals : []
    const sorted = query.get('sort') === 'desc' ? [...shown].reverse() : shown
    const start = Number(query.get('cursor') ?? 0)
    const items = sorted.slice(start, start + this.pageSize)
    const cursor = { cursor: String(start + items.length), count: this.pageSize, resultCount: items.length }
    return { json: items.length === 0 ? { referrals: [] } : { referrals: items, cursor } }
  }
}

function pick({ firstName, lastName, email, phone }: Order) {
  return { firstName, lastName, email, phone }
}
