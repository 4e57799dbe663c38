import { endpoints } from '../../contract/endpoints.js'
import type { Order, Referral } from '../../contract/types.js'
import { Deadline } from '../call/deadline.js'
import type { Pipeline, Settled, Unsettled } from '../call/pipeline.js'
import type { RequestOptions } from '../client-options.js'
import { listOf } from '../lists/lists.js'
import { expectedReferrals, orderKeyOf, type PlacedOrder, placedOrder } from './order.js'
import { OrderOutcomeUnknownError } from './order-outcome-error.js'

/** How far before the order's start the search goes back: clocks differ, and Date headers are whole seconds. */
const SLACK_MS = 5 * 60_000

/** Pauses between looks, in milliseconds, each longer than the one before, up to the last. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 5_000

/** What identifies the order that is looked for. */
export interface SoughtOrder {
  readonly order: Order
  readonly orderKey: string | undefined
}

/** An order that is looked for, and since when it can be there, by the service's clock as far as it is known. */
interface Search {
  readonly sought: SoughtOrder
  readonly since: () => number
  readonly call: RequestOptions
}

/** What a search has come to. */
interface Finding {
  readonly found: readonly Referral[]
  /** Why the last look failed, if it did. */
  readonly error?: unknown
}

/** Finds orders whose answer was lost, among the newest referrals (§4.1 has no idempotency key). */
export class OrderRecovery {
  readonly #pipeline: Pipeline

  constructor(pipeline: Pipeline) {
    this.#pipeline = pipeline
  }

  /** Looks several times over a bounded window; throws `OrderOutcomeUnknownError` when the order does not show. */
  async settle(sought: SoughtOrder, unsettled: Unsettled, call: RequestOptions): Promise<Settled> {
    const since = (): number => unsettled.startedAt() - SLACK_MS
    const { found, error = unsettled.error } = await this.#watch({ sought, since, call })
    if (isWhole(sought, found)) return { data: found }
    throw this.#unknown({ sought, since, call }, unsettled, found, error)
  }

  /** The order with this key, if it was placed at or after `since`; what of it does not show yet is waited for. */
  async findByKey(
    sought: SoughtOrder,
    since: () => number,
    call: RequestOptions,
  ): Promise<PlacedOrder | undefined> {
    const search = { sought, since, call }
    const found = await this.#look(search)
    if (found.length === 0) return undefined
    if (isWhole(sought, found)) return placedOrder(found, sought.orderKey, true)
    const later = await this.#watch(search)
    if (isWhole(sought, later.found)) return placedOrder(later.found, sought.orderKey, true)
    const unsettled = { startedAt: since, attempts: 0 }
    throw this.#unknown(search, unsettled, later.found, later.error)
  }

  #unknown(
    search: Search,
    { startedAt, attempts }: Pick<Unsettled, 'startedAt' | 'attempts'>,
    candidates: readonly Referral[],
    cause: unknown,
  ): OrderOutcomeUnknownError {
    const { sought } = search
    return new OrderOutcomeUnknownError({
      orderKey: sought.orderKey,
      startedAt: new Date(startedAt()),
      attempts,
      candidates: candidates.map((referral) => referral.uuid),
      cause,
      recover: async () => {
        const found = await this.#look({ ...search, call: { ...search.call, signal: undefined } })
        return isWhole(sought, found) ? placedOrder(found, sought.orderKey, true) : undefined
      },
    })
  }

  /** Looks until the order shows or the window closes. A look that fails is no answer: the service may be starting. */
  async #watch(search: Search): Promise<Finding> {
    const { options, signals } = this.#pipeline.parts
    const { clock, orderRecoveryMs } = options
    const { signal } = search.call
    const deadline = new Deadline(clock, Number.POSITIVE_INFINITY, signals.of(signal))
    const closesAt = clock.monotonic() + orderRecoveryMs
    try {
      for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause + FIRST_PAUSE_MS)) {
        const finding = await this.#look(search).then(asFinding, asFailure)
        signal?.throwIfAborted()
        const left = closesAt - clock.monotonic()
        if (isWhole(search.sought, finding.found) || left <= 0) return finding
        await deadline.sleep(Math.min(pause, left)).catch(() => signal?.throwIfAborted())
      }
    } finally {
      deadline.dispose()
    }
  }

  /** The referrals that could be the order, oldest first. */
  async #look({ sought, since, call }: Search): Promise<readonly Referral[]> {
    const { signal, headers, apiVersion } = call
    const list = listOf<Referral>(
      this.#pipeline,
      endpoints.referrals.list,
      { sort: 'desc' },
      { signal, headers, apiVersion },
    )
    const found: Referral[] = []
    for await (const referral of list) {
      if (Date.parse(referral?.createdAt) < since()) break
      if (matches(sought, referral)) found.unshift(referral)
    }
    return found
  }
}

function asFinding(found: readonly Referral[]): Finding {
  return { found }
}

function asFailure(error: unknown): Finding {
  return { found: [], error }
}

/** By the key alone when there is one; else by reference number, name and date of birth. */
function matches({ order, orderKey }: SoughtOrder, referral: Referral): boolean {
  if (orderKey !== undefined) return orderKeyOf(referral) === orderKey
  const person = referral?.person
  return (
    referral?.referenceNumber === order.referenceNumber &&
    person?.firstName === order.firstName &&
    person.lastName === order.lastName &&
    person.dob === order.dob
  )
}

/** Without a key more candidates than the order makes referrals are more than one order: none is picked. */
function isWhole({ order, orderKey }: SoughtOrder, found: readonly Referral[]): boolean {
  const expected = expectedReferrals(order)
  return orderKey === undefined ? found.length === expected : found.length >= expected
}
