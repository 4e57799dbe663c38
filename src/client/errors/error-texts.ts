import { type Outcome, safeErrorName } from '../../common/errors.js'
import { isKnownReferralStatus, isKnownResultStatus } from '../../contract/enums.js'
import { isKnownEventName } from '../../contract/events.js'
import { isPlain } from '../../contract/plain-words.js'
import {
  ConnectionError,
  InvalidResponseError,
  type InvalidResponseReason,
  isSafeToRepeat,
} from './errors.js'
import { MARK, normalised, type RequestValues } from './request-values.js'

/** Request details that a message may contain. */
export interface FailureContext {
  /** Method and path template, such as `GET /v1/referrals/{uuid}`. */
  readonly what: string
  readonly origin: string
  readonly attempts: number
  /** `true` for a request that has the same effect however often it is sent. */
  readonly isRepeatable?: boolean
}

/** Explanation of each reason, for error messages. */
const RESPONSE_SENTENCES: Readonly<Record<InvalidResponseReason, string>> = {
  truncated: 'the response is truncated',
  'not-json': 'the response is not JSON',
  empty: 'the response is empty',
  shape: 'the response differs from the contract',
  'error-envelope': 'the response has a success status but contains an error',
  'too-large': 'the response is larger than the limit',
  encoding: 'the response has a content encoding that was not requested, or is not valid gzip',
  redirect: 'the response is a redirect, which the client never follows',
  'cursor-loop': 'the list returned the same cursor again',
  'incomplete-list': 'records of the list may be missing',
  'not-pdf': 'the document is not a PDF',
  'no-document': 'no PDF is available',
  'unsafe-url': "the document's URL is not permitted",
}

/** Next step for the caller after an unusable response, for error messages. */
const NEXT_STEPS: Readonly<Partial<Record<InvalidResponseReason, string>>> = {
  truncated: 'call again',
  'not-json': 'call again',
  empty: 'call again',
  shape: 'report the difference to the maintainers of this package',
  'error-envelope': 'call again',
  'too-large': 'increase maxResponseBytes',
  encoding: 'check the proxies between the client and the service',
  'cursor-loop': 'read the list again',
  'incomplete-list': 'read the list again',
  'no-document': 'try again when the record has a PDF',
}

/** Next step for the caller when a repetition could have an effect twice. */
export const CHECK_FIRST = 'check whether it was carried out before you call again'

/** Effect of a call on the service, as a part of an error message. The next step follows it. */
export const EFFECT: Readonly<Record<Outcome, string>> = {
  'not-sent': 'nothing was sent',
  refused: 'the request was not carried out',
  failed: 'nothing was changed',
  unknown: 'it is unknown whether the request was carried out',
}

/** Creates the error of a call that starts after `close()`. */
export function clientClosed(what: string): ConnectionError {
  const message = `${what}: the client is closed; ${EFFECT['not-sent']}; create a new client`
  return new ConnectionError(message, { outcome: 'not-sent', attempts: 0, reason: 'closed' })
}

/** Creates the error of a call that finds the queue full. */
export function queueFull(what: string): ConnectionError {
  const message = `${what}: too many calls are queued (maxQueue); ${EFFECT['not-sent']}; call again later`
  return new ConnectionError(message, { outcome: 'not-sent', attempts: 0, reason: 'queue-full' })
}

/** Creates the public error of a response that is not usable. */
export function responseError(
  reason: InvalidResponseReason,
  context: FailureContext & {
    readonly outcome: Outcome
    readonly status?: number | undefined
    readonly detail?: string | undefined
    readonly cause?: unknown
    /** Next step for the caller. Default: the next step of the reason. */
    readonly advice?: string | undefined
  },
): InvalidResponseError {
  const { outcome, detail, advice } = context
  const sentence = RESPONSE_SENTENCES[reason] + (detail === undefined ? '' : ` (${detail})`)
  const effect = outcome === 'unknown' ? EFFECT.unknown : undefined
  const next = advice ?? (isSafeToRepeat(context) ? NEXT_STEPS[reason] : CHECK_FIRST)
  const text = [sentence, effect, next].filter((part) => part !== undefined).join('; ')
  return new InvalidResponseError(`${context.what} at ${context.origin}: ${text}`, { ...context, reason })
}

const SEVERITY: Readonly<Record<Outcome, number>> = { 'not-sent': 0, refused: 1, failed: 2, unknown: 3 }

/** Returns the more severe outcome of two attempts. */
export function moreSevere(first: Outcome, second: Outcome): Outcome {
  return SEVERITY[first] > SEVERITY[second] ? first : second
}

/** Maximum length of the returned text, in characters. */
const MAX_LENGTH = 500

/**
 * Maximum number of characters that are read. This maximum is larger than the maximum length of the returned text,
 * because redaction shortens the text.
 */
const MAX_READ = 2 * MAX_LENGTH

