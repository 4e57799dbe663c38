import { isRecord, without, withSet } from '../../common/known-options.js'
import type { ListEndpoint, PageSizes } from '../../contract/endpoint.js'
import type { Pipeline } from '../call/api-client.js'
import type { RequestOptions } from '../call/request-options.js'
import { optionsSnapshot, snapshot } from '../core/snapshot.js'
import { InvalidRequestError, type ResponseReason } from '../errors/errors.js'
import { responseError } from '../errors/sentences.js'
import { CursorIterator, type ListProgress } from './cursor-iterator.js'

/** How a list is walked, beside its filters. */
export interface WalkOptions {
  /** Reads one page ahead while you work on the one before. Default `false`. */
  readonly prefetch?: boolean | undefined
  /**
   * Leaves out records that came on an earlier page of the same walk, as when others are added before them while you
   * walk. The last 10,000 are remembered. Default `false`.
   */
  readonly dedupe?: boolean | undefined
  /** Where to go on: a page's `cursor`, or the `cursor` of an error, with the same filters. */
  readonly cursor?: string | undefined
  /**
   * Called with each page, before its records are handed out. What it throws is ignored, with one warning to the logger.
   */
  readonly onProgress?: ((progress: ListProgress) => void) | undefined
}

/** Options of a list: those of its calls, and how to walk it, which may stand beside the filters as well. */
export interface ListOptions extends RequestOptions, WalkOptions {}

/** What a list is read for. */
export interface ListUse {
  /** The method that was called, for errors; the endpoint's own where it is left out. */
  readonly operation?: string
  /**
   * A record that is not in the list is taken for one that does not exist. The walk then ends in an error, in every
   * validation mode, when records may be missing: after the last page when it is full and has no cursor, so a caller
   * that has read far enough back stops before.
   */
  readonly mustBeComplete?: boolean
}

/**
 * The list of an endpoint as an iterator; every page is one call.
 *
 * @param query - The endpoint's own filters, and how to walk.
 */
export function listOf<T>(
  pipeline: Pipeline,
  endpoint: ListEndpoint,
  query: object,
  options: ListOptions,
  { operation = endpoint.id, mustBeComplete = false }: ListUse = {},
): CursorIterator<T> {
  if (!isRecord(query)) throw refused(operation, 'the query must be an object')
  const own = optionsSnapshot(operation, options)
  const given = snapshot(operation, query as Readonly<Record<string, unknown>>, 'INVALID_PARAMETER')
  const {
    prefetch = own.prefetch,
    dedupe = own.dedupe,
    cursor = own.cursor,
    onProgress = own.onProgress,
  } = given
  const call = without(own, ...WALK_OPTIONS)
  const filters = timesAsText(without(given, ...WALK_OPTIONS))
  const first = startCursor(operation, cursor)
  const asked = first === undefined ? filters : withSet(filters, { cursor: first })
  const tell = progressOf(operation, onProgress)
  const failure = (reason: ResponseReason, pages: number, detail: string): Error =>
    responseError(reason, {
      what: `${endpoint.method} ${endpoint.path}`,
      origin: pipeline.parts.options.base.origin,
      attempts: pages,
      outcome: 'failed',
      detail,
    })
  return new CursorIterator<T>({
    cursor: first,
    start: { sizes: sizesOf(endpoint), asked: countOf(filters), isFromStart: first === undefined },
    prefetch: prefetch === true,
    dedupe: dedupe === true,
    signal: pipeline.parts.signals.of(call.signal),
    onProgress: tell && ((progress) => pipeline.parts.progress.tell(tell, progress)),
    fetchPage: (page, signal) => {
      const input = page === first ? { operation, query: asked } : { operation, query: filters, cursor: page }
      return Promise.resolve(
        pipeline.call(endpoint, input, signal === undefined ? call : withSet(call, { signal })),
      )
    },
    mustBeComplete,
    loopError: (pages) => failure('cursor-loop', pages, `after ${pages} pages`),
    incompleteError: (detail, pages) =>
      mustBeComplete || pipeline.parts.reader.refusesIncomplete(endpoint, detail)
        ? failure('incomplete-list', pages, detail)
        : undefined,
  })
}

const WALK_OPTIONS = ['prefetch', 'dedupe', 'cursor', 'onProgress'] as const

/** Writes dates as ISO 8601; what is no time stays recognisable, for the check to name. */
function timesAsText(filters: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const dates = Object.entries(filters).filter((entry): entry is [string, Date] => entry[1] instanceof Date)
  const texts = dates.map(([name, time]) => [
    name,
    Number.isNaN(time.getTime()) ? 'Invalid Date' : time.toISOString(),
  ])
  return withSet(filters, Object.fromEntries(texts))
}

function sizesOf({ response }: ListEndpoint): PageSizes | false {
  return response.kind === 'list' && response.paged
}

function countOf({ count }: Readonly<Record<string, unknown>>): number | undefined {
  return typeof count === 'number' ? count : undefined
}

/** A page's own cursor object is as good as the text in it. */
function startCursor(operation: string, given: unknown): string | undefined {
  if (given === undefined) return undefined
  const cursor: unknown = typeof given === 'object' && given !== null ? Reflect.get(given, 'cursor') : given
  if (typeof cursor === 'string' && cursor !== '') return cursor
  throw refused(operation, 'cursor must be the cursor of a page', 'cursor')
}

type OnProgress = NonNullable<WalkOptions['onProgress']>

function progressOf(operation: string, given: unknown): OnProgress | undefined {
  if (given === undefined || isFunction(given)) return given
  throw refused(operation, 'onProgress must be a function', 'onProgress')
}

function refused(operation: string, message: string, field?: string): InvalidRequestError {
  return new InvalidRequestError(operation, [{ message, field }], 'INVALID_PARAMETER')
}

function isFunction(value: unknown): value is OnProgress {
  return typeof value === 'function'
}
