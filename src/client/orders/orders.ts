import { ConfigurationError } from '../../common/errors.js'
import { Lazy, loaded } from '../../common/lazy-import.js'
import { endpoints } from '../../contract/endpoints.js'
import type { Order, Referral } from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import type { WithResponse } from '../call/api-promise.js'
import { CALL_OPTIONS, type RequestOptions } from '../call/request-options.js'
import { givenTime, JsonBody, optionsCopy, timeOf } from '../core/caller-input.js'
import { InvalidRequestError } from '../errors/errors.js'
import type { LedgerSettings } from '../ledger/ledger-options.js'
import type { CursorIterator } from '../pagination/cursor-iterator.js'
import { hasPassed, listOf, NEWEST_FIRST, orderAfter, type PaginationOptions } from '../pagination/list.js'
import {
  type GivenOrder,
  isSameReference,
  type OrderOptions,
  orderKeyOf,
  orderKeyProblem,
  orderToSend,
  type PlacedOrder,
  type ReferralEvent,
  referralUuidOf,
} from './order.js'
import type { OrderContext } from './place-order.js'
import type { ValidateOptions } from './validate-order.js'

/** Options of a search by reference number. */
export interface FindOptions extends RequestOptions, Pick<PaginationOptions, 'prefetch'> {
  /**
   * Earliest time of creation: a `Date` or ISO 8601; a time without an offset is in UTC. Default: no limit, so the
   * complete list is read.
   */
  readonly since?: Date | string | undefined
}

/** The orders of a client. Their code, with the ledger's, is loaded on first use; their input is copied at the call. */
export class Orders {
  readonly #api: ApiClient
  readonly #code: Lazy<typeof import('./place-order.js') & { readonly context: OrderContext }>

  constructor(api: ApiClient, settings: LedgerSettings) {
    this.#api = api
    this.#code = new Lazy(async () => {
      const code = await import('./place-order.js')
      return { ...code, context: code.orderContext(api.inner, settings) }
    })
  }

  /** Places an order. `generatedKey` is its key if the caller gave none. */
  place(order: Order, options: OrderOptions, generatedKey: string): Promise<WithResponse<PlacedOrder>> {
    return this.#api.composite(endpoints.referrals.create.id, async () => {
      const given = givenOrder(order, options, generatedKey)
      const { placeOrder, context } = this.#code.value ?? (await this.#code.load())
      // Awaited, so that the stack trace of an error has the caller's line.
      return await placeOrder(context, given)
    })
  }

  /** Looks up an order by its key. Never places an order. */
  find(
    orderKey: string,
    options: RequestOptions & Pick<OrderOptions, 'since'>,
  ): Promise<PlacedOrder | undefined> {
    const operation = 'referrals.findByOrderKey'
    return this.#api.composite(operation, async () => {
      const { since, ...own } = optionsCopy(operation, options, FIND_OPTIONS)
      const problem = orderKeyProblem(orderKey)
      if (problem !== undefined)
        throw new InvalidRequestError(operation, [{ message: problem, field: 'orderKey' }])
      const { findOrder, context } = this.#code.value ?? (await this.#code.load())
      return findOrder(context, orderKey, since, { operation, options: own })
    })
  }

  /** Returns the referrals with a reference number of the integrator, newest first, each once. */
  findByReferenceNumber(referenceNumber: string, options: FindOptions): CursorIterator<Referral> {
    const operation = 'referrals.findByReferenceNumber'
    const { since: given, prefetch, ...own } = optionsCopy(operation, options, SEARCH_OPTIONS)
    const invalid = (message: string, field: string) =>
      new InvalidRequestError(operation, [{ message, field }])
    const query = { sort: 'desc', skipDuplicates: true, prefetch }
    return listOf(this.#api, endpoints.referrals.list, query, own, {
      operation,
      mustBeComplete: true,
      select: () => {
        if (typeof referenceNumber !== 'string' || referenceNumber.trim() === '')
          throw invalid('referenceNumber must be a string that is not empty', 'referenceNumber')
        const since = givenTime('since', given, Number.NEGATIVE_INFINITY, invalid)
        let order = NEWEST_FIRST
        return (items) => {
          // The cast is safe, because the list contains only referrals.
          const referrals = items as readonly Referral[]
          order = orderAfter(order, referrals)
          const isFound = (referral: Referral): boolean =>
            isSameReference(referral.referenceNumber, referenceNumber) &&
            !(timeOf(referral.createdAt) < since)
          return { items: referrals.filter(isFound), isLast: hasPassed(order, since) }
        }
      },
    })
  }

  /** Records in the ledger that the order of a referral was placed. Returns `false` if the ledger has no entry of it. */
  record(source: Referral | ReferralEvent): Promise<boolean> {
    return this.#api.composite('referrals.recordOrder', async () => {
      const [uuid, key] = [referralUuidOf(source), orderKeyOf(source)]
      if (key === undefined || uuid === undefined) return false
      const { ledger } = (await this.#code.load()).context
      return ledger.run('resolve', ledger.nameOf(key), { placed: [uuid] })
    })
  }

  async validate(order: unknown, options: ValidateOptions): Promise<Order> {
    const own = optionsCopy(VALIDATE, options, VALIDATE_OPTIONS)
    const { value } = new JsonBody(VALIDATE, order)
    const { checkOrder } = await loaded(import('./validate-order.js'))
    await checkOrder(this.#api, value, own)
    // The cast is safe, because the order was checked.
    return order as Order
  }

  /** Loads the code. */
  load(): Promise<unknown> {
    return Promise.all([this.#code.load(), loaded(import('./validate-order.js'))])
  }

  /** Waits for the operations of the ledger in the background, for a limited time. */
  async close(): Promise<void> {
    await this.#code.value?.context.ledger.close()
  }
}

const ORDER_OPTIONS = new Set([...CALL_OPTIONS, 'orderKey', 'since', 'lookupTimeout'])
const FIND_OPTIONS = new Set([...CALL_OPTIONS, 'since'])
const SEARCH_OPTIONS = new Set([...CALL_OPTIONS, 'since', 'prefetch'])
const VALIDATE_OPTIONS = new Set([...CALL_OPTIONS, 'plausible', 'catalogue'])
const VALIDATE = 'referrals.validate'

function givenOrder(order: Order, options: OrderOptions, generatedKey: string): GivenOrder {
  const { id } = endpoints.referrals.create
  const own = optionsCopy(id, options, ORDER_OPTIONS)
  const { orderKey = generatedKey, since, lookupTimeout, ...callOptions } = own
  const problem = orderKeyProblem(orderKey)
  if (problem !== undefined) throw new ConfigurationError(`${problem}; nothing was sent`)
  const hasOwnKey = own.orderKey !== undefined
  // With an `orderKey` that is `undefined` by mistake, each run would create a new order.
  if (!hasOwnKey && (since !== undefined || lookupTimeout !== undefined))
    throw new ConfigurationError('since and lookupTimeout require your own orderKey')
  const body = new JsonBody(id, orderToSend(order, orderKey))
  return { body, orderKey, hasOwnKey, since, lookupTimeout, options: callOptions }
}
