import type { Clock } from '../../common/clock.js'
import { ignore } from '../../common/ignore.js'
import { TokenError } from '../errors/errors.js'
import { LiveTokens, type StoredTokens } from './token.js'
import type { TokenSource } from './token-renewal.js'

export interface TokenManagerParts {
  readonly source: TokenSource
  readonly clock: Clock
  readonly random: () => number
}

/** Minimum time between background refreshes after a failure, in milliseconds. */
const BACKGROUND_PAUSE_MS = 3_000

/** Time for which rejected credentials are not sent again, in milliseconds. */
const REFUSAL_MS = 1_000

/**
 * Keeps one access token for all calls of a client. It sends one request however many calls wait, refreshes
 * before the expiry, and does not depend on its callers' deadlines.
 */
export class TokenManager {
  readonly #parts: TokenManagerParts
  #live: LiveTokens | undefined
  /** Tokens whose access token the service rejected. Their refresh token may still be valid. */
  #refused: StoredTokens | undefined
  /** Last access token that was issued to another process. It may be rejected after it was replaced here. */
  #tokenOfOtherProcess: string | undefined
  #pending: Promise<LiveTokens> | undefined
  #nextBackground = 0
  #refusal: { readonly error: unknown; readonly until: number } | undefined

  constructor(parts: TokenManagerParts) {
    this.#parts = parts
  }

  /** Returns the access token if it is usable, and starts a background refresh when it is due. */
  current(): string | undefined {
    const live = this.#live
    const state = live?.state
    if (live === undefined || state === 'unusable') return undefined
    if (state === 'due') this.#refreshInBackground()
    return live.stored.accessToken
  }

  /**
   * Returns an access token and waits if there is none. It ignores callers' signals: race it with a deadline.
   */
  async get(): Promise<string> {
    const ready = this.current()
    if (ready !== undefined) return ready
    const live = await this.#obtainOnce()
    return live.stored.accessToken
  }

  /** Drops `accessToken` after a 401 if it is still in use. A late 401 must not drop a newer token. */
  invalidate(accessToken: string): void {
    if (this.#live?.stored.accessToken !== accessToken) return
    this.#refused = this.#live.stored
    this.#live = undefined
  }

  /**
   * Returns `true` for a token issued to another process: a 401 to it does not show that new tokens would fail.
   */
  isOfOtherProcess(accessToken: string): boolean {
    return this.#tokenOfOtherProcess === accessToken
  }

  #refreshInBackground(): void {
    const now = this.#parts.clock.monotonic()
    if (now < this.#nextBackground) return
    this.#nextBackground = now + BACKGROUND_PAUSE_MS
    this.#obtainOnce().catch(ignore)
  }

  #obtainOnce(): Promise<LiveTokens> {
    if (this.#pending !== undefined) return this.#pending
    const refusal = this.#refusal
    if (refusal !== undefined && this.#parts.clock.monotonic() < refusal.until)
      return Promise.reject(refusal.error)
    this.#pending = this.#obtain().finally(() => {
      this.#pending = undefined
    })
    return this.#pending
  }

  async #obtain(): Promise<LiveTokens> {
    const { source, clock, random } = this.#parts
    const held = { tokens: this.#live?.stored ?? this.#refused, refused: this.#live === undefined }
    try {
      const { tokens, ofOtherProcess } = await source.obtain(held)
      const live = new LiveTokens(tokens, clock, random())
      if (ofOtherProcess) this.#tokenOfOtherProcess = tokens.accessToken
      this.#live = live
      this.#refused = undefined
      this.#refusal = undefined
      return live
    } catch (error) {
      this.#remember(error)
      throw error
    }
  }

  #remember(error: unknown): void {
    if (!(error instanceof TokenError) || error.outcome !== 'refused') return
    this.#refusal = { error, until: this.#parts.clock.monotonic() + REFUSAL_MS }
  }
}
