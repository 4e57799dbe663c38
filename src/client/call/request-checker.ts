import type { RequestIssue } from '../../contract/issues.js'
import type { RequestSchemaName } from '../../contract/schemas/index.js'
import type { ApiVersion } from '../../contract/versions.js'
import { loaded } from '../core/lazy-import.js'
import { InvalidRequestError } from '../errors/errors.js'

type Checks = typeof import('../../contract/check-request.js')

/** The part of a request that is held against a schema of the contract. */
export interface CheckedPart {
  readonly operation: string
  readonly schema: RequestSchemaName
  readonly value: unknown
  readonly version: ApiVersion
  /** The code for several problems, or for one that has none of its own. */
  readonly code: string
}

/** Holds requests against the contract. What that needs is loaded with the first one, and is at hand from then on. */
export class RequestChecker {
  #checks: Checks | undefined

  /** Loads what checking needs. */
  async load(): Promise<void> {
    this.#checks ??= await loaded(import('../../contract/check-request.js'))
  }

  /**
   * Throws when a part is not acceptable. A promise only while the checks load.
   *
   * @throws {@link InvalidRequestError} with every problem of the first part that has any.
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
