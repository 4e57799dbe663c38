import type { KnownReferralStatus } from '../../contract/enums.js'
import type { Person } from '../../contract/types.js'
import { DOCTORS, labPatientOf, makePerson, withGaps } from '../seed/people.js'
import type { FakeContext } from '../state/context.js'
import type { Organisation, ReferralRow } from '../state/orders.js'
import {
  commercial,
  readSeedMaterial,
  type SeedMaterial,
  someTests,
  underMedicare,
} from './orders-seed-contents.js'
import { addReferral, link, type NewReferral, PLAIN_REFERRAL } from './referrals-create.js'
import { addResult, INCOMING_RESULT, orderedResult, recordMessage } from './results-arrivals.js'

const DAY_MS = 24 * 60 * 60 * 1_000
const OLDEST_DAYS = 400

/** Statuses of the initial referrals, and their shares in per cent. */
const STATUS_SHARES: readonly (readonly [status: KnownReferralStatus, share: number])[] = [
  ['COMPLETE', 42],
  ['ISSUED', 24],
  ['PARTIAL_RESULTS', 9],
  ['CREATED', 5],
  ['SCHEDULED_REISSUE', 3],
  ['PENDING_VERIFICATION', 3],
  ['BILLING_FAILED', 3],
  ['INSUFFICIENT_DATA', 3],
  ['REFUNDED', 3],
  ['FAILED_TEST', 3],
  ['TRANSFERRED', 2],
]

const STATUSES = STATUS_SHARES.flatMap(([status, share]) => Array.from({ length: share }, () => status))

const NEVER_ISSUED: readonly KnownReferralStatus[] = ['CREATED', 'PENDING_VERIFICATION', 'BILLING_FAILED']
const WITHOUT_DOCUMENT: readonly KnownReferralStatus[] = [
  ...NEVER_ISSUED,
  'SCHEDULED_REISSUE',
  'REFUNDED',
  'TRANSFERRED',
]

/**
 * Frequency of each property: `medicare: 7` means that about one order in seven has a Medicare referral. `noReport`
 * applies to results of referrals. `reportOnly` and `gaps` apply to INCOMING results.
 */
const EVERY = {
  other: 8,
  medicare: 7,
  incoming: 9,
  deleted: 25,
  noReport: 6,
  reportOnly: 4,
  gaps: 5,
} as const

/** A result to create. Results are created in order of time. */
interface PlannedResult {
  readonly at: number
  readonly create: () => void
}

/** Adds `options.seedReferrals` past orders with their referrals and results, and INCOMING results. */
export function seedOrders(context: FakeContext): void {
  const { seedReferrals: count } = context.options
  const material = readSeedMaterial(context)
  const now = context.clock.now()
  const step = (OLDEST_DAYS * DAY_MS) / Math.max(1, count)
  const results: PlannedResult[] = []
  for (let place = 0; place < count; place += 1) {
    const createdAt = now - Math.round((count - place) * step * 0.999)
    results.push(...seedReferral(context, material, place, createdAt))
    if (place % EVERY.incoming === EVERY.incoming - 1)
      results.push(incoming(context, material, place, createdAt))
  }
  // Results are listed in order of creation, which is not the order of their referrals.
  for (const { create } of results.toSorted((one, other) => one.at - other.at)) create()
}

function seedReferral(
  context: FakeContext,
  material: SeedMaterial,
  place: number,
  createdAt: number,
): PlannedResult[] {
  const { random } = context
  const person = makePerson(random, createdAt)
  const organisation: Organisation = place % EVERY.other === EVERY.other - 1 ? 'other' : 'own'
  const medicare = organisation === 'own' && place % EVERY.medicare === EVERY.medicare - 1
  const status = random.pick(STATUSES)
  const fields = baseFields(context, { organisation, status, person, createdAt })
  const first = addReferral(context, { ...fields, ...commercial(context, material, person, place) })
  const rows = [first]
  if (medicare && status !== 'BILLING_FAILED') {
    const own = { ...underMedicare(context, material, person), origin: 'API' } as const
    rows.push(addReferral(context, { ...fields, ...own }))
  }
  link(rows)
  return rows.flatMap((row) => finishReferral(context, row, createdAt, place))
}

interface SeededFacts {
  readonly organisation: Organisation
  readonly status: KnownReferralStatus
  readonly person: Person
  readonly createdAt: number
}

function baseFields(
  context: FakeContext,
  { organisation, status, person, createdAt }: SeededFacts,
): Omit<NewReferral, 'tests'> {
  const { random } = context
  const issuedAt = NEVER_ISSUED.includes(status) ? null : iso(createdAt + 2_000)
  const emails = random.fraction() < 0.8
  return {
    ...PLAIN_REFERRAL,
    organisation,
    status,
    person,
    referenceNumber: `ORDER-${random.integer(10_000, 99_999)}`,
    hasDocument: !WITHOUT_DOCUMENT.includes(status),
    emailsPatient: emails,
    emailSentAt: emails ? issuedAt : null,
    createdAt: iso(createdAt),
    issuedAt,
    metadata: random.fraction() < 0.5 ? { clinic: random.pick(['north', 'south', 'bayside']) } : null,
    profileUuid: random.uuid(),
  }
}

function finishReferral(
  context: FakeContext,
  row: ReferralRow,
  createdAt: number,
  place: number,
): PlannedResult[] {
  const now = context.clock.now()
  const daysLeft = (now - createdAt) / DAY_MS
  const changedAt = Math.round(createdAt + Math.min(daysLeft * 0.5, 1 + (place % 6)) * DAY_MS)
  const untouched = row.status === 'ISSUED' || NEVER_ISSUED.includes(row.status)
  row.updatedAt = untouched ? (row.issuedAt ?? row.createdAt) : iso(changedAt)
  if (place % EVERY.deleted === EVERY.deleted - 1) row.deletedAt = iso(Math.min(now, createdAt + 9 * DAY_MS))
  if (row.status !== 'COMPLETE' && row.status !== 'PARTIAL_RESULTS') return []
  return [{ at: changedAt, create: () => seedResult(context, row, iso(changedAt), place) }]
}

function seedResult(context: FakeContext, referral: ReferralRow, arrivedAt: string, place: number): void {
  const { random } = context
  const keepsReport = place % EVERY.noReport !== 0
  const row = addResult(context, { ...orderedResult(referral), keepsReport, createdAt: arrivedAt })
  referral.resultsUuid = row.uuid
  recordMessage(context, row, 'PARTIAL_RESULTS', arrivedAt)
  if (referral.status === 'COMPLETE') recordMessage(context, row, 'COMPLETE', arrivedAt)
  if (random.fraction() < 0.3) row.reviewedBy = { uuid: random.uuid(), ...random.pick(DOCTORS) }
}

function incoming(
  context: FakeContext,
  material: SeedMaterial,
  place: number,
  createdAt: number,
): PlannedResult {
  const { random } = context
  const create = (): void => {
    const known = makePerson(random, createdAt)
    const person =
      place % EVERY.gaps === 0 ? withGaps({ firstName: known.firstName, lastName: known.lastName }) : known
    const row = addResult(context, {
      ...INCOMING_RESULT,
      person,
      labPatient: labPatientOf(random, known),
      tests: someTests(context, material.bloodTests, person),
      profileUuid: random.uuid(),
      reportOnly: place % EVERY.reportOnly === 0,
      createdAt: iso(createdAt),
    })
    recordMessage(context, row, 'COMPLETE', iso(createdAt))
  }
  return { at: createdAt, create }
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
