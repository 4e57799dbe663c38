import { safeErrorName } from '../../common/errors.js'
import { redact, safeCode } from './redact.js'
import type { RequestValues } from './request-values.js'

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

const DEEPEST = 3

/** Platform codes that consist of one word. */
const PLATFORM_CODES: ReadonlySet<string> = new Set(
  `EACCES EADDRINUSE EADDRNOTAVAIL EAFNOSUPPORT EBADF ECANCELED ECONNABORTED ECONNREFUSED ECONNRESET EHOSTDOWN
  EHOSTUNREACH EINVAL EIO EISCONN EMFILE ENETDOWN ENETRESET ENETUNREACH ENFILE ENOBUFS ENODATA ENOENT ENOMEM
  ENOSPC ENOTCONN ENOTFOUND EPERM EPIPE EPROTO EREFUSED ESERVFAIL ETIMEDOUT ETIMEOUT`.split(/\s+/),
)

/** Returns the name, the code and the redacted message of a platform error and of its causes. */
export function safeCause(error: unknown, values: RequestValues, depth = 0): Error | undefined {
  if (!(error instanceof Error) || depth > DEEPEST) return undefined
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
