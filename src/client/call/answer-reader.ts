import type { SafeLogger } from '../../common/logger.js'
import type { ResponseIssue } from '../../contract/check-response.js'
import { CHECKS } from '../../contract/checks.js'
import type { Endpoint } from '../../contract/endpoint.js'
import type { ResponseSchemaName } from '../../contract/schemas/index.js'
import type { ResponseValidation } from '../client-options.js'
import type { ResponseReason } from '../errors/errors.js'
import { type RawPage, unwrap } from '../lists/unwrap.js'
import type { WireAnswer } from '../wire/transport.js'
import { isTooDeep } from './json.js'
import type { FailureKind } from './retry.js'

const MAX_BYTES = 10 * 1024 * 1024
const MAX_CENTRE_LIST_BYTES = 64 * 1024 * 1024

/** Why a success answer could not be used. */
export class ReadFailure extends Error {
  readonly reason: ResponseReason
  readonly kind: FailureKind
  readonly detail: string | undefined

  constructor(reason: ResponseReason, kind: FailureKind, detail?: string) {
    super(reason)
    this.reason = reason
    this.kind = kind
    this.detail = detail
  }
}

/** Parses success answers and holds them against the contract in the mode chosen. */
export class AnswerReader {
  readonly #mode: ResponseValidation
  readonly #maxBytes: number | undefined
  readonly #logger: SafeLogger
  readonly #reported = new Set<string>()

  constructor(mode: ResponseValidation, maxBytes: number | undefined, logger: SafeLogger) {
    this.#mode = mode
    this.#maxBytes = maxBytes
    this.#logger = logger
  }

  /** The most bytes an answer of this endpoint may have. */
  maxBytes(endpoint: Endpoint): number {
    return this.#maxBytes ?? (endpoint.id === 'centres.list' ? MAX_CENTRE_LIST_BYTES : MAX_BYTES)
  }

  /**
   * The content of a success answer: the parsed JSON itself, taken out of its wrapper. A promise of it only where it
   * differs from the contract: what names the places is loaded then.
   */
  read(endpoint: Endpoint, answer: WireAnswer): unknown {
    const content = unwrap(endpoint.response, parse(answer.body))
    if (content === undefined) throw new ReadFailure('shape', 'unusable', 'wrong kind of value')
    const { response } = endpoint
    if (this.#mode === 'off' || isAsAgreed(response, content)) return content
    return this.#explain(endpoint, content)
  }

  async #explain(endpoint: Endpoint, content: unknown): Promise<unknown> {
    const { responseIssues } = await import('../../contract/check-response.js')
    const { response } = endpoint
    const issues =
      response.kind === 'list'
        ? pageIssues(responseIssues, response.schema, content as RawPage)
        : responseIssues(response.schema, content)
    if (issues.length > 0) this.#report(endpoint, issues)
    return content
  }

  #report(endpoint: Endpoint, issues: readonly ResponseIssue[]): void {
    // An order is placed by then, and what it brought must not be lost over a field.
    const isThrown = this.#mode === 'strict' && endpoint.settle !== 'order' && endpoint.lenient !== true
    if (isThrown) {
      throw new ReadFailure('shape', 'final', issues.slice(0, 5).map(describe).join('; '))
    }
    for (const issue of issues) {
      const place = `${endpoint.id}: ${describe(issue)}`
      if (this.#reported.has(place)) continue
      this.#reported.add(place)
      this.#logger.warn(`pathology-sdk: an answer differs from the contract at ${place}`)
    }
  }
}

function parse(text: string): unknown {
  if (text.trim() === '') throw new ReadFailure('empty', 'ambiguous')
  const value = parseJson(text)
  if (isTooDeep(text, value)) throw new ReadFailure('too-deep', 'unusable')
  return value
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ReadFailure('not-json', 'ambiguous')
  }
}

/** By checks that need no schema. A list's content is its page, as `unwrap` makes it. */
function isAsAgreed({ kind, schema }: Endpoint['response'], content: unknown): boolean {
  const check = CHECKS[schema]
  if (kind !== 'list') return check(content)
  const page = content as RawPage
  return !isMiscounted(page) && page.items.every(check)
}

function isMiscounted({ items, cursor }: RawPage): boolean {
  return cursor !== undefined && cursor.resultCount !== items.length
}

type Issues = typeof import('../../contract/check-response.js').responseIssues

function pageIssues(issuesOf: Issues, schema: ResponseSchemaName, page: RawPage): ResponseIssue[] {
  const issues = page.items.flatMap((item) => issuesOf(schema, item))
  return isMiscounted(page) ? [MISCOUNT, ...issues] : issues
}

const MISCOUNT: ResponseIssue = { path: 'cursor.resultCount', expected: 'the number of records (§2.14)' }

function describe(issue: ResponseIssue): string {
  return `${issue.path} should be ${issue.expected}`
}
