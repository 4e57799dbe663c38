/** A refresh token that may still be used once (§5). */
export interface RefreshTokenRecord {
  readonly clientId: string
  /** Milliseconds since the epoch, on the fake's clock. */
  readonly expiresAt: number
}

/** What the token service remembers. */
export interface TokenState {
  /** How many access tokens were ever issued; each carries its own number. */
  sequence: number
  /** Grows when the signing key changes: older tokens then have a foreign signature. */
  keyVersion: number
  /** Every access token up to this number is revoked. */
  revokedUpTo: number
  /** Numbers of single revoked access tokens. */
  readonly revoked: number[]
  /** By the token itself. A used one is removed: refresh tokens rotate. */
  readonly refreshTokens: Map<string, RefreshTokenRecord>
  /** The account behind the credentials no longer exists. */
  accountClosed: boolean
}

/** A token service that has issued nothing. */
export function createTokenState(): TokenState {
  return {
    sequence: 0,
    keyVersion: 1,
    revokedUpTo: 0,
    revoked: [],
    refreshTokens: new Map(),
    accountClosed: false,
  }
}