const WORD = /[^\s"'`()[\]{}<>,;:=*]+/g
const ASCII = /^[!-~]+$/
const LETTER = /[a-z]/i
const SEVERAL_MARKS = /\*{3}(?:[^A-Za-z0-9*]*\*{3})+/g

/**
 * Removes request values from a text of the service or the platform. Returns at most 500 ASCII characters, or
 * `undefined` when nothing remains, or when the request has too many values to collect all of them.
 *
 * Keeps only words of the list of plain words, names of known events, and IDs of requested tests and bundles. Also
 * replaces a plain word that overlaps a request value of three or more characters. A value of one or two characters
 * remains only where it is a plain word, such as "No".
 */
export function redact(text: string, values: RequestValues): string | undefined {
  if (!values.isComplete) return undefined
  const shown = normalised(cut(text, MAX_READ)).replace(/\[\d+\]/g, '[]')
  const places = values.placesIn(shown.toLowerCase())
  const marked = shown.replace(WORD, (word, at: number) => {
    const isHidden = places.subarray(at, at + word.length).includes(1)
    return !isHidden && isShown(word, values) ? word : MARK
  })
  return joined(marked.split('; ')) || undefined
}

/** Cuts a text at the end of a word: a cut request value would not be found, so its first part would be shown. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length + 1).replace(/\S*$/, '')
}

function isShown(word: string, values: RequestValues): boolean {
  return (
    ASCII.test(word) &&
    (isPlain(word) || isKnownEventName(word) || values.isCatalogueId(word.replace(/[.!?]$/, '')))
  )
}

/** Joins the parts that contain a letter, up to the maximum length. */
function joined(parts: readonly string[]): string {
  let text = ''
  for (const each of parts) {
    const part = cut(each.replace(SEVERAL_MARKS, MARK).trim(), MAX_LENGTH).trim()
    if (!LETTER.test(part)) continue
    if (text === '') text = part
    else if (text.length + 2 + part.length <= MAX_LENGTH) text += `; ${part}`
  }
  return text
}

const CODE = /^[A-Z][A-Z0-9_]{2,63}$/
/** Pattern of the token service's codes. */
const NUMERIC_CODE = /^\d{3}$/

/**
 * Returns an unknown code when it has the form of a code and repeats no request value. A single word must be a
 * plain word, because a name in capitals has the same form.
 */
export function safeCode(code: string, values: RequestValues): string | undefined {
  const looksRight = NUMERIC_CODE.test(code) || (CODE.test(code) && (code.includes('_') || isPlain(code)))
  return looksRight && !values.isIn(code) ? code : undefined
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Format of a request ID. */
export const REQUEST_ID: RegExp = /^(?=.*[A-Za-z])(?=.*\d)[A-Za-z0-9._:/+=-]{1,128}$/

/** Returns a request ID of the service if it has the format of an ID and repeats no request value. */
export function safeId(id: string, values: RequestValues): string | undefined {
  // Nearly every request ID is a UUID. A UUID is unsafe only if the request contains it. This check is faster than
  // `isIn`.
  if (UUID.test(id)) return values.contains(id) ? undefined : id
  return REQUEST_ID.test(id) && !values.isIn(id) ? id : undefined
}

/** Describes a status. An unknown status is shown only when it consists of plain words. */
export function statusSeen(status: unknown): string {
  if (typeof status !== 'string' || status === '') return 'its status is unknown'
  const isPlainStatus = /^[A-Z][A-Z_]{2,39}$/.test(status) && isPlain(status)
  const isShown = isPlainStatus || isKnownReferralStatus(status) || isKnownResultStatus(status)
  return isShown ? `its status is ${status}` : 'its status is unknown to this version of pathology-sdk'
}

/** Platform error without the attached response data, certificates and sockets. */
class PlatformError extends Error {
  readonly code: string | undefined

  constructor(name: string, message: string, code: string | undefined, cause: Error | undefined) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = name
    this.code = code
    this.stack = `${name}: ${message}`
  }
}

/** Maximum depth of the causes that are kept. */
const MAX_CAUSE_DEPTH = 3

/** Platform codes of one word. They are safe to show, but `safeCode` would reject them. */
const PLATFORM_CODES: ReadonlySet<string> = new Set(
  `EACCES EADDRINUSE EADDRNOTAVAIL EAFNOSUPPORT EBADF ECANCELED ECONNABORTED ECONNREFUSED ECONNRESET EHOSTDOWN
  EHOSTUNREACH EINVAL EIO EISCONN EMFILE ENETDOWN ENETRESET ENETUNREACH ENFILE ENOBUFS ENODATA ENOENT ENOMEM
  ENOSPC ENOTCONN ENOTFOUND EPERM EPIPE EPROTO EREFUSED ESERVFAIL ETIMEDOUT ETIMEOUT`.split(/\s+/),
)

/** Returns the name, the code and the redacted message of a platform error and of its causes. */
export function safeCause(error: unknown, values: RequestValues, depth = 0): Error | undefined {
  if (!(error instanceof Error) || depth > MAX_CAUSE_DEPTH) return undefined
  return new PlatformError(
    safeErrorName(error),
    redact(String(error.message), values) ?? '',
    platformCode(Reflect.get(error, 'code'), values),
    safeCause(error.cause, values, depth + 1),
  )
}

function platformCode(code: unknown, values: RequestValues): string | undefined {
  if (typeof code !== 'string') return undefined
  return PLATFORM_CODES.has(code) ? code : safeCode(code, values)
}
