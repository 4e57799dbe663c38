import type { Clock } from '../../common/clock.js'
import type { Outcome } from '../../common/errors.js'
import { TOKEN_PATH } from '../../contract/endpoint.js'
import { CallEnded, Deadline } from '../core/deadline.js'
import { AttemptFailure, type RetryBudget, retryByTable } from '../core/retry.js'
import { failureOfStatus, parseRetryAfter } from '../core/retry-policy.js'
import { EFFECT, moreSevere } from '../errors/error-texts.js'
import {
  ConnectionError,
  InvalidResponseError,
  type RequestOutcomeError,
  TokenError,
} from '../errors/errors.js'
import { RequestValues } from '../errors/request-values.js'
import type { ServiceUrl } from '../transport/addresses.js'
import {
  connectionError,
  failureOfConnection,
  type Transport,
  TransportFailure,
  type TransportResponse,
} from '../transport/transport.js'
import type { Grants, StoredTokens } from './token-renewal.js'
import { NOT_JSON, readTokenResponse } from './token-response.js'

/**
 * Time limits of the grants, in milliseconds. The limit of a refresh is shorter, so that a request with the credentials
 * can follow in time.
 */
const TIMEOUT_MS = { client_credentials: 30_000, refresh_token: 10_000 } as const
const MAX_BYTES = 1024 * 1024
const MAX_RETRIES = 2

const CHECK_AUTH_URL = 'check that authUrl is the address of the token service'

/** `setImmediate`, read when this module loads because a test runner can replace it. Some runtimes do not have it. */
const nextTurn: typeof setImmediate | undefined = globalThis.setImmediate

/**
 * Waits for one turn of the event loop. undici can use the connection of the token request again only after this turn.
 * Without this wait, the call that needs the token would open a second connection.
 */
async function connectionIsFree(): Promise<void> {
  if (nextTurn !== undefined) await new Promise((resolve) => nextTurn(resolve))
}

type Grant =
  | { readonly kind: 'client_credentials' }
  | { readonly kind: 'refresh_token'; readonly refreshToken: string }

/** Client options that token requests use. */
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

/** Requests tokens by the two grants. Each has its own time limit, independent of the waiting calls. */
export class TokenGrants implements Grants {
  readonly #options: TokenOptions
  readonly #transport: Transport
  readonly #budget: RetryBudget

  constructor(options: TokenOptions, transport: Transport, budget: RetryBudget) {
    this.#options = options
    this.#transport = transport
    this.#budget = budget
  }

  /** Requests tokens with a refresh token, which may not be valid afterwards. */
  refresh(refreshToken: string): Promise<StoredTokens> {
    return this.#request({ kind: 'refresh_token', refreshToken })
  }

  /** Requests tokens with the client's credentials. */
  authenticate(): Promise<StoredTokens> {
    return this.#request({ kind: 'client_credentials' })
  }

