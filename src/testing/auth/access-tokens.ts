import { createHash } from 'node:crypto'
import type { JWTPayload } from 'jose'

import type { KnownTokenErrorCode } from '../../contract/error-codes.js'
import type { TokenProblem } from '../server/api.js'
import type { Clock } from '../server/clock.js'
import type { ServerOptions } from '../server/options.js'
import type { Random } from '../server/random.js'

/** Options of the token service, with defaults applied. */
export interface TokenOptions extends Pick<ServerOptions, 'seed' | 'environment'> {
  /** Client id that the token service accepts. Default `fake-client-id`. */
  readonly clientId: string
  /** Client secret that the token service accepts. Default `fake-client-secret`. */
  readonly clientSecret: string
  /** Lifetime of an access token, in seconds on the fake's clock. Default 3600. */
  readonly accessTokenSeconds: number
  /** Lifetime of a refresh token, in seconds on the fake's clock. Default 2592000 (30 days). */
  readonly refreshTokenSeconds: number
  /**
   * HTTP statuses (400 to 599) by error code of the token service, which does not document the statuses.
   * Defaults: 400 for problems with the request (108, 109, 111); 401 for problems with the credentials (102, 110, 117,
   * 118, 123).
   */
  readonly tokenErrorStatuses: Readonly<Record<KnownTokenErrorCode, number>>
}

/** A refresh token that is not used yet (§5). */
export interface RefreshTokenRecord {
  readonly clientId: string
  /** Expiry time, in milliseconds since the epoch on the fake's clock. */
  readonly expiresAt: number
}

/** State of the token service. */
export interface TokenState {
  /** Number of access tokens ever issued. Each token contains its own number. */
  sequence: number
  /** Version of the signing key. Tokens of any other version have an invalid signature. */
  keyVersion: number
  /** Number of the newest access token that is revoked together with all earlier tokens. */
  revokedUpTo: number
  /** Numbers of access tokens that were revoked one by one. */
  readonly revoked: number[]
  /** Refresh tokens; the key is the token itself. A used token is removed, because refresh tokens rotate. */
  readonly refreshTokens: Map<string, RefreshTokenRecord>
  /** `true` while the account of the credentials is closed. */
  accountClosed: boolean
}

/** Creates the state of a token service that has not issued a token. */
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

/** Creates the state of a token service after a reset. The reset does not change which access tokens are valid. */
export function resetTokenState({ sequence, keyVersion, revokedUpTo, revoked }: TokenState): TokenState {
  return { ...createTokenState(), sequence, keyVersion, revokedUpTo, revoked }
}

/** Issuer in every token. The issuer shows that the token does not come from the real service. */
export const TOKEN_ISSUER = 'pathology-fake'

const ALGORITHM = 'HS256'
const CACHE_SIZE = 1_000

interface Verified {
  readonly number: number
  readonly keyVersion: number
  /** Expiry time, in milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Issuer and verifier of access tokens, which are JWTs. Verified tokens are cached. */
export class AccessTokens {
  readonly #options: TokenOptions
  readonly #state: () => TokenState
  readonly #clock: Clock
  readonly #random: Random
  readonly #verified = new Map<string, Verified>()

  constructor(options: TokenOptions, state: () => TokenState, clock: Clock, random: Random) {
    this.#options = options
    this.#state = state
    this.#clock = clock
    this.#random = random
  }

  /** Issues an access token for a client, at the current time of the fake's clock. */
  async issue(clientId: string): Promise<string> {
    const state = this.#state()
    state.sequence += 1
    const issuedAt = Math.floor(this.#clock.now() / 1_000)
    const claims = { number: state.sequence, environment: this.#options.environment }
    const key = this.#key()
    const tokenId = this.#random.uuid()
    const { SignJWT } = await import('jose/jwt/sign')
    return new SignJWT(claims)
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
      .setIssuer(TOKEN_ISSUER)
      .setSubject(clientId)
      .setJti(tokenId)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + this.#options.accessTokenSeconds)
      .sign(key)
  }

  /**
   * Returns the problem of a token; `undefined` for a valid token. Returns a promise only for a token that is not in
   * the cache.
   */
  check(token: string): TokenProblem | Promise<TokenProblem> {
    const known = this.#verified.get(token)
    return known === undefined ? this.#verify(token) : this.#problemOf(known)
  }

  /**
   * Returns the number of a token; `undefined` if the token fails the verification. A cached token passes, even if it
   * has expired since.
   */
  async numberOf(token: string): Promise<number | undefined> {
    await this.check(token)
    return this.#verified.get(token)?.number
  }

  async #verify(token: string): Promise<TokenProblem> {
    const { jwtVerify } = await import('jose/jwt/verify')
    const { keyVersion } = this.#state()
    try {
      const currentDate = new Date(this.#clock.now())
      const { payload } = await jwtVerify(token, this.#key(), {
        currentDate,
        issuer: TOKEN_ISSUER,
        algorithms: [ALGORITHM],
      })
      const verified = readClaims(payload, keyVersion)
      if (verified === undefined) return 'INVALID_JWT'
      this.#cache(token, verified)
      return this.#problemOf(verified)
    } catch (error) {
      return codeOf(error)
    }
  }

  #problemOf({ number, keyVersion, expiresAt }: Verified): TokenProblem {
    const state = this.#state()
    if (keyVersion !== state.keyVersion) return 'INVALID_JWT_SIGNATURE'
    const revoked = number <= state.revokedUpTo || state.revoked.includes(number)
    return revoked || expiresAt <= this.#clock.now() ? 'INVALID_JWT' : undefined
  }

  #cache(token: string, verified: Verified): void {
    const [oldest] = this.#verified.keys()
    if (this.#verified.size >= CACHE_SIZE && oldest !== undefined) this.#verified.delete(oldest)
    this.#verified.set(token, verified)
  }

  #key(): Uint8Array {
    const { seed, environment } = this.#options
    return createHash('sha256')
      .update(`${TOKEN_ISSUER}/${environment}/${seed}/${this.#state().keyVersion}`)
      .digest()
  }
}

function readClaims(payload: JWTPayload, keyVersion: number): Verified | undefined {
  const number = payload['number']
  if (typeof number !== 'number' || payload.exp === undefined) return undefined
  return { number, keyVersion, expiresAt: payload.exp * 1_000 }
}

/** Codes of jose's errors for a JWT that another key or another algorithm signed. */
const FOREIGN = new Set<unknown>(['ERR_JWS_SIGNATURE_VERIFICATION_FAILED', 'ERR_JOSE_ALG_NOT_ALLOWED'])

function codeOf(error: unknown): TokenProblem {
  const code = error instanceof Error ? Reflect.get(error, 'code') : undefined
  return FOREIGN.has(code) ? 'INVALID_JWT_SIGNATURE' : 'INVALID_JWT'
}
