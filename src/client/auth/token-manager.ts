import { type Clock, type Moment, momentOf } from '../../common/clock.js'
import { ignore } from '../../common/errors.js'
import { RequestOutcomeError, TokenError } from '../errors/errors.js'

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
    const { clock } = this.#parts
    // The larger of both ages counts, because either clock may stop or be set back.
    const ageMs = Math.max(clock.now() - live.adoptedAt.wall, clock.monotonic() - live.adoptedAt.monotonic)
    if (ageMs >= live.unusableAfterMs) return undefined
    if (ageMs >= live.refreshAfterMs) this.#refreshInBackground()
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
      this.#live = liveTokens(tokens, clock, random())
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

/** Tokens as stored, also in a shared store. Times are milliseconds since the Unix epoch. */
export interface StoredTokens {
  readonly accessToken: string
  readonly issuedAt: number
  readonly expiresAt: number
  readonly refreshToken: string | undefined
  readonly refreshExpiresAt: number | undefined
}

/** Maximum plausible life of a token, in milliseconds. */
const LONGEST_LIFE_MS = 24 * 3_600_000

/**
 * Time before the expiry at which a token is refreshed, in milliseconds. A tenth of the token's life is used if a tenth
 * is longer. Up to a tenth of this time is added at random. The result is at most half of the life.
 */
const REFRESH_BEFORE_EXPIRY_MS = 60_000

/** Remaining life at which a token is no longer sent, in milliseconds: at most half of the token's life. */
const UNUSABLE_MS = 1_000

/** Tokens in use, with the times after which they are refreshed, and no longer sent. */
export interface LiveTokens {
  readonly stored: StoredTokens
  readonly adoptedAt: Moment
  /** Milliseconds after `adoptedAt`. */
  readonly refreshAfterMs: number
  /** Milliseconds after `adoptedAt`. */
  readonly unusableAfterMs: number
}

/** @param random - Number from 0 to 1 that spreads the refreshes of many processes. */
export function liveTokens(stored: StoredTokens, clock: Clock, random: number): LiveTokens {
  const adoptedAt = momentOf(clock)
  const lifeMs = Math.min(stored.expiresAt - adoptedAt.wall, LONGEST_LIFE_MS)
  const fullLifeMs = Math.min(stored.expiresAt - stored.issuedAt, LONGEST_LIFE_MS)
  const beforeExpiry = Math.max(REFRESH_BEFORE_EXPIRY_MS, fullLifeMs / 10) * (1 + random / 10)
  return {
    stored,
    adoptedAt,
    // No refresh is due in the first half of the life. Otherwise each call would refresh a token with a short life.
    refreshAfterMs: lifeMs - Math.min(beforeExpiry, fullLifeMs / 2),
    unusableAfterMs: lifeMs - Math.min(UNUSABLE_MS, fullLifeMs / 2),
  }
}

/** Returns the refresh token if it has not expired. */
export function validRefreshToken(stored: StoredTokens | undefined, nowMs: number): string | undefined {
  if (stored === undefined) return undefined
  const { refreshToken, refreshExpiresAt = Number.POSITIVE_INFINITY } = stored
  return nowMs < refreshExpiresAt ? refreshToken : undefined
}

/** Requests tokens with a refresh token; with the credentials if there is none. */
export type RequestTokens = (refreshToken: string | undefined) => Promise<StoredTokens>

export interface RenewedTokens {
  readonly tokens: StoredTokens
  /** `true` when the tokens were issued to another process some time ago: the service may reject them. */
  readonly ofOtherProcess: boolean
}

/** Renews tokens with the refresh token or with the credentials. */
export class TokenRenewal {
  readonly #request: RequestTokens
  readonly #clock: Clock
  #used: { readonly refreshToken: string; readonly isRejected: boolean } | undefined

  constructor(request: RequestTokens, clock: Clock) {
    this.#request = request
    this.#clock = clock
  }

  /**
   * Requests tokens with the refresh token. Uses the credentials in these cases:
   * - There is no valid refresh token.
   * - An earlier request may have used the refresh token, which is valid only once.
   * - The request with the refresh token failed.
   *
   * @param findTokens - Looks up tokens of another process, after the token service rejected the refresh token: the
   * other process may have used it. The credentials are used only if there are no such tokens.
   */
  async renew(
    before: StoredTokens | undefined,
    findTokens: () => Promise<StoredTokens | undefined>,
  ): Promise<RenewedTokens> {
    const refreshToken = validRefreshToken(before, this.#clock.now())
    if (refreshToken !== undefined && refreshToken !== this.#used?.refreshToken) {
      try {
        const renewed = await this.#request(refreshToken)
        // Keeps the earlier refresh token when a response has none (RFC 6749, section 6).
        const kept = { refreshToken, refreshExpiresAt: before?.refreshExpiresAt }
        const tokens = renewed.refreshToken === undefined ? { ...renewed, ...kept } : renewed
        return { tokens, ofOtherProcess: false }
      } catch (error) {
        if (mayBeUsed(error)) this.#used = { refreshToken, isRejected: isRefusal(error) }
      }
      const found = this.isRejected(refreshToken) ? await findTokens() : undefined
      if (found !== undefined) return { tokens: found, ofOtherProcess: true }
    }
    return { tokens: await this.#request(undefined), ofOtherProcess: false }
  }

  /** Returns `true` when the token service rejected the refresh token. */
  isRejected(refreshToken: string | undefined): boolean {
    return this.#used?.isRejected === true && this.#used.refreshToken === refreshToken
  }
}

function mayBeUsed(error: unknown): boolean {
  if (error instanceof TokenError && error.status === 429) return false
  return !(error instanceof RequestOutcomeError && error.outcome === 'not-sent')
}

/** Returns `true` when the token service rejected the refresh token, usually with code 108. */
function isRefusal(error: unknown): boolean {
  return error instanceof TokenError && error.outcome === 'refused'
}

/** Tokens in use in this process. */
export interface HeldTokens {
  readonly tokens: StoredTokens | undefined
  /** `true` when no token is in use: at the start, or after the service rejected the access token. */
  readonly needsToken: boolean
}

export type TokenSource = (held: HeldTokens) => Promise<RenewedTokens>
