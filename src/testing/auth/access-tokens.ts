import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

import { isRecord } from '../../common/known-options.js'
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

const HEADER = { alg: 'HS256', typ: 'JWT' }
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
  issue(clientId: string): string {
    const state = this.#state()
    state.sequence += 1
    const issuedAt = Math.floor(this.#clock.now() / 1_000)
    const claims = {
      number: state.sequence,
      environment: this.#options.environment,
      iss: TOKEN_ISSUER,
      sub: clientId,
      jti: this.#random.uuid(),
      iat: issuedAt,
      exp: issuedAt + this.#options.accessTokenSeconds,
    }
    const content = `${encode(HEADER)}.${encode(claims)}`
    return `${content}.${this.#signature(content).toString('base64url')}`
  }

  /** Returns the problem of a token; `undefined` for a valid token. */
  check(token: string): TokenProblem {
    const known = this.#verified.get(token)
    return known === undefined ? this.#verify(token) : this.#problemOf(known)
  }

  /**
   * Returns the number of a token; `undefined` if the token fails the verification. A cached token passes, even if it
   * has expired since.
   */
  numberOf(token: string): number | undefined {
    this.check(token)
    return this.#verified.get(token)?.number
  }

  #verify(token: string): TokenProblem {
    const { keyVersion } = this.#state()
    const [header = '', claims = '', signature, ...more] = token.split('.')
    const algorithm = decode(header)?.['alg']
    if (typeof algorithm !== 'string' || signature === undefined || more.length > 0) return 'INVALID_JWT'
    const expected = this.#signature(`${header}.${claims}`)
    const given = Buffer.from(signature, 'base64url')
    const isSigned = given.length === expected.length && timingSafeEqual(given, expected)
    if (algorithm !== HEADER.alg || !isSigned) return 'INVALID_JWT_SIGNATURE'
    const verified = readClaims(decode(claims) ?? {}, keyVersion)
    if (verified === undefined) return 'INVALID_JWT'
    this.#cache(token, verified)
    return this.#problemOf(verified)
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

  #signature(content: string): Buffer {
    const { seed, environment } = this.#options
    const key = createHash('sha256')
      .update(`${TOKEN_ISSUER}/${environment}/${seed}/${this.#state().keyVersion}`)
      .digest()
    return createHmac('sha256', key).update(content).digest()
  }
}

function readClaims(claims: Readonly<Record<string, unknown>>, keyVersion: number): Verified | undefined {
  const { number, iss, exp } = claims
  if (iss !== TOKEN_ISSUER || typeof number !== 'number' || typeof exp !== 'number') return undefined
  return { number, keyVersion, expiresAt: exp * 1_000 }
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

/** Reads one part of a token; `undefined` if it is not an object. */
function decode(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return isRecord(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
