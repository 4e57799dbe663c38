import type { KnownErrorCode } from '../../contract/error-codes.js'
import { formatIssue, type RequestIssue } from '../../contract/issues.js'
import { messageOf } from './messages.js'

/** Thrown by a handler: the fake answers with the error envelope of §7. */
export class FakeApiError extends Error {
  readonly code: KnownErrorCode
  readonly errorList: readonly string[]

  constructor(code: KnownErrorCode, issues: readonly (RequestIssue | string)[] = [], message?: string) {
    super(message ?? messageOf(code))
    this.code = code
    this.errorList = issues.map((issue) => (typeof issue === 'string' ? issue : formatIssue(issue)))
  }
}
