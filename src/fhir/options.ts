import { ConfigurationError } from '../common/errors.js'
import type { Biomarker, Referral, Result, Test } from '../contract/types.js'
import { dateOf, instantOf } from './elements.js'
import type { Coding, Reference } from './types.js'

/**
 * Why a bundle cannot say something:
 *
 * - `not-in-service`: the service does not have it, and no option of the call said it.
 * - `not-recorded`: the record does not have it, or not in a form that FHIR permits.
 * - `no-code`: only the service's own id or a text, because `codes` returned nothing, `tests` does not have the test, or
 * the unit is not in the table of UCUM codes.
 * - `no-canonical`: the reported value, because the service has no canonical value.
 * - `no-row`: the service counts critical biomarkers, but does not say which ones are critical.
 * - `vanished`: `previous` has a biomarker that the result no longer has. Its Observation stays in your store.
 */
export type GapReason = 'not-in-service' | 'not-recorded' | 'no-code' | 'no-canonical' | 'no-row' | 'vanished'

/** Something that a bundle cannot say. It never has a patient's detail. */
export interface Gap {
  /** Path of the element, such as `DiagnosticReport.effective`. */
  readonly element: string
  /** Why it is missing, or less than it could be. */
  readonly reason: GapReason
  /** Id of the biomarker, if the gap is about one. */
  readonly biomarker?: string
  /** Id of the test, if the gap is about one. */
  readonly test?: string
}

/** Options of {@link centreLocation}. */
export interface LocationOptions {
  /**
   * Root of the identifier and code systems of your export, an absolute URL such as `https://clinic.example/pathology`.
   * It need not exist, but must stay the same.
   */
  readonly base: string
}

/** Options of {@link referralBundle}. */
export interface ReferralBundleOptions extends LocationOptions {
  /** Tests of the catalogue, for the names of ordered tests. Default: their ids only. */
  readonly tests?: readonly Pick<Test, 'id' | 'name'>[] | undefined
  /** Your own patient, such as `{ reference: 'Patient/42' }`. Default: the bundle has a Patient from the record. */
  readonly subject?: Reference | undefined
}

/** Options of {@link resultBundle}. */
export interface ResultBundleOptions extends ReferralBundleOptions {
  /** The result's referral. It adds ServiceRequests, a PractitionerRole, and the Medicare and DVA numbers. */
  readonly referral?: Referral | undefined
  /**
   * Returns the codes of a biomarker, such as LOINC codes, the preferred one first. The service's id stays beside them.
   * {@link conceptMap} makes this function of a ConceptMap. Default: no codes.
   */
  readonly codes?: ((biomarker: Biomarker) => readonly Coding[] | undefined) | undefined
  /** UCUM codes of further units, by their exact spelling. They precede the codes of this package. */
  readonly units?: Readonly<Record<string, string>> | undefined
  /** Name of the laboratory. The service does not say it. */
  readonly laboratory?: string | undefined
  /** Time of the collection, as a date or as a date-time with an offset. The service does not say it. */
  readonly collectedAt?: string | undefined
  /** Discipline of the whole result, a code of HL7's table 0074 such as `HM`. Default: only `LAB`, on the report. */
  readonly discipline?: string | undefined
  /** Content of the PDF: `await client.results.document(uuid).bytes()`. Default: no PDF. */
  readonly pdf?: Uint8Array | undefined
  /** An earlier state of the result. A complete result whose values differ from it becomes `amended`. */
  readonly previous?: Result | undefined
  /** The Patient: the person of the order, or the laboratory's patient. They are never merged. Default: `order`. */
  readonly identity?: 'order' | 'laboratory' | undefined
  /** `canonical`: values in the canonical unit where the service has them. Default: `reported`. */
  readonly values?: 'reported' | 'canonical' | undefined
  /** `true`: the reviewing doctor is the report's interpreter, which the service does not say. Default: `false`. */
  readonly reviewerInterprets?: boolean | undefined
  /** Results that are otherwise refused: held back by your organisation, or deleted. Default: none. */
  readonly include?: readonly ('in-review' | 'deleted')[] | undefined
}

/** What the functions of a bundle share: checked options, the subject of the resources, and the gaps so far. */
export interface Context extends ResultBundleOptions {
  readonly subject: Reference
  readonly gaps: Gap[]
}

const COMMON = ['base', 'tests', 'subject']
const OTHERS =
  'referral codes units laboratory collectedAt discipline pdf previous identity values reviewerInterprets include'
const OPTIONS = {
  centreLocation: ['base'],
  referralBundle: COMMON,
  resultBundle: [...COMMON, ...OTHERS.split(' ')],
}

/** Checks the options that every function has. */
export function checked<T extends ReferralBundleOptions>(owner: keyof typeof OPTIONS, options: T): T {
  const { base, subject } = options
  const isKnown = Object.keys(options).every((name) => OPTIONS[owner].includes(name))
  must(isKnown, `options of ${owner}`, `must be some of ${OPTIONS[owner].join(', ')}`)
  const isRoot = /^https?:\/\/[^\s?#@]+$/.test(base) && URL.canParse(base)
  must(isRoot, 'base', 'must be an absolute http(s) URL without credentials, query and fragment')
  must(!subject || subject.reference || subject.identifier, 'subject', 'must have reference or identifier')
  return { ...options, base: base.replace(/\/+$/, '') }
}

/** Refuses what would make a wrong bundle, and a result that must not leave the organisation. */
export function checkResult(result: Result, options: ResultBundleOptions): void {
  const { referral, previous, collectedAt: at, identity, include } = options
  const isTime = at === undefined || dateOf(at) || instantOf(at) === at
  must(isTime, 'collectedAt', 'must be a date, or a time with offset such as 2026-03-02T08:10:00+11:00')
  must(!referral || referral.uuid === result.referralUuid, 'referral', "must be the result's own referral")
  must(!previous || previous.uuid === result.uuid, 'previous', 'must be an earlier state of the same result')
  must(identity !== 'laboratory' || result.labPatient, 'identity', 'must be order: there is no labPatient')
  const [isHeld, isDeleted] = [result.status === 'IN_REVIEW', result.deletedAt !== null]
  must(!isHeld || include?.includes('in-review'), 'include', "must have 'in-review': the result is held back")
  must(!isDeleted || include?.includes('deleted'), 'include', "must have 'deleted': the result is deleted")
}

function must(holds: unknown, option: string, rule: string): void {
  if (!holds) throw new ConfigurationError(`${option} ${rule}; no FHIR resource was made`)
}
