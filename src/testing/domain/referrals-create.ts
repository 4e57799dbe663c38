import type { Person, Referral } from '../../contract/types.js'
import { MULTI_REFERRAL_VERSION } from '../../contract/versions.js'
import type { OrderOutcome } from '../options/orders-options.js'
import type { FakeCall } from '../server/context.js'
import { findBundle, findTest, isBloodTest } from '../state/catalogue.js'
import type { FakeContext } from '../state/context.js'
import type { ReferralRow } from '../state/orders.js'
import { emitReferralEvent } from './deliveries.js'
import { routingMessage } from './providers-view.js'
import { type CheckedOrder, checkOrder } from './referrals-order.js'
import { planTransition } from './referrals-timing.js'
import { transition } from './referrals-transitions.js'
import { referralView } from './referrals-view.js'

/** A referral without the fields that are generated. */
export type NewReferral = Omit<
  ReferralRow,
  'sequence' | 'uuid' | 'reference' | 'referralType' | 'siblingUuid' | 'pending' | 'transitions' | 'updatedAt'
>

/** Places an order (§4.1, POST): one referral, or a commercial and a Medicare referral. */
export function createReferrals(context: FakeContext, call: FakeCall): Referral | Referral[] {
  const order = checkOrder(context, call)
  const rows = newReferrals(context, order).map((fields) => addReferral(context, fields))
  link(rows)
  const outcome = nextOutcome(context)
  for (const row of rows) emitReferralEvent(context, 'referral.created', row)
  for (const row of rows) applyOutcome(context, row, outcome)
  const views = rows.map((row) =>
    referralView(context, row, row.medicare ? routingMessage(context, row) : null),
  )
  return shape(context, call, order, views)
}

export const PLAIN_REFERRAL = {
  organisation: 'own',
  bundleId: null,
  productId: null,
  productName: null,
  origin: 'API',
  hasDocument: false,
  emailsPatient: true,
  emailSentAt: null,
  issuedAt: null,
  deletedAt: null,
  resultsUuid: null,
  metadata: null,
  medicare: false,
  orderingPractitioner: null,
  medicareCardNumber: null,
  dvaNumber: null,
  clinicalNotes: null,
} as const

/** Stores a new referral, without an event. */
export function addReferral(context: FakeContext, fields: NewReferral): ReferralRow {
  const { orders } = context.state
  const row: ReferralRow = {
    ...fields,
    sequence: orders.nextSequence,
    uuid: context.random.uuid(),
    reference: newReference(context),
    referralType: typeOf(context, fields.tests),
    siblingUuid: null,
    pending: null,
    transitions: 0,
    updatedAt: fields.createdAt,
  }
  orders.nextSequence += 1
  orders.referrals.set(row.uuid, row)
  orders.referralLists[row.organisation].push(row)
  return row
}

/** Links the two referrals of one order. */
export function link(rows: readonly ReferralRow[]): void {
  const [first, second] = rows
  if (first === undefined || second === undefined) return
  first.siblingUuid = second.uuid
  second.siblingUuid = first.uuid
}

function newReferrals(context: FakeContext, order: CheckedOrder): NewReferral[] {
  const bundle =
    order.bundleId === undefined ? undefined : findBundle(context.state.catalogue, order.bundleId)
  const commercial = unique([...(bundle?.testIds ?? []), ...(order.tests ?? [])])
  const medicare = unique(order.medicareTests ?? [])
  const shared = sharedFields(context, order)
  const product = {
    bundleId: bundle?.id ?? null,
    productId: bundle?.productId ?? null,
    productName: bundle?.productName ?? null,
  }
  return [
    ...(commercial.length === 0 && bundle === undefined
      ? []
      : [{ ...shared, ...product, tests: commercial }]),
    ...(medicare.length === 0 ? [] : [{ ...shared, ...medicareFields(order), tests: medicare }]),
  ]
}

function sharedFields(context: FakeContext, order: CheckedOrder): Omit<NewReferral, 'tests'> {
  return {
    ...PLAIN_REFERRAL,
    status: 'CREATED',
    person: personOf(order),
    referenceNumber: order.referenceNumber,
    emailsPatient: order.emailReferralToCustomer ?? true,
    createdAt: context.clock.tick(),
    metadata: order.metadata ?? null,
    profileUuid: context.random.uuid(),
  }
}

function medicareFields(order: CheckedOrder): Partial<NewReferral> {
  return {
    medicare: true,
    orderingPractitioner: order.orderingPractitioner ?? null,
    medicareCardNumber: order.medicareCardNumber ?? null,
    dvaNumber: order.dvaNumber ?? null,
    clinicalNotes: order.clinicalNotes ?? null,
  }
}

function personOf(order: CheckedOrder): Person {
  const { firstName, lastName, email, phone, dob, gender, address } = order
  return { firstName, lastName, email, phone, address: { addressLine2: null, ...address }, dob, gender }
}

function unique(ids: readonly string[]): string[] {
  return [...new Set(ids)]
}

function typeOf(context: FakeContext, testIds: readonly string[]): string {
  const tests = testIds.flatMap((id) => findTest(context.state.catalogue, id) ?? [])
  return tests.find((test) => !isBloodTest(test))?.sample ?? 'blood'
}

function newReference(context: FakeContext): string {
  const { references } = context.state.orders
  let reference: string
  do reference = String(context.random.integer(10_000_000, 99_999_999))
  while (references.has(reference))
  references.add(reference)
  return reference
}

function nextOutcome(context: FakeContext): OrderOutcome {
  return context.state.orders.nextOrderOutcomes.shift() ?? context.options.orderOutcome
}

function applyOutcome(context: FakeContext, row: ReferralRow, outcome: OrderOutcome): void {
  const { options } = context
  // Medicare tests are not billed to the organisation (§4.1 rule 4), so they have no billing failure.
  if (outcome === 'billing-failed' && !row.medicare) {
    transition(context, row, 'failBilling')
  } else if (outcome === 'pending-verification') {
    transition(context, row, 'pendingVerification')
    planTransition(context, row, 'verify', options.verifyTiming)
  } else if (options.createdStatus === 'ISSUED') {
    transition(context, row, 'issue')
  } else {
    planTransition(context, row, 'issue', options.issueTiming)
  }
}

/** Returns one object or a list. §4.1 and §9 describe different shapes; `options.createShape` selects the shape. */
function shape(
  context: FakeContext,
  call: FakeCall,
  order: CheckedOrder,
  views: Referral[],
): Referral | Referral[] {
  const medicare = (order.medicareTests ?? []).length > 0
  const asList = {
    documented: call.version >= MULTI_REFERRAL_VERSION,
    'medicare-only': medicare,
    'object-when-one': views.length > 1,
  }[context.options.createShape]
  const [first] = views
  return asList || first === undefined ? views : first
}
