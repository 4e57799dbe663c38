import { isPathologyError } from '../../common/errors.js'
import { without } from '../../common/known-options.js'
import { endpoints } from '../../contract/endpoints.js'
import { isUpdatableReferralStatus } from '../../contract/enums.js'
import type { KnownErrorCode } from '../../contract/error-codes.js'
import { ownFieldOf } from '../../contract/read.js'
import type { Referral, ReferralPatch, Webhook, WebhookCreate } from '../../contract/types.js'
import type { ApiClient, LostRequest, Reconciled, Reconciler } from '../call/api-client.js'
import { timeOf } from '../core/caller-input.js'
import { hasPassed, listOf, NEWEST_FIRST, orderAfter } from '../pagination/list.js'

/** Maximum difference between the server clock and the creation times of webhooks, in milliseconds. */
const MAX_CLOCK_DIFFERENCE_MS = 5 * 60_000

/** Sum of the resolutions of `updatedAt` and of the Date header, in milliseconds. */
const UPDATE_TIME_RESOLUTION_MS = 2_000

/**
 * Reconciles a PATCH of a referral by reading the referral. The update was carried out if the referral has the new
 * values and one of these conditions holds:
 * - The referral has the status SCHEDULED_REISSUE.
 * - The referral was changed after the request was sent.
 * - The service rejected a retry because of the status, but the status permitted an update at an earlier read.
 *
 * The values alone are not a proof, because the referral may have had them before the update. The first read that does
 * not prove the update permits a retry. The second such read throws the error of the request.
 */
export function reconcileUpdate(api: ApiClient): Reconciler {
  let before: Referral | undefined
  return async (lost) => {
    const referral = await resultOf(lost, () => readReferral(api, lost))
    const isChanged =
      referral.status === 'SCHEDULED_REISSUE' ||
      timeOf(referral.updatedAt) >= lost.startedAt() - UPDATE_TIME_RESOLUTION_MS
    // The status permitted the update before and no longer does: the first request was carried out in the meantime.
    const wasPossible = before !== undefined && isUpdatableReferralStatus(before.status)
    const isRefused = wasPossible && lost.kind === 'done-before'
    // The cast is safe, because the patch was checked before it was sent.
    const sent = lost.body?.value as ReferralPatch
    const isAsPatched = hasValuesOf(referral, sent)
    if ((isChanged || isRefused) && isAsPatched) return { data: referral }
    if (before !== undefined) throw lost.toPublic()
    before = referral
    return 'repeat'
  }
}

function hasValuesOf(referral: Referral, patch: ReferralPatch): boolean {
  const { metadata, ...person } = patch
  return isPartOf(person, referral.person) && isPartOf(metadata ?? {}, referral.metadata ?? {})
}

/**
 * Returns `true` when `container` contains all of `part`, which is plain JSON. A list must have the same length:
 * the service documents only that keys are merged, so a list counts as one value. A `null` in `part` removes the field,
 * so it matches a field that is `null` or missing.
 */
function isPartOf(part: unknown, container: unknown): boolean {
  if (typeof part !== 'object' || part === null) return part === (container ?? null)
  if (typeof container !== 'object' || container === null) return false
  if (Array.isArray(part) && part.length !== ownFieldOf(container, 'length')) return false
  return Object.entries(part).every(([key, value]) => isPartOf(value, ownFieldOf(container, key)))
}

/** Reconciles a POST of a webhook by looking up the webhook in the list, newest first. */
export function reconcileSubscription(api: ApiClient): Reconciler {
  return (lost) =>
    resultOf(lost, async (): Promise<Reconciled> => {
      const { startedAt, body } = lost
      const { list: row } = endpoints.webhooks
      const options = without(lost.options, 'maxRetries')
      const list = listOf<Webhook>(api, row, { sort: 'desc' }, options, { mustBeComplete: true })
      let order = NEWEST_FIRST
      for await (const { items } of list.pages()) {
        const since = startedAt() - MAX_CLOCK_DIFFERENCE_MS
        const data = items.find(
          (candidate) =>
            !(timeOf(candidate.createdAt) < since) &&
            // The cast is safe, because the subscription was checked before it was sent.
            isSameSubscription(candidate, body?.value as WebhookCreate),
        )
        if (data !== undefined) return { data }
        order = orderAfter(order, items)
        if (hasPassed(order, since)) break
      }
      return 'repeat'
    })
}

/**
 * Compares normalised URLs, because the service stores the normalised URL. Without `active`, the service creates an
 * active webhook.
 */
function isSameSubscription({ url, events, active }: Partial<Webhook>, wanted: WebhookCreate): boolean {
  if (active !== undefined && active !== (wanted.active ?? true)) return false
  if (url === undefined || !URL.canParse(url) || !Array.isArray(events)) return false
  return new URL(url).href === new URL(wanted.url).href && eventSet(events) === eventSet(wanted.events)
}

function eventSet(events: readonly string[]): string {
  return [...new Set(events)].sort().join()
}

/**
 * Reconciles a DELETE whose retry returned 404: an earlier attempt succeeded, but its response was lost. The reconciler
 * returns `data` in place of the lost response. Throws the error of the retry if this error does not have the service's
 * `code`. A 404 of a proxy is not a proof.
 */
export function reconcileRemoval(code: KnownErrorCode, data: unknown): Reconciler {
  return async ({ toPublic }) => {
    const error = toPublic()
    if (!isPathologyError(error, code)) throw error
    return { data }
  }
}

/**
 * Reconciles a DELETE of a referral after a retry returned 404. Returns the referral if it can be read and has
 * `deletedAt`. Otherwise throws the error of the retry.
 */
export function reconcileDeletion(api: ApiClient): Reconciler {
  return async (lost) => {
    const data = await resultOf(lost, () => readReferral(api, lost))
    if (!data.deletedAt) throw lost.toPublic()
    return { data }
  }
}

/** Reads the referral with a full timeout, because the call may have used up its own timeout. */
async function readReferral(api: ApiClient, { input: { path }, options }: LostRequest): Promise<Referral> {
  return api.call(endpoints.referrals.retrieve, { path }, without(options, 'maxRetries'))
}

/**
 * Returns the result of a lookup. If the lookup fails, throws the error of the lost request, because the outcome is
 * still unknown.
 */
async function resultOf<T>({ options, toPublic }: LostRequest, lookUpEffect: () => Promise<T>): Promise<T> {
  try {
    return await lookUpEffect()
  } catch {
    options.signal?.throwIfAborted()
    throw toPublic()
  }
}
