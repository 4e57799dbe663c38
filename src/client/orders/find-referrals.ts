import { without } from '../../common/known-options.js'
import { endpoints } from '../../contract/endpoints.js'
import type { Referral } from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import type { RequestOptions } from '../call/request-options.js'
import { timeOf, timeOfSince } from '../core/option-values.js'
import { optionsSnapshot } from '../core/snapshot.js'
import { InvalidRequestError } from '../errors/errors.js'
import type { CursorIterator } from '../pagination/cursor-iterator.js'
import { listOf, type PaginationOptions } from '../pagination/list.js'
import { NewestFirst } from '../pagination/page-sequence.js'
import { isSameReference } from './match-order.js'

/** Options of a search by reference number. */
export interface FindOptions extends RequestOptions, Pick<PaginationOptions, 'prefetch'> {
  /** Earliest time of creation: a `Date` or ISO 8601. Default: no limit, so the complete list is read. */
  readonly since?: Date | string | undefined
}

const OPERATION = 'referrals.findByReferenceNumber'

/** Returns the referrals with one of the integrator's references, newest first, each once. */
export function findByReferenceNumber(
  api: ApiClient,
  referenceNumber: string,
  options: FindOptions,
): CursorIterator<Referral> {
  const own = optionsSnapshot(OPERATION, options)
  const query = { sort: 'desc', skipDuplicates: true, prefetch: own.prefetch }
  const oldest = (): number =>
    timeOfSince(own.since, Number.NEGATIVE_INFINITY, (message) => refused(message, 'since'))
  return listOf(api, endpoints.referrals.list, query, without(own, 'since', 'prefetch'), {
    operation: OPERATION,
    mustBeComplete: true,
    check: () => {
      if (typeof referenceNumber !== 'string' || referenceNumber.trim() === '')
        throw refused('referenceNumber must be a string that is not empty', 'referenceNumber')
      oldest()
    },
    select: () => {
      const order = new NewestFirst()
      return (items) => {
        // The cast is safe, because the list contains only referrals.
        const referrals = items as readonly Referral[]
        const since = oldest()
        order.take(referrals)
        const found = referrals.filter(
          (referral) =>
            isSameReference(referral.referenceNumber, referenceNumber) &&
            !(timeOf(referral.createdAt) < since),
        )
        return { items: found, isLast: order.hasPassed(since) }
      }
    },
  })
}

function refused(message: string, field: string): InvalidRequestError {
  return new InvalidRequestError(OPERATION, [{ message, field }])
}
