import {
  internalErrorResponse,
  methodNotAllowedResponse,
  tooLargeResponse,
  unknownPathResponse,
} from './api-error.js'
import type { Clock } from './clock.js'
import type { FakeRequest, FakeResponse, ResponseDraft, ServicePart, TransportEffect } from './http.js'
import {
  isCut,
  type JournalState,
  record,
  repeatedBy,
  safeBody,
  safeHeaders,
  safePath,
  safeText,
} from './journal.js'
import type { ServerOptions } from './options.js'
import type { RouteMatch, Router } from './router.js'
import type { Route } from './routes.js'

/** A request whose route is known. */
export interface RoutedRequest {
  readonly request: FakeRequest
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

/** Responds to the requests of one part of the service. */
export type Responder = (routed: RoutedRequest) => ResponseDraft | Promise<ResponseDraft>

/** A response, and the effect of a fault on its transport. */
export interface Outcome {
  readonly response: ResponseDraft
  readonly effect: TransportEffect
  /** Number of the fault that was applied; `null` without one. */
  readonly fault: number | null
  /** Error code of the service's response, if a fault has lost this response. */
  readonly lostCode?: string | undefined
}

/** Applies a fault or the rate limit. Returns the response of `perform`, or a response that replaces it. */
export type Intercept = (
  request: Pick<FakeRequest, 'part' | 'method'> & { readonly path: string },
  route: Route | undefined,
  perform: () => Promise<ResponseDraft>,
) => Promise<Outcome>

export interface PipelineParts {
  readonly options: Pick<ServerOptions, 'journalLimit' | 'maxBodyBytes'>
  readonly clock: Clock
  readonly router: Router
  readonly intercept: Intercept
  readonly responders: Readonly<Record<ServicePart, Responder>>
  readonly journal: () => JournalState
  /** Number that changes when the fake is reset, restored or closed. */
  readonly generation: () => number
  /** Runs the jobs that are due, then notifies the listeners of changes. */
  readonly afterwards: () => void
}

/**
 * Creates the response to one request: finds the route, applies faults, and gets the response of the part of the
 * service. Then records the request in the journal, and runs the jobs that are due.
 */
export async function runPipeline(parts: PipelineParts, request: FakeRequest): Promise<FakeResponse> {
  const startedAt = performance.now()
  const generation = parts.generation()
  const time = parts.clock.iso()
  const journal = parts.journal()
  journal.count += 1
  const number = journal.count
  const { part, method } = request
  const path = pathOf(request.target)
  const match = parts.router(part, method, path)
  const route = match.kind === 'found' ? match.route : undefined
  const { response, effect, fault, lostCode } = await parts.intercept(
    { part, method, path },
    route,
    async () =>
      // The latency of a fault can end after a reset. The request must not change the new state.
      generation === parts.generation()
        ? routeToPart(parts, request, match)
        : internalErrorResponse(interrupted()),
  )
  const complete = withSharedHeaders(parts, request, { ...response, effect }, number)
  const sends = sendsStatus(effect)
  const entry = {
    number,
    time,
    part,
    method,
    path: safePath(request.target),
    route: route?.id ?? null,
    headers: safeHeaders(request.headers),
    body: safeBody(request, route, parts.options.maxBodyBytes),
    status: sends ? response.status : null,
    code: (sends ? response.code : lostCode) ?? null,
    durationMs: performance.now() - startedAt,
    fault,
    responseHeaders: sends ? safeHeaders(complete.headers) : {},
    responseBody: sends ? safeText(complete.body) : null,
    isResponseBodyCut: sends && isCut(complete.body),
    responseBytes: sends ? Buffer.byteLength(complete.body) : 0,
  }
  // If a reset or a restore has replaced the journal, the request's number is not valid in the new journal.
  if (journal === parts.journal())
    record(journal, { ...entry, repeatOf: repeatedBy(journal, entry) }, parts.options.journalLimit)
  parts.afterwards()
  return complete
}

/** Creates the error of a request that is not carried out because of a reset, restore or close during its wait. */
export function interrupted(): Error {
  return new Error('the fake was reset, restored or closed while the request waited; nothing was changed')
}

/** Returns `true` when the client gets at least the status and the headers of the response. */
export function sendsStatus(effect: TransportEffect): boolean {
  if (effect.kind === 'reset') return effect.when !== 'before'
  if (effect.kind === 'stall') return effect.when !== 'headers'
  return effect.kind !== 'garbage'
}

/** Returns the part's response; an error response if there is no route, or if the body is too large. */
async function routeToPart(
  parts: PipelineParts,
  request: FakeRequest,
  match: RouteMatch,
): Promise<ResponseDraft> {
  const path = pathOf(request.target)
  const { maxBodyBytes } = parts.options
  if (match.kind === 'path') return unknownPathResponse(`${request.method} ${path}`, match.similar)
  if (match.kind === 'method') return methodNotAllowedResponse(request.method, path, match.allowed)
  if (request.body.byteLength > maxBodyBytes) return tooLargeResponse(maxBodyBytes)
  const { route, params } = match
  try {
    return await parts.responders[route.part]({ request, route, params })
  } catch (error) {
    return internalErrorResponse(error)
  }
}

/** Statuses whose responses have no body. */
const BODILESS: readonly number[] = [204, 304]

/** Adds the headers that all responses share. Removes the body of a response to HEAD, but keeps its length header. */
function withSharedHeaders(
  { clock }: PipelineParts,
  { method }: FakeRequest,
  { status, headers, body, effect }: ResponseDraft & Pick<FakeResponse, 'effect'>,
  number: number,
): FakeResponse {
  const common = { date: new Date(clock.now()).toUTCString(), 'x-request-id': `fake-${number}` }
  if (BODILESS.includes(status)) return { status, headers: { ...common, ...headers }, body: '', effect }
  const length = { 'content-length': String(Buffer.byteLength(body)) }
  return {
    status,
    headers: { ...common, ...length, ...headers },
    body: method === 'HEAD' ? '' : body,
    effect,
  }
}

function pathOf(target: string): string {
  const queryStart = target.indexOf('?')
  return queryStart === -1 ? target : target.slice(0, queryStart)
}
