import type { OpenEnum } from './enums.js'
import type { MedicareCardReason } from './identifier-checks.js'

/** Name of a rule that a request can break. Editors suggest the known names; later versions can add names. */
export type IssueRule = OpenEnum<
  | 'required'
  | 'required-with'
  | 'at-least-one'
  | 'empty'
  | 'type'
  | 'choice'
  | 'min-length'
  | 'max-length'
  | 'min-entries'
  | 'max-entries'
  | 'minimum'
  | 'maximum'
  | 'date'
  | 'time'
  | 'email'
  | 'uuid'
  | 'postcode'
  | 'provider-number'
  | `card-${MedicareCardReason}`
  | 'api-version'
  | 'unknown-field'
  | 'future-date'
  | 'early-date'
  | 'phone-digits'
  | 'unknown-state'
  | 'unknown-postcode'
  | 'postcode-and-state'
  | 'duplicate'
  | 'unknown-test'
  | 'unknown-bundle'
  | 'not-under-medicare'
  | 'service'
  | 'other'
>

/** Details of a broken rule, such as `{ minimum: 2 }` or `{ values: ['male', 'female'] }`. */
export type IssueParams = Readonly<Record<string, string | number | readonly string[]>>

/** One problem of a request: its rule and its field. */
export interface RequestIssue {
  /**
   * The broken rule, for developers to read: `address.city must not be empty`. The message does not contain the value.
   * In the `issues` of an `ApiError`, the message is text of the service, which may repeat values.
   */
  readonly message: string
  /** Path of the field: `address.city`, `tests[2]`; `undefined` for a problem of the entire request. */
  readonly field: string | undefined
  /** Name of the broken rule, for your own texts. `service` for a problem that the service reports. */
  readonly rule: IssueRule
  /** Details of the rule. They never contain the value. */
  readonly params?: IssueParams
  /** Sentence for the person who fills in a form, without a path and without the value: `Enter a suburb`. */
  readonly userMessage: string
  /** Error code of the service for a request with only this problem; absent if the rule has no code of its own. */
  readonly code?: string
}

/** A request issue whose `rule` and `userMessage` can be absent. */
export type IssueDraft = Omit<RequestIssue, 'rule' | 'userMessage'> &
  Partial<Pick<RequestIssue, 'rule' | 'userMessage'>>

const GENERAL_SENTENCE = 'Check this value'

/** Adds the rule `other` if an issue has no rule, and a general `userMessage` if it has none. */
export function completeIssue(draft: IssueDraft): RequestIssue {
  return { ...draft, rule: draft.rule ?? 'other', userMessage: draft.userMessage ?? GENERAL_SENTENCE }
}

// §4.1
/** Formats an issue like an entry of the service's `errorList`. */
export function formatIssue(issue: Pick<RequestIssue, 'message' | 'field'>): string {
  return issue.field === undefined ? issue.message : `${issue.message} [field: ${issue.field}]`
}

/** Maximum number of problems in a message. A request can have thousands, which would fill a log. */
const MAX_PROBLEMS = 20

/** Joins the first problems for a message, and counts the others. */
export function joinProblems(problems: readonly string[]): string {
  const others = problems.length - MAX_PROBLEMS
  const shown = problems.slice(0, MAX_PROBLEMS).join('; ')
  return others > 0 ? `${shown}; ${others} more` : shown
}

const MARKER = '[field:'

/** A name in the format of {@link fieldName}, in which brackets are paired. */
const FIELD = /^[^[\]]*(?:\[[^[\]]*\][^[\]]*)*$/

// §4.1
export function parseIssue(entry: string): RequestIssue {
  const text = entry.trimEnd()
  const start = text.lastIndexOf(MARKER)
  const field = text.slice(start + MARKER.length, -1).trim()
  const isMarked = start >= 0 && text.endsWith(']') && FIELD.test(field)
  const parts = isMarked
    ? { message: text.slice(0, start).trimEnd(), field }
    : { message: entry, field: undefined }
  return completeIssue({ ...parts, rule: 'service' })
}

/** Formats the path `['tests', 2, 'id']` as `tests[2].id`. */
export function fieldName(path: readonly PropertyKey[]): string | undefined {
  if (path.length === 0) return undefined
  return path.map(step).join('').replace(/^\./, '')
}

function step(key: PropertyKey): string {
  return typeof key === 'number' ? `[${key}]` : `.${String(key)}`
}

/**
 * Creates an issue of one field, whose message begins with the field's name. An empty path means the entire request.
 */
export function fieldIssue(
  path: readonly PropertyKey[],
  text: string,
  more: Pick<IssueDraft, 'code' | 'rule' | 'params'> | string = {},
): IssueDraft {
  const field = fieldName(path)
  const message = field === undefined ? `the request ${text}` : `${field} ${text}`
  return { message, field, ...(typeof more === 'string' ? { code: more } : more) }
}
