import { endpoints } from '../../contract/endpoints.js'
import type { ResolvedOptions } from '../call/request-options.js'
import { hasMethods, milliseconds } from '../core/option-values.js'
import { ConfigurationError } from '../errors/errors.js'
import { memoryOrderLedger } from './memory-order-ledger.js'
import {
  type FingerprintOf,
  keyedFingerprint,
  type OrderFingerprintKey,
  privateFingerprint,
} from './order-fingerprint.js'
import type { OrderLedger } from './order-ledger.js'

/** Client options of the order ledger. */
export interface LedgerOptions {
  readonly orderLedger?: OrderLedger | undefined
  readonly orderNamespace?: string | undefined
  readonly orderFingerprintKey?: OrderFingerprintKey | undefined
  readonly resendAfter?: number | undefined
}

/** Checked options of the order ledger, with defaults. */
export interface ResolvedLedgerOptions {
  readonly ledger: OrderLedger
  /** `true` for the ledger in the memory of this client. */
  readonly isPrivate: boolean
  readonly namespace: string
  readonly fingerprintOf: FingerprintOf
  /**
   * Time after the last request, in milliseconds, from which a repeated call sends an order again that the service does
   * not list. `undefined`: never.
   */
  readonly resendAfterMs: number | undefined
}

const METHODS = ['claim', 'mark', 'unmark', 'renew', 'record', 'resolve', 'prune'] as const

/** Time after the time limit of an order in which the service may still place it, in milliseconds. */
export const RESEND_MARGIN_MS = 60_000

/** Checks the options of the order ledger. */
export function resolveLedgerOptions(given: LedgerOptions, options: ResolvedOptions): ResolvedLedgerOptions {
  const { orderLedger, orderNamespace, orderFingerprintKey, resendAfter } = given
  const { base, clientId, clientSecret, clock, timeoutMs } = options
  if (orderLedger !== undefined && !hasMethods(orderLedger, METHODS))
    throw new ConfigurationError(`orderLedger must be an object with ${METHODS.join('(), ')}()`)
  if (orderNamespace !== undefined && (typeof orderNamespace !== 'string' || orderNamespace.trim() === ''))
    throw new ConfigurationError('orderNamespace must be a string that is not empty')
  // Created for every ledger, so that an invalid key is reported even if a private ledger does not use it.
  const fingerprintOf = keyedFingerprint(orderFingerprintKey, clientSecret)
  const isPrivate = orderLedger === undefined
  return {
    ledger: orderLedger ?? memoryOrderLedger({ clock }),
    isPrivate,
    // The default does not contain the secret: otherwise no key would be found after a change of the secret.
    namespace: orderNamespace ?? `${base.origin} ${clientId}`,
    fingerprintOf: isPrivate ? privateFingerprint : fingerprintOf,
    resendAfterMs: resendAfter === undefined ? undefined : checkedResend(resendAfter, timeoutMs),
  }
}

function checkedResend(given: unknown, timeoutMs: number = endpoints.referrals.create.timeoutMs): number {
  const resendAfter = milliseconds('resendAfter', given)
  const least = timeoutMs + RESEND_MARGIN_MS
  if (resendAfter >= least) return resendAfter
  throw new ConfigurationError(
    `resendAfter must be at least ${least}, which is timeout plus ${RESEND_MARGIN_MS}: before that, an order that was sent may still be placed`,
  )
}
