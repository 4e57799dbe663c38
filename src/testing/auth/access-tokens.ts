import { createHash } from 'node:crypto'
import type { JWTPayload } from 'jose'

import type { KnownErrorCode } from '../../contract/error-codes.js'
import type { FakeOptions } from '../options/fake-options.js'
import type { DomainClock, DomainRandom } from '../server/context.js'
import type { TokenState } from './token-state.js'

/** The issuer in every token, so that none can be taken for a real one. */
export const TOKEN_ISSUER = 'pathology-fake'

const ALGORITHM = 'HS256'
const CACHE_SIZE = 1_000

interface Verified {
  readonly number: number
  readonly keyVersion: number
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** What checking an access token found: nothing wrong, or the code of §7. */
export type TokenCheck = Extract<KnownErrorCode, 'INVALID_JWT' | 'INVALID_JWT_SIGNATURE'> | undefined

/** Signs access tokens as JWTs and checks them; each verified token is remembered. */
export class AccessTokens {
  readonly #options: FakeOptions
  readonly #state: () => TokenState
  readonly #clock: DomainClock
  readonly #random: DomainRandom
  readonly #verified = new Map<string, Verified>()

  constructor(options: FakeOptions, state: () => TokenState, clock: DomainClock, random: DomainRandom) {
    this.#options = options
    this.#state = state
    this.#clock = clock
    this.#random = random
  }

  /** A new access token for a client, issued now on the fake's clock. */
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

  /** Checks a token; at once when it was verified before. */
  check(token: string): TokenCheck | Promise<TokenCheck> {
    const known = this.#verified.get(token)
    return known === undefined ? this.#verify(token) : this.#judge(known)
  }

  /** The number of a token that this fake signed; `undefined` for any other. */
  async numberOf(token: string): Promise<number | undefined> {
    await this.check(token)
    return this.#verified.get(token)?.number
  }

  async #verify(token: string): Promise<TokenCheck> {
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
      this.#remember(token, verified)
      return this.#judge(verified)
    } catch (error) {
      return codeOf(error)
    }
  }

  #judge({ number, keyVersion, expiresAt }: Verified): TokenCheck {
    const state = this.#state()
    if (keyVersion !== state.keyVersion) return 'INVALID_JWT_SIGNATURE'
    const revoked = number <= state.revokedUpTo || state.revoked.includes(number)
    return revoked || expiresAt <= this.#clock.now() ? 'INVALID_JWT' : undefined
  }

  #remember(token: string, verified: Verified): void {
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

/** Codes of jose's errors for a token that is a JWT of somebody else's. */
const FOREIGN = new Set<unknown>(['ERR_JWS_SIGNATURE_VERIFICATION_FAILED', 'ERR_JOSE_ALG_NOT_ALLOWED'])

function codeOf(error: unknown): TokenCheck {
  const code = error instanceof Error ? Reflect.get(error, 'code') : undefined
  return FOREIGN.has(code) ? 'INVALID_JWT_SIGNATURE' : 'INVALID_JWT'
}
