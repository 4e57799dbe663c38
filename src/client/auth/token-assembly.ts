import type { SafeLogger } from '../../common/logger.js'
import { loaded } from '../core/lazy-import.js'
import type { RetryBudget } from '../core/retry.js'
import { ConfigurationError } from '../errors/errors.js'
import type { Transport } from '../transport/transport.js'
import { TokenManager } from './token-manager.js'
import {
  type HeldTokens,
  OwnTokens,
  type RenewedTokens,
  TokenRenewal,
  type TokenSource,
} from './token-renewal.js'
import { TokenGrants, type TokenOptions } from './token-request.js'
import type { SharingParts } from './token-sharing.js'
import type { TokenLock, TokenStore } from './token-store.js'

/** Client options for sharing tokens. */
export interface SharingOptions {
  readonly tokenStore?: TokenStore | undefined
  readonly tokenLock?: TokenLock | undefined
}

/** Parts of a client that the token manager uses. */
export interface TokenParts {
  readonly transport: Transport
  /** Retries of token requests take from the budget of the client's calls. */
  readonly budget: RetryBudget
  readonly logger: SafeLogger
}

/** Creates a client's token manager. */
export function tokenManager(given: SharingOptions, options: TokenOptions, parts: TokenParts): TokenManager {
  const { clock, random } = options
  return new TokenManager({ source: tokenSource(given, options, parts), clock, random })
}

function tokenSource(
  given: SharingOptions,
  options: TokenOptions,
  { transport, budget, logger }: TokenParts,
): TokenSource {
  const { clock, random } = options
  const { store, lock } = checkSharing(given)
  const renewal = new TokenRenewal(new TokenGrants(options, transport, budget), clock)
  if (store === undefined) return new OwnTokens(renewal)
  return new SharedTokensLoader({ store, lock, account: options, renewal, clock, random, logger })
}

/** Loads the code for shared tokens on first use. */
class SharedTokensLoader implements TokenSource {
  readonly #parts: SharingParts
  #source: TokenSource | undefined

  constructor(parts: SharingParts) {
    this.#parts = parts
  }

  async obtain(held: HeldTokens): Promise<RenewedTokens> {
    const { shareTokens } = await loaded(import('./token-sharing.js'))
    this.#source ??= await shareTokens(this.#parts)
    return this.#source.obtain(held)
  }
}

function checkSharing({ tokenStore, tokenLock }: SharingOptions): {
  readonly store: TokenStore | undefined
  readonly lock: TokenLock | undefined
} {
  if (tokenStore !== undefined) requireMethods('tokenStore', tokenStore, ['get', 'set', 'delete'])
  if (tokenLock !== undefined) {
    requireMethods('tokenLock', tokenLock, ['acquire'])
    if (tokenStore === undefined) {
      throw new ConfigurationError(
        'tokenLock needs a tokenStore: without a store, processes do not share tokens',
      )
    }
  }
  return { store: tokenStore, lock: tokenLock }
}

function requireMethods(option: string, value: unknown, names: readonly string[]): void {
  const missing = names.find(
    (name) => typeof value !== 'object' || value === null || typeof Reflect.get(value, name) !== 'function',
  )
  if (missing !== undefined) {
    throw new ConfigurationError(`${option} must be an object with a function ${missing}`)
  }
}
