import type { Clock } from '../../common/clock.js'

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
 * Time before the expiry at which a token is refreshed, in milliseconds. A tenth of the token's life is used if that is
 * longer.
 */
const REFRESH_BEFORE_EXPIRY_MS = 60_000

/** Remaining life at which a token is no longer sent, in milliseconds. */
const UNUSABLE_MS = 1_000

/** Tokens in use, with their refresh and expiry times on two clocks. */
export class LiveTokens {
  readonly stored: StoredTokens
  readonly #clock: Clock
  readonly #adoptedAt: number
  readonly #lifeMs: number
  readonly #refreshAfterMs: number
  readonly #unusableAfterMs: number

  /** @param random - Number from 0 to 1 that spreads the refreshes of many processes. */
  constructor(stored: StoredTokens, clock: Clock, random: number) {
    this.stored = stored
    this.#clock = clock
    this.#adoptedAt = clock.monotonic()
    this.#lifeMs = Math.min(stored.expiresAt - clock.now(), LONGEST_LIFE_MS)
    const fullLifeMs = Math.min(stored.expiresAt - stored.issuedAt, LONGEST_LIFE_MS)
    const beforeExpiry = Math.max(REFRESH_BEFORE_EXPIRY_MS, fullLifeMs / 10) * (1 + random / 10)
    // Half of the life always remains usable. Otherwise each call would request a short-lived token again.
    this.#refreshAfterMs = this.#lifeMs - Math.min(beforeExpiry, fullLifeMs / 2)
    this.#unusableAfterMs = this.#lifeMs - Math.min(UNUSABLE_MS, fullLifeMs / 2)
  }

  /** Present state of the access token. */
  get state(): 'fresh' | 'due' | 'unusable' {
    // The larger of both ages counts, because either clock may stop or be set back.
    const byWall = this.#clock.now() - (this.stored.expiresAt - this.#lifeMs)
    const age = Math.max(byWall, this.#clock.monotonic() - this.#adoptedAt)
    if (age >= this.#unusableAfterMs) return 'unusable'
    return age >= this.#refreshAfterMs ? 'due' : 'fresh'
  }
}

/** Tokens with a refresh token. */
export interface RefreshableTokens extends StoredTokens {
  readonly refreshToken: string
}

/** Returns `true` when the tokens have a refresh token that has not expired. */
export function hasRefreshToken(
  stored: StoredTokens | undefined,
  nowMs: number,
): stored is RefreshableTokens {
  if (stored?.refreshToken === undefined) return false
  return stored.refreshExpiresAt === undefined || nowMs < stored.refreshExpiresAt
}

/** Returns `true` when a token can be a header value; other text could inject a header. */
export function isSendable(token: unknown): token is string {
  return typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)
}

/**
 * Reads tokens of a store; `undefined` when this package did not write them. Some stores parse JSON themselves.
 */
export function parseStoredTokens(value: unknown): StoredTokens | undefined {
  try {
    return readTokens(typeof value === 'string' ? JSON.parse(value) : value)
  } catch {
    return undefined
  }
}

function readTokens(value: unknown): StoredTokens | undefined {
  const fields: object = Object(value)
  const field = (name: string): unknown => Reflect.get(fields, name)
  const accessToken = field('accessToken')
  const issuedAt = field('issuedAt')
  const expiresAt = field('expiresAt')
  if (!isSendable(accessToken) || typeof issuedAt !== 'number' || typeof expiresAt !== 'number')
    return undefined
  if (!(issuedAt <= expiresAt && expiresAt < Number.POSITIVE_INFINITY)) return undefined
  const refreshToken = field('refreshToken')
  const refreshExpiresAt = field('refreshExpiresAt')
  return {
    accessToken,
    issuedAt,
    expiresAt,
    refreshToken: typeof refreshToken === 'string' ? refreshToken : undefined,
    refreshExpiresAt: typeof refreshExpiresAt === 'number' ? refreshExpiresAt : undefined,
  }
}
