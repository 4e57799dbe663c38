import { Lazy } from '../../common/lazy-import.js'
import type { SafeLogger } from '../../common/logger.js'
import { hasMethods } from '../core/caller-input.js'
import type { RetryBudget } from '../core/retry.js'
import { ConfigurationError } from '../errors/errors.js'
import type { Transport } from '../transport/transport.js'
import { TokenManager, TokenRenewal, type TokenSource } from './token-manager.js'
import { type TokenOptions, TokenServiceClient } from './token-request.js'
import type { SharingParts } from './token-sharing.js'
import type { TokenLock, TokenStore } from './token-store.js'

export interface SharingOptions {
  readonly tokenStore?: TokenStore | undefined
  readonly tokenLock?: TokenLock | undefined
}

export interface TokenParts {
  readonly transport: Transport
  /** Retry budget of the client's calls. Retries of token requests take from this budget too. */
  readonly budget: RetryBudget
  readonly logger: SafeLogger
  /** Aborts when the client has closed: no call needs a token request any more. */
  readonly closing?: AbortSignal | undefined
}

export function createTokenManager(
  given: SharingOptions,
  options: TokenOptions,
  { transport, budget, logger, closing }: TokenParts,
): TokenManager {
  checkSharing(given)
  const { tokenStore: store, tokenLock: lock } = given
  const { clock, random } = options
  const service = new TokenServiceClient(options, transport, budget, closing)
  const renewal = new TokenRenewal((refreshToken) => service.request(refreshToken), clock)
  const source: TokenSource =
    store === undefined
      ? ({ tokens }) => renewal.renew(tokens, async () => undefined)
      : lazySharedSource({ store, lock, options, renewal, logger, closing })
  return new TokenManager({ source, clock, random })
}

/** Loads the code for shared tokens on first use. */
function lazySharedSource(parts: SharingParts): TokenSource {
  const shared = new Lazy(async () => new (await import('./token-sharing.js')).SharedTokens(parts))
  return async (held) => (await shared.load()).obtain(held)
}

function checkSharing({ tokenStore, tokenLock }: SharingOptions): void {
  if (tokenStore !== undefined) requireMethods('tokenStore', tokenStore, ['get', 'set', 'delete'])
  if (tokenLock === undefined) return
  requireMethods('tokenLock', tokenLock, ['acquire'])
  if (tokenStore === undefined)
    throw new ConfigurationError(
      'tokenLock needs a tokenStore: without a store, processes do not share tokens',
    )
}

function requireMethods(option: string, value: unknown, names: readonly string[]): void {
  const missing = names.find((name) => !hasMethods(value, [name]))
  if (missing !== undefined) {
    throw new ConfigurationError(`${option} must be an object with a function ${missing}`)
  }
}
