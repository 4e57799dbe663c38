import { without } from '../../common/known-options.js'
import { endpoints } from '../../contract/endpoints.js'
import type { Referral } from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import { CALL_OPTIONS, type RequestOptions } from '../call/request-options.js'
import { givenTime, optionsCopy, timeOf } from '../core/caller-input.js'
import { InvalidRequestError } from '../errors/errors.js'
import type { CursorIterator } from '../pagination/cursor-iterator.js'
import { hasPassed, listOf, NEWEST_FIRST, orderAfter, type PaginationOptions } from '../pagination/list.js'
import { isSameReference } from './match.js'

/** Options of a search by reference number. */
export interface FindOptions extends RequestOptions, Pick<PaginationOptions, 'prefetch'> {
  /**
   * Earliest time of creation: a `Date` or ISO 8601; a time without an offset is in UTC. Default: no limit, so the
   * complete list is read.
   */
  readonly since?: Date | string | undefined
}

const OPERATION = 'referrals.findByReferenceNumber'
const FIND_OPTIONS = new Set([...CALL_OPTIONS, 'since', 'prefetch'])

/** Returns the referrals with a reference number of the integrator, newest first, each once. */
export function findByReferenceNumber(
  api: ApiClient,
  referenceNumber: string,
  options: FindOptions,
): CursorIterator<Referral> {
  const own = optionsCopy(OPERATION, options, FIND_OPTIONS)
  const query = { sort: 'desc', skipDuplicates: true, prefetch: own.prefetch }
  return listOf(api, endpoints.referrals.list, query, without(own, 'since', 'prefetch'), {
    operation: OPERATION,
    mustBeComplete: true,
    select: () => {
      if (typeof referenceNumber !== 'string' || referenceNumber.trim() === '')
        throw invalidInput('referenceNumber must be a string that is not empty', 'referenceNumber')
      const oldest = Number.NEGATIVE_INFINITY
      const since = givenTime('since', own.since, oldest, invalidInput)
      let order = NEWEST_FIRST
      return (items) => {
        // The cast is safe, because the list contains only referrals.
        const referrals = items as readonly Referral[]
        order = orderAfter(order, referrals)
        const found = referrals.filter(
          (referral) =>
            isSameReference(referral.referenceNumber, referenceNumber) &&
            !(timeOf(referral.createdAt) < since),
        )
        return { items: found, isLast: hasPassed(order, since) }
      }
    },
  })
}

function invalidInput(message: string, field: string): InvalidRequestError {
  return new InvalidRequestError(OPERATION, [{ message, field }])
}
