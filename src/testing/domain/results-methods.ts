import type { Doctor, LabPatient, Person, Result } from '../../contract/types.js'
import { DOCTORS, labPatientOf, makePerson, withGaps } from '../seed/people.js'
import { anyValue, boolean, checkFields, type ValueRule } from '../server/value-rules.js'
import { findTest } from '../state/catalogue.js'
import type { FakeContext } from '../state/context.js'
import { type ResultRow, resultStatus } from '../state/orders.js'
import { emitResultEvent } from './deliveries.js'
import { checkedDoctor, checkedLabPatient, checkedPerson } from './person-input.js'
import { resultView } from './results.js'
import {
  addResult,
  emitStatusEvent,
  INCOMING_RESULT,
  type NewResult,
  receiveCorrection,
  receiveMessage,
} from './results-arrivals.js'
import { biomarkerIdsOf } from './results-biomarkers.js'
import { checkedValues } from './results-values.js'

/** An INCOMING result, which a laboratory sent to the organisation without a referral. */
export interface IncomingResult {
  /** Test ids. Default: two tests of the catalogue. */
  readonly tests?: readonly string[] | undefined
  /** Known fields of the patient; the other fields are empty. Default: an invented person. */
  readonly person?: Partial<Person> | undefined
  /** The patient as the laboratory recorded them. Default: `person` in a laboratory's spelling. */
  readonly labPatient?: LabPatient | undefined
  /**
   * Values by biomarker id, in standard units. The result must have each of these biomarkers. The other values are
   * generated. The `canonical` of a numeric biomarker has the given value. The biomarker's own `value` can be in
   * another unit, because some laboratories report other units.
   */
  readonly values?: Readonly<Record<string, string>> | undefined
  /** `true` delivers only a part of the results; the status is PARTIAL_RESULTS. Default `false`. */
  readonly partial?: boolean | undefined
  /** `true` when the result consists only of report text, without biomarkers. Default `false`. */
  readonly reportOnly?: boolean | undefined
}

const INCOMING_RULES: { readonly [Field in keyof Required<IncomingResult>]: ValueRule } = {
  tests: { accepts: (value) => Array.isArray(value), words: 'a list of test ids' },
  person: anyValue,
  labPatient: anyValue,
  values: anyValue,
  partial: boolean,
  reportOnly: boolean,
}
const VALUES_RULES = { values: anyValue }

/**
 * Control methods of results. A method that changes a result (§3.2) sends the events of the change, and returns the
 * changed result. The method throws an Error if the result does not exist, or if its status does not permit the change.
 * The method throws a RangeError for an invalid option, value or doctor.
 */
