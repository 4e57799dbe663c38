import type { IssuedTokens } from '../auth/token-service.js'
import type { FakeCore } from '../core/fake-core.js'

/** What a test can do to tokens, beside the token endpoint (§5). */
export class TokenDrivers {
  readonly #core: FakeCore

  constructor(core: FakeCore) {
    this.#core = core
  }

  /** A pair of tokens, as the client credentials grant would give it. */
  issue(): Promise<IssuedTokens> {
    return this.#core.tokens.issue(this.#core.options.clientId)
  }

  /** Revokes every access token issued so far: they give 401 INVALID_JWT. Refresh tokens stay. */
  revokeAll(): void {
    this.#core.step(({ state: { kernel } }) => {
      kernel.tokens.revokedUpTo = kernel.tokens.sequence
    })
  }

  /**
   * Revokes one access token.
   *
   * @throws RangeError - This fake did not issue it.
   */
  async revoke(accessToken: string): Promise<void> {
    const number = await this.#core.accessTokens.numberOf(accessToken)
    if (number === undefined) throw new RangeError('the fake did not issue that access token')
    this.#core.step(({ state: { kernel } }) => kernel.tokens.revoked.push(number))
  }

  /** Revokes every refresh token: they give error 108. Access tokens stay. */
  revokeRefreshTokens(): void {
    this.#core.step(({ state: { kernel } }) => kernel.tokens.refreshTokens.clear())
  }

  /** Signs with another key from now on: older access tokens give 401 INVALID_JWT_SIGNATURE. */
  rotateSigningKey(): void {
    this.#core.step(({ state: { kernel } }) => {
      kernel.tokens.keyVersion += 1
    })
  }

  /** Closes the account behind the credentials: the token endpoint gives error 102. */
  closeAccount(): void {
    this.#setClosed(true)
  }

  /** Opens the account again. */
  reopenAccount(): void {
    this.#setClosed(false)
  }

  #setClosed(closed: boolean): void {
    this.#core.step(({ state: { kernel } }) => {
      kernel.tokens.accountClosed = closed
    })
  }
}
