import type { IssuedTokens } from '../auth/token-service.js'
import type { FakeCore } from '../core/fake-core.js'

/** Control methods of tokens and of the account, without requests to the token endpoint. */
export class TokenMethods {
  readonly #core: FakeCore

  constructor(core: FakeCore) {
    this.#core = core
  }

  /** Issues a pair of tokens, as the client credentials grant does. */
  async issue(): Promise<IssuedTokens> {
    const tokens = await this.#core.tokens.issue(this.#core.options.clientId)
    // Reports the change, for example to the console.
    this.#core.step(() => undefined)
    return tokens
  }

  /** Revokes every access token: the API rejects them with 401 INVALID_JWT. Refresh tokens stay valid. */
  revokeAll(): void {
    this.#core.step(({ state: { tokens } }) => {
      tokens.revokedUpTo = tokens.sequence
    })
  }

  /**
   * Revokes one access token.
   *
   * @throws RangeError - The token fails the verification. A token of another fake with the same `seed` and
   * `environment` passes.
   */
  async revoke(accessToken: string): Promise<void> {
    const number = await this.#core.accessTokens.numberOf(accessToken)
    if (number === undefined)
      throw new RangeError('this fake did not issue the access token, or the token is no longer valid')
    this.#core.step(({ state: { tokens } }) => tokens.revoked.push(number))
  }

  /** Revokes every refresh token: the token endpoint rejects them with error 108. Access tokens stay valid. */
  revokeRefreshTokens(): void {
    this.#core.step(({ state: { tokens } }) => tokens.refreshTokens.clear())
  }

  /** Changes the signing key: the API rejects older access tokens with 401 INVALID_JWT_SIGNATURE. */
  rotateSigningKey(): void {
    this.#core.step(({ state: { tokens } }) => {
      tokens.keyVersion += 1
    })
  }

  /** Closes the account of the credentials: the token endpoint responds with error 102. Access tokens stay valid. */
  closeAccount(): void {
    this.#setClosed(true)
  }

  /** Opens the account again. */
  reopenAccount(): void {
    this.#setClosed(false)
  }

  #setClosed(closed: boolean): void {
    this.#core.step(({ state: { tokens } }) => {
      tokens.accountClosed = closed
    })
  }
}