export const resultMethods = {
  /**
   * Creates an INCOMING result. Sends result events, but no referral event. Throws an Error for an unknown test, and a
   * RangeError for an unknown or invalid field.
   */
  receiveIncoming(context: FakeContext, incoming: IncomingResult = {}): Result {
    checkFields(incoming, INCOMING_RULES, 'incoming result')
    const row = addResult(context, incomingResult(context, incoming))
    emitResultEvent(context, 'result.created', row)
    receiveMessage(context, row, incoming.partial === true ? 'PARTIAL_RESULTS' : 'COMPLETE')
    return resultView(context, row)
  },
  /**
   * Delivers the remaining values of an INCOMING result. `values` sets values by biomarker id, in standard units. For a
   * result of a referral, use `referrals.complete`.
   */
  complete(
    context: FakeContext,
    uuid: string,
    options: { readonly values?: Readonly<Record<string, string>> | undefined } = {},
  ): Result {
    checkFields(options, VALUES_RULES, 'complete')
    const row = resultIn(context, uuid, ['CREATED', 'PARTIAL_RESULTS', 'IN_REVIEW'], 'completed')
    if (row.referralUuid !== null) {
      throw new Error(`result ${uuid} belongs to referral ${row.referralUuid}: use referrals.complete`)
    }
    if (row.arrived === 'COMPLETE')
      throw new Error(
        `result ${uuid} is already complete, so it was not changed. Use results.amend to correct its values`,
      )
    row.values = { ...row.values, ...checkedValues(context, idsIn(context, row), options.values) }
    receiveMessage(context, row, 'COMPLETE')
    return resultView(context, row)
  },
  /**
   * Corrects a complete result, as a laboratory does. `values` replaces values by biomarker id, in standard units. The
   * report text gets another message, and the result's events are sent. The status stays, but with `options.reviewHold`
   * a result of a referral becomes IN_REVIEW. Throws a RangeError if `values` is empty, and for a biomarker that the
   * result does not have.
   */
  amend(
    context: FakeContext,
    uuid: string,
    options: { readonly values: Readonly<Record<string, string>> },
  ): Result {
    checkFields(options, VALUES_RULES, 'amend')
    const row = resultIn(context, uuid, ['COMPLETE', 'IN_REVIEW'], 'amended')
    if (row.arrived !== 'COMPLETE')
      throw new Error(`result ${uuid} is not complete: only a complete result can be amended`)
    receiveCorrection(context, row, correctionOf(context, row, options.values))
    return resultView(context, row)
  },
  /** Holds a result for review. The status becomes IN_REVIEW. */
  hold(context: FakeContext, uuid: string): Result {
    const row = resultIn(context, uuid, ['PARTIAL_RESULTS', 'COMPLETE'], 'held')
    row.held = true
    markUpdated(context, row)
    emitStatusEvent(context, row)
    return resultView(context, row)
  },
  /** Releases a held result. The status becomes PARTIAL_RESULTS or COMPLETE. `reviewedBy` sets the doctor. */
  release(
    context: FakeContext,
    uuid: string,
    options: { readonly reviewedBy?: Doctor | undefined } = {},
  ): Result {
    checkFields(options, { reviewedBy: anyValue }, 'release')
    const { reviewedBy } = options
    const row = resultIn(context, uuid, ['IN_REVIEW'], 'released')
    if (reviewedBy !== undefined) row.reviewedBy = checkedDoctor(reviewedBy)
    row.held = false
    markUpdated(context, row)
    emitStatusEvent(context, row)
    return resultView(context, row)
  },
  /** Sets `reviewedBy` and sends `result.updated`. Without `doctor`, the fake invents a doctor. */
  review(context: FakeContext, uuid: string, doctor?: Doctor): Result {
    const row = resultIn(context, uuid, ['PARTIAL_RESULTS', 'COMPLETE', 'IN_REVIEW'], 'reviewed')
    row.reviewedBy =
      doctor === undefined
        ? { uuid: context.random.uuid(), ...context.random.pick(DOCTORS) }
        : checkedDoctor(doctor)
    markUpdated(context, row)
    emitResultEvent(context, 'result.updated', row)
    return resultView(context, row)
  },
  /** Soft-deletes a result: sets `deletedAt` and removes the PDF. Does not send an event. */
  softDelete(context: FakeContext, uuid: string): Result {
    const row = anyResult(context, uuid)
    row.deletedAt ??= context.clock.tick()
    return resultView(context, row)
  },
  /** Returns a result of any organisation. Throws an Error if the fake has no such result. */
  retrieve(context: FakeContext, uuid: string): Result {
    return resultView(context, anyResult(context, uuid))
  },
  /** Returns every result of the client's organisation, in order of creation. */
  all(context: FakeContext): Result[] {
    return context.state.orders.resultLists.own.map((row) => resultView(context, row))
  },
  /** Returns every result of another organisation. The API responds to their ids with RESULT_NOT_FOUND. */
  ofOtherOrganisation(context: FakeContext): Result[] {
    return context.state.orders.resultLists.other.map((row) => resultView(context, row))
  },
} as const

function incomingResult(context: FakeContext, incoming: IncomingResult): NewResult {
  const { catalogue } = context.state
  const { person: given, reportOnly = false } = incoming
  const known = given === undefined ? makePerson(context.random, context.clock.now()) : checkedPerson(given)
  const person = withGaps(known)
  const tests = incoming.tests ?? catalogue.tests.slice(0, 2).map((test) => test.id)
  const unknown = tests.find((id) => findTest(catalogue, id) === undefined)
  if (unknown !== undefined) throw new Error(`the catalogue has no test '${unknown}'`)
  return {
    ...INCOMING_RESULT,
    person,
    labPatient:
      incoming.labPatient === undefined
        ? labPatientOf(context.random, person)
        : checkedLabPatient(incoming.labPatient),
    tests: [...tests],
    values: { ...checkedValues(context, idsIn(context, { tests, reportOnly }), incoming.values) },
    profileUuid: context.random.uuid(),
    reportOnly,
  }
}

/** Checks a doctor that a caller sets: every field must be a string that is not empty. */
function correctionOf(
  context: FakeContext,
  row: ResultRow,
  values: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  const checked = checkedValues(context, idsIn(context, row), values)
  if (Object.keys(checked).length === 0)
    throw new RangeError('values: a correction needs at least one biomarker')
  return checked
}

/** Returns the ids of the biomarkers that a complete result has. */
function idsIn(
  context: FakeContext,
  { tests, reportOnly }: Pick<ResultRow, 'tests' | 'reportOnly'>,
): string[] {
  return reportOnly ? [] : biomarkerIdsOf(context, tests)
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
  throw new Error(
    `result ${uuid} is ${status}: only a result with status ${statuses.join(' or ')} can be ${done}`,
  )
}

function markUpdated(context: FakeContext, row: ResultRow): void {
  row.updatedAt = context.clock.tick()
}
