import type { RequestIssue } from '../../contract/issues.js'
import type { RequestSchemaName } from '../../contract/schemas/index.js'
import type { ApiVersion } from '../../contract/versions.js'
import { loaded } from '../core/lazy-import.js'
import { InvalidRequestError } from '../errors/errors.js'

type Checks = typeof import('../../contract/check-request.js')

/** Part of a request that is checked against a schema. */
export interface CheckedPart {
  readonly operation: string
  readonly schema: RequestSchemaName
  readonly value: unknown
  readonly version: ApiVersion
  /** Code for several problems, or for a problem without its own code. */
  readonly code: string
}

/** Checks requests against the schemas, which are loaded on first use. */
export class RequestChecker {
  #checks: Checks | undefined

  /** Loads the schemas. */
  async load(): Promise<void> {
    this.#checks ??= await loaded(import('../../contract/check-request.js'))
  }

  /**
   * Throws when a part is invalid. Returns a promise only while the schemas load.
   *
   * @throws {@link InvalidRequestError} with all problems of the first invalid part.
   */
  check(parts: readonly CheckedPart[]): Promise<void> | undefined {
    if (this.#checks === undefined) return this.load().then(() => this.check(parts))
    for (const part of parts) this.#checkPart(this.#checks, part)
    return undefined
  }

  #checkPart({ checkRequest, issueCode }: Checks, part: CheckedPart): void {
    const issues: RequestIssue[] = checkRequest(part.schema, part.value, part.version, true)
    if (issues.length === 0) return
    throw new InvalidRequestError(part.operation, issues, issueCode(issues, part.code))
  }
}
