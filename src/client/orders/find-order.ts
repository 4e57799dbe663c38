import { without } from '../../common/known-options.js'
import { endpoints } from '../../contract/endpoints.js'
import type { ReferralEventData } from '../../contract/events.js'
import { isUuid } from '../../contract/identifiers.js'
import { fieldOf, ownFieldOf } from '../../contract/read.js'
import type { Referral } from '../../contract/types.js'
import { CALL_OPTIONS, type RequestOptions } from '../call/request-options.js'
import { optionsCopy } from '../core/caller-input.js'
import { InvalidRequestError } from '../errors/errors.js'
import { lookUpKey, windowStartOf } from './lookup.js'
import { orderKeyOf, orderKeyProblem, type PlacedOrder } from './order.js'
import type { OrderOptions, Orders } from './place-order.js'

const FIND_OPTIONS = new Set([...CALL_OPTIONS, 'since'])

/** Looks up an order by its key. Never places an order. */
export async function findOrder(
  orders: Orders,
  orderKey: string,
  options: RequestOptions & Pick<OrderOptions, 'since'>,
): Promise<PlacedOrder | undefined> {
  const operation = 'referrals.findByOrderKey'
  const own = optionsCopy(operation, options, FIND_OPTIONS)
  const problem = orderKeyProblem(orderKey)
  if (problem !== undefined)
    throw new InvalidRequestError(operation, [{ message: problem, field: 'orderKey' }])
  const requestOptions = without(own, 'since')
  const window = { windowStart: windowStartOf(orders.api.context.serverClock, own.since), repeatMs: 0 }
  await orders.api.check(endpoints.referrals.list, { operation }, requestOptions)
  const sought = { orderKey, older: new Set<string>() }
  return (await lookUpKey(orders, sought, window, requestOptions)).placed
}

/** Webhook event about a referral. */
export interface ReferralEvent {
  /** Name of the event, such as `referral.created`. */
  readonly eventName: string
  /** Data of the event. */
  readonly data: ReferralEventData
}

/**
 * Records in the ledger that the order of a referral was placed. Returns `false` in these cases:
 * - The source has no order key.
 * - The source is an event without the UUID of a referral.
 * - The ledger has no entry.
 */
export async function recordOrder({ ledger }: Orders, source: Referral | ReferralEvent): Promise<boolean> {
  const uuid = referralUuidOf(source)
  const key = orderKeyOf(source)
  if (key === undefined || uuid === undefined) return false
  const { session } = await ledger.load()
  return session.run('resolve', session.nameOf(key), { placed: [uuid] })
}

/** Returns `undefined` for an event without the UUID of a referral. Throws for data of another kind. */
function referralUuidOf(source: unknown): string | undefined {
  const eventName = ownFieldOf(source, 'eventName')
  const isEvent = typeof eventName === 'string'
  if (isEvent && !eventName.startsWith('referral.')) return undefined
  const uuid = ownFieldOf(isEvent ? ownFieldOf(source, 'data') : source, 'uuid')
  // A result has a UUID and the order key too, but the UUID of a result is not the UUID of a referral.
  const isResult = !isEvent && fieldOf(source, 'provenance') !== undefined
  if (isUuid(uuid) && !isResult) return uuid
  // The service documents the data of only some events, so an event may have no UUID.
  if (isEvent) return undefined
  const message = 'referralOrEvent must be a referral or a webhook event about a referral'
  throw new InvalidRequestError('referrals.recordOrder', [{ message, field: 'referralOrEvent' }])
}
