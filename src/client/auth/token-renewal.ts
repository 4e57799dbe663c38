import type { Clock } from '../../common/clock.js'
import { TokenError, WireError } from '../errors/errors.js'
import { hasRefreshToken, type RefreshableTokens, type StoredTokens } from './token.js'

/** The two grants of §5. */
export interface Grants {
  refresh(refreshToken: string): Promise<StoredTokens>
  authenticate(): Promise<StoredTokens>
}

export interface RenewedTokens {
  readonly tokens: StoredTokens
  /** Another process got them, some time ago: the service may refuse them by now. */
  readonly borrowed: boolean
}

/** Decides which grant to use. */
export class TokenRenewal {
  readonly #grants: Grants
  readonly #clock: Clock
  #spent: { readonly refreshToken: string; readonly dead: boolean } | undefined

  constructor(grants: Grants, clock: Clock) {
    this.#grants = grants
    this.#clock = clock
  }

  /**
   * By the refresh token when there is one, else, or when that fails in any way, by the client's credentials: a
   * refresh token rotates, so that a lost answer may have used it up. It is not tried a second time then.
   *
   * @param lookAround - Asked after a refusal, which may mean that another process was quicker: its tokens.
   */
  async renew(
    before: StoredTokens | undefined,
    lookAround: () => Promise<StoredTokens | undefined>,
  ): Promise<RenewedTokens> {
    if (hasRefreshToken(before, this.#clock.now()) && before.refreshToken !== this.#spent?.refreshToken) {
      const { refreshToken } = before
      try {
        const tokens = keepRefreshToken(await this.#grants.refresh(refreshToken), before)
        return { tokens, borrowed: false }
      } catch (error) {
        if (mayBeSpent(error)) this.#spent = { refreshToken, dead: isRefusal(error) }
      }
      const found = this.isDead(refreshToken) ? await lookAround() : undefined
      if (found !== undefined) return { tokens: found, borrowed: true }
    }
    return { tokens: await this.#grants.authenticate(), borrowed: false }
  }

  /** The token service has said that the refresh token is good for nothing. */
  isDead(refreshToken: string | undefined): boolean {
    return this.#spent?.dead === true && this.#spent.refreshToken === refreshToken
  }
}

/** An answer without a refresh token leaves the one before in use (RFC 6749 §6). */
function keepRefreshToken(stored: StoredTokens, before: RefreshableTokens): StoredTokens {
  if (stored.refreshToken !== undefined) return stored
  return { ...stored, refreshToken: before.refreshToken, refreshExpiresAt: before.refreshExpiresAt }
}

function mayBeSpent(error: unknown): boolean {
  if (error instanceof TokenError && error.status === 429) return false
  return !(error instanceof WireError && error.outcome === 'not-sent')
}

/** 108 above all; a server error with a code proves nothing. */
function isRefusal(error: unknown): boolean {
  return error instanceof TokenError && error.outcome === 'refused' && (error.status ?? 0) < 500
}
