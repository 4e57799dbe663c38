import type { Clock } from '../../common/clock.js'
import { ignore } from '../../common/errors.js'
import { Lazy } from '../../common/lazy-import.js'
import type { SafeLogger } from '../../common/logger.js'
import { hasMethods } from '../core/caller-input.js'
import type { RetryBudget } from '../core/retry.js'
import { ConfigurationError, TokenError } from '../errors/errors.js'
import type { Transport } from '../transport/transport.js'
import { LiveTokens, TokenRenewal, type TokenSource } from './token-renewal.js'
import { type TokenOptions, TokenServiceClient } from './token-request.js'
import type { SharingParts } from './token-sharing.js'
import type { TokenLock, TokenStore } from './token-store.js'

export interface TokenManagerParts {
  readonly source: TokenSource
  readonly clock: Clock
  readonly random: () => number
}

/** Minimum time between the starts of two background refreshes, in milliseconds. */
const BACKGROUND_PAUSE_MS = 3_000

/** Time after a rejected token request in which the client does not send another one, in milliseconds. */
const REFUSAL_MS = 1_000

/** Number of access tokens of other processes that are remembered. */
const MAX_OF_OTHERS = 4

/**
 * Keeps one access token for all calls of a client. The manager sends one token request for all waiting calls,
 * refreshes the token before its expiry, and does not depend on the deadlines of the calls.
 */
export class TokenManager {
  readonly #parts: TokenManagerParts
  #live: LiveTokens | undefined
  /** `true` after the service rejected the access token. The refresh token may still be valid. */
  #isAccessTokenRejected = false
  /**
   * The last access tokens of other processes, newest first. A 401 for such a token may arrive after the client has
   * replaced the token.
   */
  #tokensOfOthers: readonly string[] = []
  #pending: Promise<string> | undefined
  #nextBackground = 0
  #rejectedCredentials: { readonly error: unknown; readonly until: number } | undefined

  constructor(parts: TokenManagerParts) {
    this.#parts = parts
  }

  /** Returns the access token if it is usable, and starts a background refresh when one is due. */
  current(): string | undefined {
    const live = this.#live
    if (live === undefined || this.#isAccessTokenRejected) return undefined
    const { state } = live
    if (state === 'unusable') return undefined
    if (state === 'due') this.#refreshInBackground()
    return live.stored.accessToken
  }

  /**
   * Returns an access token, and requests one if there is none. The request ignores the callers' signals, so a caller
   * must race the promise with its own deadline.
   */
  async get(): Promise<string> {
    return this.current() ?? this.#obtainOnce()
  }

  /** Drops `accessToken` after a 401 if it is still in use. A late 401 must not drop a newer token. */
  invalidate(accessToken: string): void {
    if (this.#live?.stored.accessToken === accessToken) this.#isAccessTokenRejected = true
  }

  /**
   * Returns `true` when a token was issued to another process. A 401 for such a token does not mean that new tokens are
   * rejected too.
   */
  isOfOtherProcess(accessToken: string): boolean {
    return this.#tokensOfOthers.includes(accessToken)
  }

  #refreshInBackground(): void {
    const now = this.#parts.clock.monotonic()
    if (now < this.#nextBackground) return
    this.#nextBackground = now + BACKGROUND_PAUSE_MS
    this.#obtainOnce().catch(ignore)
  }

  #obtainOnce(): Promise<string> {
    this.#pending ??= this.#obtain().finally(() => {
      this.#pending = undefined
    })
    return this.#pending
  }

  async #obtain(): Promise<string> {
    const { source, clock, random } = this.#parts
    const refusal = this.#rejectedCredentials
    if (refusal !== undefined && clock.monotonic() < refusal.until) throw refusal.error
    const held = {
      tokens: this.#live?.stored,
      needsToken: this.#live === undefined || this.#isAccessTokenRejected,
    }
    try {
      const { tokens, ofOtherProcess } = await source(held)
      this.#live = new LiveTokens(tokens, clock, random())
      if (ofOtherProcess)
        this.#tokensOfOthers = [tokens.accessToken, ...this.#tokensOfOthers].slice(0, MAX_OF_OTHERS)
      this.#isAccessTokenRejected = false
      this.#rejectedCredentials = undefined
      return tokens.accessToken
    } catch (error) {
      if (error instanceof TokenError && error.outcome === 'refused')
        this.#rejectedCredentials = { error, until: clock.monotonic() + REFUSAL_MS }
      throw error
    }
  }
}

export interface SharingOptions {
  readonly tokenStore?: TokenStore | undefined
  readonly tokenLock?: TokenLock | undefined
}

export interface TokenParts {
  readonly transport: Transport
  /** Retry budget of the client's calls. Retries of token requests take from this budget too. */
  readonly budget: RetryBudget
  readonly logger: SafeLogger
  /** Aborts when the client has closed: no call needs a token request any more. */
  readonly closing?: AbortSignal | undefined
}

export function createTokenManager(
  given: SharingOptions,
  options: TokenOptions,
  { transport, budget, logger, closing }: TokenParts,
): TokenManager {
  checkSharing(given)
  const { tokenStore: store, tokenLock: lock } = given
  const { clock, random } = options
  const service = new TokenServiceClient(options, transport, budget, closing)
  const renewal = new TokenRenewal((refreshToken) => service.request(refreshToken), clock)
  const source: TokenSource =
    store === undefined
      ? ({ tokens }) => renewal.renew(tokens, async () => undefined)
      : lazySharedSource({ store, lock, options, renewal, logger, closing })
  return new TokenManager({ source, clock, random })
}

/** Loads the code for shared tokens on first use. */
function lazySharedSource(parts: SharingParts): TokenSource {
  const shared = new Lazy(async () => (await import('./token-sharing.js')).createSharedTokens(parts))
  return async (held) => (await shared.load()).obtain(held)
}

function checkSharing({ tokenStore, tokenLock }: SharingOptions): void {
  if (tokenStore !== undefined) requireMethods('tokenStore', tokenStore, ['get', 'set', 'delete'])
  if (tokenLock === undefined) return
  requireMethods('tokenLock', tokenLock, ['acquire'])
  if (tokenStore === undefined)
    throw new ConfigurationError(
      'tokenLock needs a tokenStore: without a store, processes do not share tokens',
    )
}

function requireMethods(option: string, value: unknown, names: readonly string[]): void {
  const missing = names.find((name) => !hasMethods(value, [name]))
  if (missing !== undefined) {
    throw new ConfigurationError(`${option} must be an object with a function ${missing}`)
  }
}
