import { vi } from 'vitest'
import type { TokenManager } from '../../../src/client/auth/token-manager.js'
import { type Call, type CallContext, InFlightCalls, type Reconciler } from '../../../src/client/call/call.js'
import type { CallEndpoint } from '../../../src/client/call/raw-request.js'
import type { CallInput, PreparedRequest, SendingGuard } from '../../../src/client/call/request.js'
import type { ResponseReader } from '../../../src/client/call/response.js'
import { run } from '../../../src/client/call/run.js'
import { Deadline, SharedSignals } from '../../../src/client/core/deadline.js'
import type { RateLimiter } from '../../../src/client/core/rate-limiter.js'
import { newAttempts, RetryBudget } from '../../../src/client/core/retry.js'
import { resolveOptions } from '../../../src/client/resolve-options.js'
import type {
  Transport,
  TransportRequest,
  TransportResponse,
} from '../../../src/client/transport/transport.js'
import { ServerClock } from '../../../src/common/clock.js'
import { SafeLogger } from '../../../src/common/logger.js'
import type { Endpoint } from '../../../src/contract/endpoint.js'
import { endpoints } from '../../../src/contract/endpoints.js'
import { SkippingClock } from '../../support/skipping-clock.js'

/** Result of one sending: a response, or the error that the transport throws. */
export type Sent = TransportResponse | Error

export const response = (
  status: number,
  json: unknown = {},
  headers: TransportResponse['headers'] = {},
): TransportResponse => ({
  status,
  headers,
  body: JSON.stringify(json),
})

export const ok = response(200, { uuid: 'r-1' })

/** The part of an object that the code under test uses. */
function part<T extends object>(used: Partial<T>): T {
  // The cast is safe, because a test fails when the code uses another part.
  return used as T
}

const asCallEndpoint = (endpoint: Endpoint): CallEndpoint => endpoint

export interface RunOptions {
  readonly endpoint?: Endpoint
  readonly request?: Partial<PreparedRequest>
  readonly input?: CallInput
  readonly timeoutMs?: number
  /** Time from each request to its response or error, in milliseconds. Default: 0. */
  readonly tripMs?: number
  readonly reconciler?: Reconciler
  /** Parts of the rate limiter. Default: calls are not paced. */
  readonly pause?: Partial<RateLimiter>
  readonly tokens?: Partial<TokenManager>
}

/** One call whose transport returns or throws the given results in order; the last one repeats. */
export function callWith(sent: readonly Sent[], options: RunOptions = {}) {
  const { endpoint = endpoints.referrals.retrieve, timeoutMs = 100_000, tripMs = 0 } = options
  const clock = new SkippingClock({ skip: (delayMs) => delayMs !== timeoutMs })
  const requests: TransportRequest[] = []
  const warnings: string[] = []
  const send = async (request: TransportRequest): Promise<TransportResponse> => {
    requests.push(request)
    clock.advance(tripMs)
    const result = sent[requests.length - 1] ?? sent.at(-1) ?? ok
    if (result instanceof Error) throw result
    return result
  }
  const account = { baseUrl: 'http://127.0.0.1:1', authUrl: 'http://127.0.0.1:1', clientId: 'client-1' }
  const budget = new RetryBudget()
  const serverClock = new ServerClock(clock)
  const spies = {
    budgetTaken: vi.spyOn(budget, 'succeeded'),
    moment: vi.spyOn(serverClock, 'moment'),
    invalidate: vi.fn(),
    refusal: vi.fn(() => false),
    acceptance: vi.fn(),
  }
  let tokens = 0
  const current = (): string | undefined =>
    spies.invalidate.mock.calls.length > tokens ? undefined : `token-${tokens}`
  const signals = new SharedSignals()
  const logger = new SafeLogger({ warn: (message) => warnings.push(message) })
  const context = part<CallContext>({
    options: resolveOptions({ ...account, clientSecret: 'secret-1', clock, random: () => 0.5 }, {}),
    transport: part<Transport>({ send }),
    tokens: part<TokenManager>({
      current,
      get: async () => `token-${++tokens}`,
      invalidate: spies.invalidate,
      isOfOtherProcess: () => false,
      ...options.tokens,
    }),
    reader: part<ResponseReader>({ read: (_, { body }) => JSON.parse(body) }),
    budget,
    rateLimiter: part<RateLimiter>({
      isPacing: false,
      pauses: 0,
      pauseMs: 0,
      turn: async () => 0,
      isExpired: () => false,
      accepted: spies.acceptance,
      rejected: spies.refusal,
      ...options.pause,
    }),
    inFlight: new InFlightCalls(),
    serverClock,
    signals,
    logger,
  })
  const request: PreparedRequest = {
    path: '/v1/referrals',
    body: undefined,
    headers: [],
    remainingMs: timeoutMs,
    limitMs: timeoutMs,
    maxRetries: 2,
    maxResponseBytes: 1_000,
    ...options.request,
  }
  const call: Call = {
    endpoint,
    input: options.input ?? {},
    query: undefined,
    body: undefined,
    options: {},
    request,
    reconciler: options.reconciler,
    ...newAttempts(endpoint.retry, request.maxRetries, new Deadline(clock, timeoutMs, undefined)),
    reconcile: options.reconciler && asCallEndpoint(endpoint).reconcile,
    isPaced: true,
    token: '',
    turn: 0,
    sends: 0,
    sentAt: undefined,
    lostAt: undefined,
    isRecovered: false,
  }
  return { context, call, clock, requests, warnings, ...spies, run: () => run(context, call) }
}

/** A guard that records its calls. */
export function watchedGuard(change: Partial<SendingGuard> = {}) {
  const seen: string[] = []
  const guard: SendingGuard = {
    beforeSending: async () => void seen.push('before'),
    isStale: () => false,
    hadNoEffect: (wasRejected) => void seen.push(wasRejected ? 'rejected' : 'not sent'),
    ...change,
  }
  return { guard, seen }
}
