import type { Clock } from '../../common/clock.js'
import { ignore } from '../../common/ignore.js'
import { TokenError } from '../errors/errors.js'
import { LiveTokens, type StoredTokens } from './token.js'
import type { TokenSource } from './token-source.js'

export interface TokenManagerParts {
  readonly source: TokenSource
  readonly clock: Clock
  readonly random: () => number
}

/** Between two background refreshes after one failed, in milliseconds. */
const BACKGROUND_PAUSE_MS = 3_000

/** A refusal of the credentials is given to every caller for this long, in milliseconds, without asking again. */
const REFUSAL_MS = 1_000

/**
 * Keeps one access token for all calls of a client (§5): one request for a new one however many wait, ahead of the
 * end of the old one, and independent of whether its callers give up.
 */
export class TokenManager {
  readonly #parts: TokenManagerParts
  #live: LiveTokens | undefined
  /** Tokens that a call was refused with: their access token is dead, their refresh token is not. */
  #refused: StoredTokens | undefined
  /** The last access token that another process got. It may be refused after it was replaced here. */
  #borrowed: string | undefined
  #flight: Promise<LiveTokens> | undefined
  #nextBackground = 0
  #refusal: { readonly error: unknown; readonly until: number } | undefined

  constructor(parts: TokenManagerParts) {
    this.#parts = parts
  }

  /** The access token, when there is one that can be sent now; starts its refresh in the background when due. */
  current(): string | undefined {
    const live = this.#live
    const state = live?.state
    if (live === undefined || state === 'unusable') return undefined
    if (state === 'due') this.#refreshAhead()
    return live.stored.accessToken
  }

  /** An access token; waits for one when there is none. It does not end with any caller's signal: race it. */
  async get(): Promise<string> {
    const ready = this.current()
    if (ready !== undefined) return ready
    const live = await this.#fly()
    return live.stored.accessToken
  }

  /**
   * Drops `accessToken` after a 401, if it is still the one in use: a call that was slow to be refused must not throw
   * away the token that others have got meanwhile.
   */
  invalidate(accessToken: string): void {
    if (this.#live?.stored.accessToken !== accessToken) return
    this.#refused = this.#live.stored
    this.#live = undefined
  }

  /** Another process got `accessToken`: a 401 to it does not tell what new tokens would be worth. */
  isBorrowed(accessToken: string): boolean {
    return this.#borrowed === accessToken
  }

  #refreshAhead(): void {
    const now = this.#parts.clock.monotonic()
    if (now < this.#nextBackground) return
    this.#nextBackground = now + BACKGROUND_PAUSE_MS
    this.#fly().catch(ignore)
  }

  #fly(): Promise<LiveTokens> {
    if (this.#flight !== undefined) return this.#flight
    const refusal = this.#refusal
    if (refusal !== undefined && this.#parts.clock.monotonic() < refusal.until)
      return Promise.reject(refusal.error)
    this.#flight = this.#obtain().finally(() => {
      this.#flight = undefined
    })
    return this.#flight
  }

  async #obtain(): Promise<LiveTokens> {
    const { source, clock, random } = this.#parts
    const held = { tokens: this.#live?.stored ?? this.#refused, refused: this.#live === undefined }
    try {
      const { tokens, borrowed } = await source.obtain(held)
      const live = new LiveTokens(tokens, clock, random())
      if (borrowed) this.#borrowed = tokens.accessToken
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
