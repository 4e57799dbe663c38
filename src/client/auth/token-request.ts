import type { Clock } from '../../common/clock.js'
import type { Outcome } from '../../common/errors.js'
import { TOKEN_PATH } from '../../contract/endpoint.js'
import { CallEnded, Deadline } from '../core/deadline.js'
import { AttemptFailure, type Attempts, newAttempts, type RetryBudget, withRetries } from '../core/retry.js'
import { failureOfStatus, parseRetryAfter } from '../core/retry-policy.js'
import { CHECK_FIRST, EFFECT, moreSevere } from '../errors/error-texts.js'
import {
  ConnectionError,
  InvalidResponseError,
  isSafeToRepeat,
  RequestOutcomeError,
  TokenError,
} from '../errors/errors.js'
import type { ServiceUrl } from '../transport/addresses.js'
import {
  connectionError,
  type Transport,
  TransportFailure,
  type TransportResponse,
} from '../transport/transport.js'
import type { StoredTokens } from './token-manager.js'
import { NOT_JSON, readTokenResponse } from './token-response.js'

/**
 * Time limits, in milliseconds. The limit of a refresh is shorter than the default time limit of a call (30 s). After a
 * failed refresh, time is left for a request with the credentials.
 */
const TIMEOUT_MS = { client_credentials: 30_000, refresh_token: 10_000 } as const
const MAX_BYTES = 1024 * 1024
const MAX_RETRIES = 2

const CHECK_AUTH_URL = 'check that authUrl is the address of the token service'

/** `setImmediate`, read when this module loads because a test runner can replace it. Some runtimes do not have it. */
const setImmediateAtLoad: typeof setImmediate | undefined = globalThis.setImmediate

/**
 * Waits for one turn of the event loop. undici can use the connection of the token request again only after this turn.
 * Without this wait, a call to the same origin that needs the token would open a second connection.
 */
async function untilConnectionIsFree(): Promise<void> {
  if (setImmediateAtLoad !== undefined) await new Promise((resolve) => setImmediateAtLoad(resolve))
}

interface Grant extends Attempts {
  readonly kind: keyof typeof TIMEOUT_MS
  readonly refreshToken: string | undefined
  attempts: number
}

export interface TokenOptions {
  readonly base: ServiceUrl
  readonly auth: ServiceUrl
  readonly clientId: string
  readonly clientSecret: string
  readonly clientAuthentication: 'basic' | 'body'
  readonly userAgent: string
  readonly clock: Clock
  readonly random: () => number
}

/** Sends token requests. Each request has its own time limit, independent of the waiting calls. */
export class TokenServiceClient {
  readonly #options: TokenOptions
  readonly #transport: Transport
  readonly #budget: RetryBudget
  readonly #closing: AbortSignal | undefined

  /** @param closing - Ends all token requests, with the pauses before their retries. */
  constructor(options: TokenOptions, transport: Transport, budget: RetryBudget, closing?: AbortSignal) {
    this.#options = options
    this.#transport = transport
    this.#budget = budget
    this.#closing = closing
  }

