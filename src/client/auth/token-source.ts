import type { StoredTokens } from './token.js'
import type { RenewedTokens, TokenRenewal } from './token-renewal.js'

/** The tokens that a process has had so far. */
export interface HeldTokens {
  readonly tokens: StoredTokens | undefined
  /** The service refuses their access token. */
  readonly refused: boolean
}

/** Where new tokens come from. */
export interface TokenSource {
  obtain(held: HeldTokens): Promise<RenewedTokens>
}

/** Gets tokens for this process alone. */
export class OwnTokens implements TokenSource {
  readonly #renewal: TokenRenewal

  constructor(renewal: TokenRenewal) {
    this.#renewal = renewal
  }

  obtain({ tokens }: HeldTokens): Promise<RenewedTokens> {
    return this.#renewal.renew(tokens, async () => undefined)
  }
}