  async #request(grant: Grant): Promise<StoredTokens> {
    const { clock, random } = this.#options
    const deadline = new Deadline(clock, TIMEOUT_MS[grant.kind], undefined)
    const retry = grant.kind === 'refresh_token' ? 'once' : 'repeatable'
    const rules = { retry, maxRetries: MAX_RETRIES, deadline, random, budget: this.#budget } as const
    let attempts = 0
    try {
      return await retryByTable(rules, () => this.#attempt(grant, deadline, ++attempts))
    } catch (error) {
      throw error instanceof AttemptFailure ? error.toPublic(attempts) : error
    } finally {
      deadline.dispose()
    }
  }

  async #attempt(grant: Grant, deadline: Deadline, attempts: number): Promise<StoredTokens> {
    const { clock } = this.#options
    const askedAt = clock.now()
    const response = await this.#send(grant, deadline, attempts)
    await connectionIsFree()
    try {
      return await readTokenResponse(response, askedAt, attempts, () => this.#values(grant))
    } catch (error) {
      if (!(error instanceof TokenError)) throw error
      const kind = error.code === NOT_JSON ? 'ambiguous' : failureOfStatus(response.status)
      if (kind === 'final') throw error
      const retryAfterMs = parseRetryAfter(response.headers['retry-after'], clock.now())
      const { outcome, status } = error
      throw new AttemptFailure(kind, { outcome, status, retryAfterMs, toPublic: () => error })
    }
  }

  async #send(grant: Grant, deadline: Deadline, attempts: number): Promise<TransportResponse> {
    const { auth } = this.#options
    try {
      return await this.#transport.send({
        origin: auth.origin,
        path: `${auth.prefix}${TOKEN_PATH}`,
        method: 'POST',
        headers: this.#headers(),
        body: this.#form(grant),
        deadline,
        maxBytes: MAX_BYTES,
      })
    } catch (error) {
      throw this.#failure(error, grant, deadline, attempts)
    }
  }

  /** Converts a {@link TransportFailure} to an error of the token request; returns other errors unchanged. */
  #failure(error: unknown, grant: Grant, deadline: Deadline, attempts: number): unknown {
    if (!(error instanceof TransportFailure)) return error
    const { origin } = this.#options.auth
    const outcome = error.sent ? 'unknown' : 'not-sent'
    if (error.cause instanceof CallEnded) {
      const message = `the token service at ${origin} did not respond within ${deadline.timeoutMs} ms`
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
      values: this.#values(grant),
    } as const
    const toPublic = (): Error => connectionError(error, context)
    return new AttemptFailure(failureOfConnection(error), { outcome, reason: error.reason, toPublic })
  }

  /** Returns the request values that an error must not repeat. */
  #values(grant: Grant): RequestValues {
    const { clientId, clientSecret } = this.#options
    const refreshToken = grant.kind === 'refresh_token' ? grant.refreshToken : undefined
    return new RequestValues({ secrets: () => [clientId, clientSecret, refreshToken] })
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
    if (clientAuthentication === 'body') return headers
    return [
      ...headers,
      'authorization',
      `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
    ]
  }

  #form(grant: Grant): string {
    const { clientAuthentication, clientId, clientSecret } = this.#options
    const form = new URLSearchParams({ grant_type: grant.kind })
    if (grant.kind === 'refresh_token') form.set('refresh_token', grant.refreshToken)
    if (clientAuthentication === 'body') {
      form.set('client_id', clientId)
      form.set('client_secret', clientSecret)
    }
    return form.toString()
  }
}

/**
 * Converts a failed token request to the error of one call. Many calls share the failure, so each gets its own
 * error, with the outcome of the call and not of the token request.
 *
 * @param before - Outcome of the call's earlier attempts.
 * @param isRepeatable - `true` for a call that has the same effect however often it is sent.
 */
export function tokenFailure(error: unknown, before: Outcome, isRepeatable: boolean): unknown {
  if (error instanceof TokenError) {
    const { message, attempts, cause, code, type, status, retryAfter } = error
    const outcome = moreSevere(before, error.outcome === 'unknown' ? 'not-sent' : error.outcome)
    return new TokenError(message, { outcome, attempts, isRepeatable, cause, code, type, status, retryAfter })
  }
  const outcome = moreSevere(before, 'not-sent')
  if (error instanceof ConnectionError) {
    const { attempts, cause, reason } = error
    const facts = { outcome, attempts, isRepeatable, cause, reason }
    return new ConnectionError(withEffect(error, outcome), facts)
  }
  if (error instanceof InvalidResponseError) {
    const { attempts, cause, reason, status } = error
    const facts = { outcome, attempts, isRepeatable, cause, reason, status }
    return new InvalidResponseError(withEffect(error, outcome), facts)
  }
  return error
}

/** Returns the message of an error with the effect of the call in place of the effect of the token request. */
function withEffect(error: RequestOutcomeError, outcome: Outcome): string {
  return error.message.replace(EFFECT[error.outcome], EFFECT[outcome])
}
