import type { Endpoint } from '../../contract/endpoint.js'
import type { Pipeline } from '../call/pipeline.js'
import type { RequestOptions } from '../client-options.js'
import { InvalidRequestError } from '../errors/errors.js'
import { responseError } from '../errors/failures.js'
import { CursorIterator, type ListProgress } from './cursor-iterator.js'
import type { RawPage } from './unwrap.js'

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

/**
 * The list of an endpoint as an iterator; every page is one call.
 *
 * @param query - The endpoint's own filters, and how to walk.
 */
export function listOf<T>(
  pipeline: Pipeline,
  endpoint: Endpoint,
  query: object,
  options: ListOptions,
): CursorIterator<T> {
  const { prefetch, dedupe, cursor, onProgress, ...call } = options
  const {
    prefetch: readsAhead = prefetch,
    dedupe: leavesOut = dedupe,
    cursor: start = cursor,
    onProgress: listener = onProgress,
    ...filters
  }: Record<string, unknown> = { ...query }
  const first = startCursor(endpoint, start)
  const tell = progressOf(endpoint, listener)
  return new CursorIterator<T>({
    cursor: first,
    prefetch: readsAhead === true,
    dedupe: leavesOut === true,
    signal: pipeline.parts.signals.of(call.signal),
    ...(tell && { onProgress: (progress) => pipeline.parts.progress.tell(tell, progress) }),
    fetchPage: (page, signal) => {
      const input = { query: page === undefined ? filters : { ...filters, cursor: page } }
      return Promise.resolve(
        pipeline.call<RawPage>(endpoint, input, signal === undefined ? call : { ...call, signal }),
      )
    },
    loopError: (pages) =>
      responseError('cursor-loop', {
        what: `${endpoint.method} ${endpoint.path}`,
        origin: pipeline.parts.options.base.origin,
        attempts: pages,
        outcome: 'failed',
        detail: `after ${pages} pages`,
      }),
  })
}

/** A page's own cursor object is as good as the text in it. */
function startCursor(endpoint: Endpoint, given: unknown): string | undefined {
  if (given === undefined) return undefined
  const cursor: unknown = typeof given === 'object' && given !== null ? Reflect.get(given, 'cursor') : given
  if (typeof cursor === 'string' && cursor !== '') return cursor
  throw new InvalidRequestError(
    endpoint.id,
    [{ message: 'cursor must be the cursor of a page', field: 'cursor' }],
    'INVALID_PARAMETER',
  )
}

type OnProgress = NonNullable<WalkOptions['onProgress']>

function progressOf(endpoint: Endpoint, given: unknown): OnProgress | undefined {
  if (given === undefined || isFunction(given)) return given
  throw new InvalidRequestError(
    endpoint.id,
    [{ message: 'onProgress must be a function', field: 'onProgress' }],
    'INVALID_PARAMETER',
  )
}

function isFunction(value: unknown): value is OnProgress {
  return typeof value === 'function'
}