  /** Requests tokens with a refresh token, which can be invalid afterwards, or with the client's credentials. */
  async request(refreshToken: string | undefined): Promise<StoredTokens> {
    const kind = refreshToken === undefined ? 'client_credentials' : 'refresh_token'
    const retry = refreshToken === undefined ? 'repeatable' : 'once'
    const deadline = new Deadline(this.#options.clock, TIMEOUT_MS[kind], this.#closing)
    const grant: Grant = { kind, refreshToken, attempts: 0, ...newAttempts(retry, MAX_RETRIES, deadline) }
    const context = { budget: this.#budget, options: this.#options }
    try {
      return await withRetries(context, grant, () => this.#attempt(grant))
    } catch (error) {
      throw error instanceof AttemptFailure ? error.toPublic() : error
    } finally {
      deadline.dispose()
    }
  }

  async #attempt(grant: Grant): Promise<StoredTokens> {
    const { clock } = this.#options
    const askedAt = clock.now()
    grant.attempts += 1
    const response = await this.#send(grant)
    await untilConnectionIsFree()
    try {
      return await readTokenResponse(response, askedAt, grant.attempts, this.#url)
    } catch (error) {
      if (!(error instanceof TokenError)) throw error
      const kind = error.code === NOT_JSON ? 'ambiguous' : failureOfStatus(response.status)
      const isRefused = error.outcome === 'refused' && response.status >= 500
      if (isRefused || kind === 'final') throw error
      const retryAfterMs = parseRetryAfter(response.headers['retry-after'], clock.now())
      const { outcome, status } = error
      throw new AttemptFailure(kind, { outcome, status, retryAfterMs, toPublic: () => error })
    }
  }

  get #url(): string {
    const { origin, prefix } = this.#options.auth
    return `${origin}${prefix}${TOKEN_PATH}`
  }

  async #send(grant: Grant): Promise<TransportResponse> {
    const { auth } = this.#options
    try {
      return await this.#transport.send({
        origin: auth.origin,
        path: `${auth.prefix}${TOKEN_PATH}`,
        method: 'POST',
        headers: this.#headers(),
        body: this.#form(grant),
        deadline: grant.deadline,
        maxBytes: MAX_BYTES,
      })
    } catch (error) {
      throw this.#failure(error, grant)
    }
  }

  /** Converts a {@link TransportFailure} to an error of the token request; returns other errors unchanged. */
  #failure(error: unknown, grant: Grant): unknown {
    if (!(error instanceof TransportFailure)) return error
    const { origin } = this.#options.auth
    const { attempts, deadline } = grant
    const outcome = error.sent ? 'unknown' : 'not-sent'
    if (error.cause instanceof CallEnded) {
      const message = `the token service at ${origin} did not respond within ${deadline.timeoutMs} ms; if this persists, check authUrl`
      return new TokenError(message, { outcome, attempts, isRepeatable: true, code: 'TIMEOUT' })
    }
    const context = {
      what: 'the token request',
      origin,
      attempts,
      outcome,
      isRepeatable: true,
      // No option sets this limit: a larger response is probably the page of another server.
      advice: error.reason === 'too-large' ? CHECK_AUTH_URL : undefined,
    } as const
    const toPublic = (): Error => connectionError(error, context)
    return new AttemptFailure(error.kind, { outcome, reason: error.reason, toPublic })
  }

  #headers(): string[] {
    const { clientAuthentication, clientId, clientSecret, userAgent } = this.#options
    const headers = [
      'accept',
      'application/json',
      'accept-encoding',
      'identity',
      'content-type',
      'application/x-www-form-urlencoded',
      'user-agent',
      userAgent,
    ]
    const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
    return clientAuthentication === 'basic' ? [...headers, 'authorization', basic] : headers
  }

  #form({ kind, refreshToken }: Grant): string {
    const { clientAuthentication, clientId, clientSecret } = this.#options
    const form = new URLSearchParams({ grant_type: kind })
    if (refreshToken !== undefined) form.set('refresh_token', refreshToken)
    if (clientAuthentication === 'body') {
      form.set('client_id', clientId)
      form.set('client_secret', clientSecret)
    }
    return form.toString()
  }
}

/** Advice at the end of a message, or before the name of a proxy in brackets. */
const CALL_AGAIN = /; call again[^;(]*(?=$| \()/

/**
 * Converts a failed token request to the error of one call. Many calls share the failure, so each gets its own
 * error. The outcome of this error is the more severe one of `before` and the outcome of the token request. An unknown
 * outcome of the token request counts as `not-sent`, because the request of the call was not sent.
 *
 * @param before - Outcome of the call's earlier attempts.
 * @param isRepeatable - `true` for a call that has the same effect however often it is sent.
 */
export function tokenFailure(error: unknown, before: Outcome, isRepeatable: boolean): unknown {
  if (!(error instanceof RequestOutcomeError)) return error
  const { message, attempts, cause } = error
  const isKnown = error instanceof TokenError && error.outcome !== 'unknown'
  const outcome = moreSevere(before, isKnown ? error.outcome : 'not-sent')
  const facts = { outcome, attempts, isRepeatable, cause }
  // The advice to call again is removed if a repeated call could have a second effect.
  const text = isSafeToRepeat(facts)
    ? message.replace(EFFECT[error.outcome], EFFECT[outcome])
    : `${message.replace(`; ${EFFECT[error.outcome]}`, '').replace(CALL_AGAIN, '')}; ${EFFECT[outcome]}; ${CHECK_FIRST}`
  if (error instanceof TokenError) {
    const { code, type, status, retryAfter } = error
    return new TokenError(text, { ...facts, code, type, status, retryAfter })
  }
  if (error instanceof ConnectionError) return new ConnectionError(text, { ...facts, reason: error.reason })
  if (!(error instanceof InvalidResponseError)) return error
  return new InvalidResponseError(text, { ...facts, reason: error.reason, status: error.status })
}
