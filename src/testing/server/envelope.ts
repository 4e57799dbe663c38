import { ERROR_CODES } from '../../contract/error-codes.js'
import type { FakeOptions } from '../options/fake-options.js'
import type { FakeApiError } from './api-error.js'
import { errorReply, type Reply } from './http.js'

const UNSHOWN_STATUS = 400

/** An error of a handler as the answer of §7. */
export function apiErrorReply(error: FakeApiError, options: FakeOptions): Reply {
  const status = options.errorStatuses[error.code] ?? ERROR_CODES[error.code].status ?? UNSHOWN_STATUS
  const headers: Record<string, string> = status === 401 ? { 'www-authenticate': 'Bearer' } : {}
  return errorReply(status, error.code, error.message, error.errorList, headers)
}

/** No such path; what looks like it is named, so that a slip shows at once. */
export function unknownPathReply(path: string, near: readonly string[]): Reply {
  return errorReply(404, 'NOT_FOUND', `the fake has no ${path}; it has ${near.join(', ')}`)
}

/** A known path with another method. */
export function wrongMethodReply(method: string, path: string, allowed: readonly string[]): Reply {
  const message = `the fake has no ${method} ${path}; it has ${allowed.join(', ')} there`
  return errorReply(405, 'METHOD_NOT_ALLOWED', message, [], { allow: allowed.join(', ') })
}

/** A body above `options.maxBodyBytes`. */
export function tooLargeReply(maxBodyBytes: number): Reply {
  return errorReply(413, 'PAYLOAD_TOO_LARGE', `the body is larger than ${maxBodyBytes} bytes`)
}

/** A defect of the fake itself. */
export function defectReply(error: unknown): Reply {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : 'the fake failed'
  return errorReply(500, 'INTERNAL_ERROR', message)
}
