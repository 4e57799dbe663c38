import type { Clock } from '../../common/clock.js'

/** Tokens as they are kept, also in a shared store. Times are milliseconds since the Unix epoch. */
export interface StoredTokens {
  readonly accessToken: string
  readonly issuedAt: number
  readonly expiresAt: number
  readonly refreshToken: string | undefined
  readonly refreshExpiresAt: number | undefined
}

/** Longest life believed of a token, in milliseconds. */
const LONGEST_LIFE_MS = 24 * 3_600_000

/** A token is refreshed ahead this long before its end, or a tenth of its life if that is more. */
const REFRESH_AHEAD_MS = 60_000

/** A token this close to its end is not sent any more. */
const UNUSABLE_MS = 1_000

/** One set of tokens in use, with its two windows on two clocks. */
export class LiveTokens {
  readonly stored: StoredTokens
  readonly #clock: Clock
  readonly #adoptedAt: number
  readonly #lifeMs: number
  readonly #refreshAfterMs: number
  readonly #unusableAfterMs: number

  /** @param random - From 0 up to 1: spreads the refreshes of many processes. */
  constructor(stored: StoredTokens, clock: Clock, random: number) {
    this.stored = stored
    this.#clock = clock
    this.#adoptedAt = clock.monotonic()
    this.#lifeMs = Math.min(stored.expiresAt - clock.now(), LONGEST_LIFE_MS)
    const whole = Math.min(stored.expiresAt - stored.issuedAt, LONGEST_LIFE_MS)
    const ahead = Math.max(REFRESH_AHEAD_MS, whole / 10) * (1 + random / 10)
    // Half the life bounds both windows, or a short-lived token would be fetched anew for every call.
    this.#refreshAfterMs = this.#lifeMs - Math.min(ahead, whole / 2)
    this.#unusableAfterMs = this.#lifeMs - Math.min(UNUSABLE_MS, whole / 2)
  }

  /** What the token is good for now. */
  get state(): 'fresh' | 'due' | 'unusable' {
    const age = this.#age()
    if (age >= this.#unusableAfterMs) return 'unusable'
    return age >= this.#refreshAfterMs ? 'due' : 'fresh'
  }

  /** By the wall clock or the monotonic one, whichever says more: either may stand still or be set back. */
  #age(): number {
    const byWall = this.#clock.now() - (this.stored.expiresAt - this.#lifeMs)
    return Math.max(byWall, this.#clock.monotonic() - this.#adoptedAt)
  }
}

/** Tokens with a refresh token. */
export interface RefreshableTokens extends StoredTokens {
  readonly refreshToken: string
}

/** Tells whether a stored refresh token is there and has not expired. */
export function hasRefreshToken(
  stored: StoredTokens | undefined,
  nowMs: number,
): stored is RefreshableTokens {
  if (stored?.refreshToken === undefined) return false
  return stored.refreshExpiresAt === undefined || nowMs < stored.refreshExpiresAt
}

/** Tells whether a token can be sent in a header: another text could smuggle a header of its own. */
export function isSendable(token: unknown): token is string {
  return typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)
}

/**
 * Reads tokens back from a store; `undefined` when they are not what this package wrote. Some stores parse JSON
 * themselves.
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
