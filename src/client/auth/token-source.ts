import type { StoredTokens } from './token.js'
import type { RenewedTokens, TokenRenewal } from './token-renewal.js'

/** Tokens that a process has. */
export interface HeldTokens {
  readonly tokens: StoredTokens | undefined
  /** `true` when the service rejected the access token. */
  readonly refused: boolean
}

/** Source of new tokens. */
export interface TokenSource {
  obtain(held: HeldTokens): Promise<RenewedTokens>
}

/** Token source for a single process. */
export class OwnTokens implements TokenSource {
  readonly #renewal: TokenRenewal

  constructor(renewal: TokenRenewal) {
    this.#renewal = renewal
  }

  obtain({ tokens }: HeldTokens): Promise<RenewedTokens> {
    return this.#renewal.renew(tokens, async () => undefined)
  }
}
