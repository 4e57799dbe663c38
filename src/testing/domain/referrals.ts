import type * as z from 'zod'
import { checkRequest } from '../../contract/check-request.js'
import { endpoints } from '../../contract/endpoints.js'
import { REQUEST_SCHEMAS } from '../../contract/schemas/index.js'
import type { Referral } from '../../contract/types.js'
import { FakeApiError } from '../server/api-error.js'
import type { FakeCall, HandlerTable } from '../server/context.js'
import { pageResponse } from '../server/lists.js'
import type { FakeContext } from '../state/context.js'
import type { ReferralRow } from '../state/orders.js'
import { emitReferralEvent } from './deliveries.js'
import { createReferrals } from './referrals-create.js'
import { countRead, planTransition } from './referrals-timing.js'
import { canTransition, emailPatient, REFERRAL_TRANSITIONS, transition } from './referrals-transitions.js'
import { referralView } from './referrals-view.js'
import { receiveResults } from './results-arrivals.js'

/** Handlers of the referral endpoints (§4.1). */
export const handlers: HandlerTable<FakeContext> = {
  'referrals.create': createReferrals,
  'referrals.list': listReferrals,
  'referrals.retrieve': retrieveReferral,
  'referrals.update': updateReferral,
  'referrals.delete': deleteReferral,
  'referrals.generateResults': generateResults,
}

/**
 * Finds a referral of the organisation.
 *
 * @throws FakeApiError - REFERRAL_NOT_FOUND. With `options.deletedReferrals: 'gone'`, also for a deleted referral.
 */
function findReferral(context: FakeContext, uuid = ''): ReferralRow {
  const row = context.state.orders.referrals.get(uuid.toLowerCase())
  if (row === undefined || row.organisation !== 'own' || !isShown(context, row)) {
    throw new FakeApiError('REFERRAL_NOT_FOUND')
  }
  return row
}

function isShown(context: FakeContext, row: ReferralRow): boolean {
  return row.deletedAt === null || context.options.deletedReferrals === 'shown'
}

function listReferrals(context: FakeContext, call: FakeCall): unknown {
  return pageResponse(call, {
    endpoint: endpoints.referrals.list,
    rows: context.state.orders.referralLists.own,
    view: (row) => referralView(context, row),
    shows: (row) => isShown(context, row),
  })
}

function retrieveReferral(context: FakeContext, call: FakeCall): Referral {
  const row = findReferral(context, call.params['uuid'])
  countRead(context, row)
  return referralView(context, row)
}

type Patch = z.output<typeof REQUEST_SCHEMAS.ReferralPatch>

function updateReferral(context: FakeContext, call: FakeCall): Referral {
  const row = findReferral(context, call.params['uuid'])
  const patch = checkPatch(call)
  if (row.deletedAt !== null || !canTransition(row, 'reissue')) throw new FakeApiError('INVALID_STATUS')
  applyPatch(row, patch)
  row.updatedAt = context.clock.tick()
  emitReferralEvent(context, 'referral.updated', row)
  transition(context, row, 'reissue')
  planTransition(context, row, 'issue', context.options.reissueTiming)
  return referralView(context, row)
}

function checkPatch(call: FakeCall): Patch {
  const issues = checkRequest('ReferralPatch', call.body, call.version)
  if (issues.length > 0) throw new FakeApiError('INVALID_PAYLOAD', issues)
  return REQUEST_SCHEMAS.ReferralPatch.parse(call.body)
}

function applyPatch(row: ReferralRow, { metadata, address, ...changes }: Patch): void {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  row.person = {
    ...row.person,
    ...given,
    ...(address === undefined ? {} : { address: { addressLine2: null, ...address } }),
  }
  if (metadata !== undefined) row.metadata = mergeMetadata(row.metadata ?? {}, metadata)
}

/** Merges metadata key by key. `null` removes a key (§4.1, PATCH). */
function mergeMetadata(
  known: Readonly<Record<string, unknown>>,
  changes: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged = new Map([...Object.entries(known), ...Object.entries(changes)])
  for (const [key, value] of Object.entries(changes)) if (value === null) merged.delete(key)
  return Object.fromEntries(merged)
}

/**
 * Deletes a referral. With `deletedReferrals: 'shown'`, a second delete does not change the referral; §4.1 does not
 * describe this case.
 */
function deleteReferral(context: FakeContext, call: FakeCall): Referral {
  const row = findReferral(context, call.params['uuid'])
  row.deletedAt ??= context.clock.tick()
  emailPatient(context, row)
  return referralView(context, row)
}

function generateResults(context: FakeContext, call: FakeCall): Referral {
  const row = findReferral(context, call.params['uuid'])
  const name = call.query.has('partial') ? 'partialResults' : 'complete'
  const repeats = context.options.repeatedResults === 'regenerate'
  const again = row.status === 'COMPLETE' && repeats
  if (row.deletedAt !== null || !(again || canTransition(row, name))) {
    const statuses = [...REFERRAL_TRANSITIONS[name].from, ...(repeats ? ['COMPLETE'] : [])]
    throw new FakeApiError(
      'INVALID_STATUS',
      [],
      `results can be generated only for a referral that is not deleted and has the status ${statuses.join(' or ')}`,
    )
  }
  receiveResults(context, row, name, { replace: again })
  return referralView(context, row)
}
