import { type Outcome, safeErrorName } from '../../common/errors.js'
import {
  ConnectionError,
  InvalidResponseError,
  type InvalidResponseReason,
  isSafeToRepeat,
} from './errors.js'

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
  encoding: 'the response has a content encoding that is not supported, or that does not match its content',
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
  empty: 'call again',
  shape: 'report the difference to the maintainers of this package',
  'error-envelope': 'call again',
  'too-large': 'increase maxResponseBytes',
  encoding: 'check the proxies between the client and the service',
  'cursor-loop': 'read the list again, and report the list to the service if a cursor repeats again',
  'incomplete-list': 'read the list again',
  'no-document': 'try again when the record has a PDF',
}

/** Next step for the caller when a repetition could have an effect twice. */
export const CHECK_FIRST = 'check whether it was carried out before you call again'

/** Beginning of the advice after a response that another server than the service probably sent. */
export const CHECK_ADDRESS = 'check that baseUrl is the address of'

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

/** Creates the public error of a response that is not usable. */
export function responseError(
  reason: InvalidResponseReason,
  context: FailureContext & {
    readonly outcome: Outcome
    readonly status?: number | undefined
    readonly detail?: string | undefined
    readonly cause?: unknown
    /** Next step for the caller, after the check of an unknown outcome. Default: the next step of the reason. */
    readonly advice?: string | undefined
  },
): InvalidResponseError {
  const { outcome, detail, advice } = context
  const sentence = RESPONSE_SENTENCES[reason] + (detail === undefined ? '' : ` (${detail})`)
  const effect = outcome === 'unknown' ? EFFECT.unknown : undefined
  const next = isSafeToRepeat(context) ? (advice ?? NEXT_STEPS[reason]) : [CHECK_FIRST, advice]
  const text = [sentence, effect, next]
    .flat()
    .filter((part) => part !== undefined)
    .join('; ')
  return new InvalidResponseError(`${context.what} at ${context.origin}: ${text}`, { ...context, reason })
}

const SEVERITY: Readonly<Record<Outcome, number>> = { 'not-sent': 0, refused: 1, failed: 2, unknown: 3 }

/** Returns the more severe outcome of two attempts. */
export function moreSevere(first: Outcome, second: Outcome): Outcome {
  return SEVERITY[first] > SEVERITY[second] ? first : second
}

/** Describes a status. Any text that does not look like a status could be personal data. */
export function statusSeen(status: unknown): string {
  if (typeof status !== 'string' || status === '') return 'its status is unknown'
  const isStatus = /^[A-Z][A-Z_]{2,39}$/.test(status)
  return isStatus ? `its status is ${status}` : 'its status is unknown to this version of pathology-sdk'
}

/** Name and code of a platform error: its message, and what else it holds, could be personal data. */
class PlatformError extends Error {
  readonly code: string | undefined

  constructor(name: string, code: string | undefined, cause: Error | undefined) {
    super('', cause === undefined ? undefined : { cause })
    this.name = name
    this.code = code
    this.stack = name
  }
}

/** Maximum depth of the causes that are kept. */
const MAX_CAUSE_DEPTH = 3

/** Codes of Node, OpenSSL and undici; of a database: an SQLSTATE such as `40001`. */
const PLATFORM_CODE =
  /^(?:(?:CERT|DEPTH_ZERO|EAI|ERR|HOSTNAME|HPE|SELF_SIGNED|UNABLE_TO|UND_ERR)_[A-Z0-9_]{2,60}|[0-9][0-9A-Z]{4})$/

/** The system errors of Node. */
const SYSTEM_CODES: ReadonlySet<string> = new Set(
  `EACCES EADDRINUSE EADDRNOTAVAIL EAFNOSUPPORT EBADF ECANCELED ECONNABORTED ECONNREFUSED ECONNRESET EHOSTDOWN
  EHOSTUNREACH EINVAL EIO EISCONN EMFILE ENETDOWN ENETRESET ENETUNREACH ENFILE ENOBUFS ENODATA ENOENT ENOMEM
  ENOSPC ENOTCONN ENOTFOUND EPERM EPIPE EPROTO EREFUSED ESERVFAIL ETIMEDOUT ETIMEOUT`.split(/\s+/),
)

/** Returns the name and the code of a platform error and of its causes, without their messages. */
export function safeCause(error: unknown, depth = 0): Error | undefined {
  if (!(error instanceof Error) || depth > MAX_CAUSE_DEPTH) return undefined
  const code: unknown = Reflect.get(error, 'code')
  const isListed = typeof code === 'string' && (SYSTEM_CODES.has(code) || PLATFORM_CODE.test(code))
  return new PlatformError(
    safeErrorName(error),
    isListed ? code : undefined,
    safeCause(error.cause, depth + 1),
  )
}
