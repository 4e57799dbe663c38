import type { Doctor, LabPatient, Person, Result } from '../../contract/types.js'
import { DOCTORS, labPatientOf, makePerson, withGaps } from '../seed/people.js'
import type { FakeContext } from '../server/context.js'
import { findTest } from '../state/catalogue.js'
import type { ResultRow } from '../state/orders.js'
import { emitResultEvent } from './events.js'
import { addResult, announce, receiveMessage } from './results-arrivals.js'
import { resultStatus } from './results-status.js'
import { checkedValues } from './results-values.js'
import { resultView } from './results-view.js'

/** An INCOMING result: what a laboratory sent to the organisation directly (§1). */
export interface IncomingResult {
  /** Test ids. Default: two of the catalogue's. */
  readonly tests?: readonly string[] | undefined
  /** The client it was released to, as far as known (§2.2 shows the gaps). Default: an invented one. */
  readonly person?: Partial<Person> | undefined
  /** The patient as the laboratory identified them. Default: the client, in the laboratory's spelling. */
  readonly labPatient?: LabPatient | undefined
  /** Values to report, by biomarker id; the others are made. */
  readonly values?: Readonly<Record<string, string>> | undefined
  /** More will follow: PARTIAL_RESULTS. Default `false`. */
  readonly partial?: boolean | undefined
  /** Report text and no biomarkers (§2.5). Default `false`. */
  readonly reportOnly?: boolean | undefined
}

/** Moves of a result (§3.2), each with its events; all answer the result as it then is. */
export const resultDrivers = {
  /** Releases an INCOMING result to a client: result events, and none of a referral (§6). */
  receiveIncoming(context: FakeContext, incoming: IncomingResult = {}): Result {
    const row = addResult(context, incomingResult(context, incoming))
    emitResultEvent(context, 'result.created', row)
    receiveMessage(context, row, incoming.partial === true ? 'PARTIAL_RESULTS' : 'COMPLETE')
    return resultView(context, row)
  },
  /** The rest of a result without a referral arrives; one of a referral goes by `referrals.complete`. */
  complete(
    context: FakeContext,
    uuid: string,
    { values = {} }: { readonly values?: Readonly<Record<string, string>> | undefined } = {},
  ): Result {
    const row = resultIn(context, uuid, ['CREATED', 'PARTIAL_RESULTS', 'IN_REVIEW'], 'completed')
    if (row.referralUuid !== null) {
      throw new Error(`result ${uuid} belongs to referral ${row.referralUuid}: complete the referral`)
    }
    if (row.arrived === 'COMPLETE') throw new Error(`result ${uuid} has arrived whole already (§3.2)`)
    row.values = { ...row.values, ...checkedValues(context, values) }
    receiveMessage(context, row, 'COMPLETE')
    return resultView(context, row)
  },
  /** Holds a result for review: IN_REVIEW (§6). */
  hold(context: FakeContext, uuid: string): Result {
    const row = resultIn(context, uuid, ['PARTIAL_RESULTS', 'COMPLETE'], 'held')
    row.held = true
    touch(context, row)
    announce(context, row)
    return resultView(context, row)
  },
  /** Releases a held result: its status shows what has arrived again. */
  release(
    context: FakeContext,
    uuid: string,
    { reviewedBy }: { readonly reviewedBy?: Doctor | undefined } = {},
  ): Result {
    const row = resultIn(context, uuid, ['IN_REVIEW'], 'released')
    row.held = false
    if (reviewedBy !== undefined) row.reviewedBy = reviewedBy
    touch(context, row)
    announce(context, row)
    return resultView(context, row)
  },
  /** A doctor reviews a result: `reviewedBy`, and result.updated. Default: an invented doctor. */
  review(context: FakeContext, uuid: string, doctor?: Doctor): Result {
    const row = resultIn(context, uuid, ['PARTIAL_RESULTS', 'COMPLETE', 'IN_REVIEW'], 'reviewed')
    row.reviewedBy = doctor ?? { uuid: context.random.uuid(), ...context.random.pick(DOCTORS) }
    touch(context, row)
    emitResultEvent(context, 'result.updated', row)
    return resultView(context, row)
  },
  /** Deletes a result softly (§2.5): `deletedAt` is set, and its PDF is gone; there is no event for it. */
  softDelete(context: FakeContext, uuid: string): Result {
    const row = anyResult(context, uuid)
    row.deletedAt ??= context.clock.iso()
    return resultView(context, row)
  },
  /** A result of either organisation, as the service would answer it. */
  retrieve(context: FakeContext, uuid: string): Result {
    return resultView(context, anyResult(context, uuid))
  },
  /** Every result of the organisation behind the credentials, in order of creation. */
  all(context: FakeContext): Result[] {
    return context.state.orders.resultLists.own.map((row) => resultView(context, row))
  },
  /** Every result of the other organisation: the API finds none of them (§1). */
  ofOtherOrganisation(context: FakeContext): Result[] {
    return context.state.orders.resultLists.other.map((row) => resultView(context, row))
  },
} as const

function incomingResult(context: FakeContext, incoming: IncomingResult): Parameters<typeof addResult>[1] {
  const { catalogue } = context.state
  const known = incoming.person ?? makePerson(context.random, context.clock.now())
  const person = withGaps(known)
  const tests = incoming.tests ?? catalogue.tests.slice(0, 2).map((test) => test.id)
  const unknown = tests.find((id) => findTest(catalogue, id) === undefined)
  if (unknown !== undefined) throw new Error(`the fake's catalogue has no test ${unknown}`)
  return {
    organisation: 'own',
    provenance: 'INCOMING',
    referralUuid: null,
    referenceNumber: null,
    // §2.5 makes it the originating referral's, and there is none.
    reference: '',
    person,
    labPatient: incoming.labPatient ?? labPatientOf(context.random, person),
    productId: null,
    productName: null,
    tests: [...tests],
    values: { ...checkedValues(context, incoming.values) },
    metadata: {},
    profileUuid: context.random.uuid(),
    reportOnly: incoming.reportOnly ?? false,
  }
}

function anyResult(context: FakeContext, uuid: string): ResultRow {
  const row = context.state.orders.results.get(uuid)
  if (row === undefined) throw new Error(`the fake has no result ${uuid}`)
  return row
}

function resultIn(
  context: FakeContext,
  uuid: string,
  statuses: readonly ReturnType<typeof resultStatus>[],
  done: string,
): ResultRow {
  const row = anyResult(context, uuid)
  const status = resultStatus(row)
  if (statuses.includes(status)) return row
  throw new Error(`result ${uuid} is ${status}: it can be ${done} from ${statuses.join(', ')} only (§3.2)`)
}

function touch(context: FakeContext, row: ResultRow): void {
  row.updatedAt = context.clock.iso()
}
