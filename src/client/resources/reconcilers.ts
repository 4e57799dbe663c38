import { isPathologyError } from '../../common/errors.js'
import { endpoints } from '../../contract/endpoints.js'
import { isUpdatableReferralStatus } from '../../contract/enums.js'
import type { Referral, ReferralPatch, Webhook, WebhookCreate } from '../../contract/types.js'
import type { ApiClient, Reconciled, Reconciler } from '../call/api-client.js'
import type { CallInput } from '../call/request.js'
import type { RequestOptions } from '../call/request-options.js'
import { timeOf } from '../core/since.js'
import { listOf } from '../pagination/list.js'
import { NewestFirst } from '../pagination/newest-first.js'

/** Clocks differ, and Date headers are whole seconds. */
const SLACK_MS = 5 * 60_000

/** `updatedAt` and the service's clock are exact to a second each. */
const PRECISION_MS = 2_000

/**
 * PATCH of a referral whose response was lost: reads the referral. The update was carried out if its values hold and the
 * referral has been changed since it was sent (§2.4, §3.1, §4.1): values that held before prove nothing. Otherwise it is
 * sent once more.
 */
export function reconcileUpdate(pipeline: ApiClient): Reconciler {
  let before: Referral | undefined
  return async ({ error, startedAt, input, call }) => {
    const referral = await found(error, call, () => readReferral(pipeline, input, call))
    const isChanged =
      referral.status === 'SCHEDULED_REISSUE' || timeOf(referral.updatedAt) >= startedAt() - PRECISION_MS
    // A repeat that is refused where the update was still possible shows that the first one has come through meanwhile.
    const wasPossible = before !== undefined && isUpdatableReferralStatus(before.status)
    const isRefused = wasPossible && isPathologyError(error, 'INVALID_STATUS')
    // The patch was checked before it was sent.
    const isAsPatched = shows(referral, input.body as ReferralPatch)
    if ((isChanged || isRefused) && isAsPatched) return { data: referral }
    if (before !== undefined) throw error
    before = referral
    return 'repeat'
  }
}

function shows(referral: Referral, patch: ReferralPatch): boolean {
  const { metadata, ...person } = patch
  return isPartOf(person, referral.person) && isPartOf(metadata ?? {}, referral.metadata ?? {})
}

/** Everything in `part` is in `whole`. What is `undefined` was not sent, and `null` removes. */
function isPartOf(part: unknown, whole: unknown): boolean {
  if (part === undefined) return true
  if (part === null) return whole === null || whole === undefined
  if (typeof part !== 'object') return part === whole
  if (typeof whole !== 'object' || whole === null) return false
  return Object.entries(part).every(([key, value]) =>
    isPartOf(value, Object.hasOwn(whole, key) ? Reflect.get(whole, key) : undefined),
  )
}

/** POST of a webhook: looks for it in the list, newest first (§4.6). */
export function reconcileSubscription(pipeline: ApiClient): Reconciler {
  return ({ error, startedAt, input, call }) => {
    const look = async (): Promise<Reconciled> => {
      const { list: row } = endpoints.webhooks
      const list = listOf<Webhook>(pipeline, row, { sort: 'desc' }, lookUp(call), { mustBeComplete: true })
      const order = new NewestFirst()
      for await (const { items } of list.pages()) {
        const since = startedAt() - SLACK_MS
        const data = items.find(
          (candidate) =>
            !(timeOf(candidate.createdAt) < since) &&
            // The subscription was checked before it was sent.
            isSameSubscription(candidate, input.body as WebhookCreate),
        )
        if (data !== undefined) return { data }
        order.take(items)
        if (order.hasPassed(since)) break
      }
      return 'repeat'
    }
    return found(error, call, look)
  }
}

/** The service stores a normalised URL (§2.12). */
function isSameSubscription(candidate: Partial<Webhook> | null, wanted: WebhookCreate): boolean {
  const { url, events } = candidate ?? {}
  if (typeof url !== 'string' || !URL.canParse(url)) return false
  if (!Array.isArray(events) || !events.every((name) => typeof name === 'string')) return false
  return new URL(url).href === new URL(wanted.url).href && eventSet(events) === eventSet(wanted.events)
}

function eventSet(events: readonly string[]): string {
  return [...new Set(events)].sort().join()
}

/** DELETE answered 404 on a repeat: an earlier attempt did it, so the answer is what that one would have said. */
export function reconcileRemoval(data: unknown): Reconciler {
  return async () => ({ data })
}

/** DELETE of a referral answered 404 on a repeat: a deleted referral can perhaps still be read (§3.1). */
export function reconcileDeletion(pipeline: ApiClient): Reconciler {
  return async ({ error, input, call }) => {
    const data = await found(error, call, () => readReferral(pipeline, input, call))
    if (!data.deletedAt) throw error
    return { data }
  }
}

async function readReferral(
  pipeline: ApiClient,
  { path }: CallInput,
  call: RequestOptions,
): Promise<Referral> {
  return pipeline.call(endpoints.referrals.retrieve, { path }, lookUp(call))
}

/** What `look` finds. When it fails, the first error counts: what became of the request is still not known. */
async function found<T>(error: Error, { signal }: RequestOptions, look: () => Promise<T>): Promise<T> {
  try {
    return await look()
  } catch {
    signal?.throwIfAborted()
    throw error
  }
}

/** The options of a call made to find out about another: as much time again, since the other's may be used up. */
function lookUp({ signal, timeout, headers, apiVersion }: RequestOptions): RequestOptions {
  return { signal, timeout, headers, apiVersion }
}
