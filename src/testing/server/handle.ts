import type { TokenService } from '../auth/token-service.js'
import type { DocumentDoor } from '../domain/documents.js'
import { faultReply, quotaReply, replacesAnswer, spoil, wireEffect } from '../faults/fault-effects.js'
import type { FaultInjector, Meeting } from '../faults/fault-injector.js'
import type { FakeOptions } from '../options/fake-options.js'
import type { ApiDoor } from './api.js'
import type { DomainClock } from './context.js'
import { defectReply, tooLargeReply, unknownPathReply, wrongMethodReply } from './envelope.js'
import { type FakeAnswer, type FakeRequest, NO_EFFECT, type Reply, type WireEffect } from './http.js'
import { type JournalState, record, safeForm, safeHeaders, safePath } from './journal.js'
import type { RouteMatch, Router } from './router.js'

/** What answering a request takes. */
export interface HandleParts {
  readonly options: FakeOptions
  readonly clock: DomainClock
  readonly router: Router
  readonly faults: FaultInjector
  readonly api: ApiDoor
  readonly tokens: TokenService
  readonly documents: DocumentDoor
  readonly journal: () => JournalState
  /** Runs what the request set off, and tells the console. */
  readonly afterwards: () => void
  /** Waits in real time, unless the fake stops. */
  readonly sleep: (ms: number) => Promise<void>
}

interface Outcome {
  readonly reply: Reply
  readonly wire: WireEffect
}

/** The one way through the fake: every door ends here. */
export async function handle(parts: HandleParts, request: FakeRequest): Promise<FakeAnswer> {
  const startedAt = performance.now()
  const time = parts.clock.iso()
  const journal = parts.journal()
  journal.count += 1
  const number = journal.count
  const path = pathOf(request.target)
  const match = parts.router(request.door, request.method, path)
  const meeting = parts.faults.meet(routeOf(match), request.method, path)
  let body: unknown = null
  const { reply, wire } = await answer(parts, request, match, meeting, (parsed) => {
    body = parsed ?? null
  })
  const silent =
    (wire.kind === 'reset' && wire.when === 'before') || (wire.kind === 'stall' && wire.when === 'headers')
  record(
    parts.journal(),
    {
      number,
      time,
      door: request.door,
      method: request.method,
      path: safePath(request.target),
      route: routeOf(match)?.id ?? null,
      headers: safeHeaders(request.headers),
      body: request.door === 'auth' && request.body.byteLength > 0 ? safeForm(request.body) : body,
      status: silent || wire.kind === 'garbage' ? null : reply.status,
      code: reply.code ?? null,
      durationMs: performance.now() - startedAt,
      fault: meeting?.id ?? null,
    },
    parts.options.journalLimit,
  )
  parts.afterwards()
  return finish(parts, reply, number, wire)
}

async function answer(
  parts: HandleParts,
  request: FakeRequest,
  match: RouteMatch,
  meeting: Meeting | undefined,
  onBody: (body: unknown) => void,
): Promise<Outcome> {
  const fault = meeting?.fault
  if (fault === undefined) {
    const seconds = request.door === 'api' ? parts.faults.overQuota() : undefined
    const reply = seconds === undefined ? await perform(parts, request, match, onBody) : quotaReply(seconds)
    return { reply, wire: NO_EFFECT }
  }
  if (fault.latencyMs !== undefined) await parts.sleep(fault.latencyMs)
  const wire = wireEffect(fault)
  if (replacesAnswer(fault)) {
    if (fault.loseAnswer === true) await perform(parts, request, match, onBody)
    return { reply: spoil(faultReply(fault), fault), wire }
  }
  return { reply: spoil(await perform(parts, request, match, onBody), fault), wire }
}

async function perform(
  parts: HandleParts,
  request: FakeRequest,
  match: RouteMatch,
  onBody: (body: unknown) => void,
): Promise<Reply> {
  if (match.kind === 'path')
    return unknownPathReply(`${request.method} ${pathOf(request.target)}`, match.near)
  if (match.kind === 'method') return wrongMethodReply(request.method, pathOf(request.target), match.allowed)
  if (request.body.byteLength > parts.options.maxBodyBytes) return tooLargeReply(parts.options.maxBodyBytes)
  const { route, params } = match
  try {
    if (route.door === 'auth') return await parts.tokens.answer(request)
    if (route.door === 'documents') return parts.documents.answer(request, params['name'] ?? '')
    return await parts.api.answer({ request, route, params, onBody })
  } catch (error) {
    return defectReply(error)
  }
}

/** Statuses whose answers have no body. */
const BODILESS: readonly number[] = [204, 304]

function finish({ clock }: HandleParts, reply: Reply, number: number, wire: WireEffect): FakeAnswer {
  const common = { date: new Date(clock.now()).toUTCString(), 'x-request-id': `fake-${number}` }
  const { status } = reply
  if (BODILESS.includes(status)) return { status, headers: { ...common, ...reply.headers }, body: '', wire }
  const length = { 'content-length': String(Buffer.byteLength(reply.body)) }
  return { status, headers: { ...common, ...length, ...reply.headers }, body: reply.body, wire }
}

function routeOf(match: RouteMatch): Extract<RouteMatch, { kind: 'found' }>['route'] | undefined {
  return match.kind === 'found' ? match.route : undefined
}

function pathOf(target: string): string {
  const mark = target.indexOf('?')
  return mark === -1 ? target : target.slice(0, mark)
}
