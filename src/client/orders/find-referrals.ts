import { without } from '../../common/known-options.js'
import { endpoints } from '../../contract/endpoints.js'
import type { Referral } from '../../contract/types.js'
import type { Pipeline } from '../call/api-client.js'
import type { RequestOptions } from '../call/request-options.js'
import { timeOf, timeOfSince } from '../core/since.js'
import { optionsLater } from '../core/snapshot.js'
import { InvalidRequestError } from '../errors/errors.js'
import { collected } from '../pagination/cursor-iterator.js'
import { listOf, type WalkOptions } from '../pagination/list.js'
import { isSameReference } from './same-order.js'

/** How far and how to look. */
export interface FindOptions extends RequestOptions, Pick<WalkOptions, 'prefetch' | 'onProgress'> {
  readonly since?: Date | string | undefined
}

/** Referrals that are looked for, walked as far as you go and no further. Each walk begins anew. */
export interface FoundReferrals extends AsyncIterable<Referral> {
  /**
   * All of them in an array.
   *
   * @param options - `limit`: stop after so many.
   */
  toArray(options?: { readonly limit?: number | undefined }): Promise<Referral[]>
}

const OPERATION = 'referrals.findByReferenceNumber'

/** The referrals with one of the integrator's references, newest first, each once. */
export function findByReferenceNumber(
  api: Pipeline,
  referenceNumber: string,
  options: FindOptions,
): FoundReferrals {
  const own = optionsLater(OPERATION, options)
  const walk = () => find(api, referenceNumber, own)
  return { [Symbol.asyncIterator]: walk, toArray: (limits) => collected(walk(), limits) }
}

async function* find(
  api: Pipeline,
  referenceNumber: string,
  given: Promise<FindOptions>,
): AsyncGenerator<Referral, void, undefined> {
  const options = await given
  const { since, prefetch, onProgress } = options
  const call = without(options, 'since', 'prefetch', 'onProgress')
  if (typeof referenceNumber !== 'string' || referenceNumber.trim() === '')
    throw refused('referenceNumber must be a string that is not empty', 'referenceNumber')
  const oldest = timeOfSince(since, Number.NEGATIVE_INFINITY, (message) => refused(message, 'since'))
  const list = listOf<Referral>(
    api,
    endpoints.referrals.list,
    { sort: 'desc', dedupe: true, prefetch, onProgress },
    call,
    { operation: OPERATION, mustBeComplete: true },
  )
  // A page is read to its end: one record with a time that is wrong does not hide the others.
  for await (const { items } of list.pages()) {
    yield* items.filter(
      ({ referenceNumber: shown, createdAt }) =>
        isSameReference(shown, referenceNumber) && !(timeOf(createdAt) < oldest),
    )
    if (timeOf(items.at(-1)?.createdAt) < oldest) return
  }
}

function refused(message: string, field: string): InvalidRequestError {
  return new InvalidRequestError(OPERATION, [{ message, field }])
}
