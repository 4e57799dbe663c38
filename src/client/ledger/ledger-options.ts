import { endpoints } from '../../contract/endpoints.js'
import type { ResolvedOptions } from '../call/request-options.js'
import { hasMethods, milliseconds } from '../core/caller-input.js'
import { ConfigurationError } from '../errors/errors.js'
import { checkedNames, type OrderFingerprintKey, type OrderLedger } from './order-ledger.js'

export interface LedgerOptions {
  readonly orderLedger?: OrderLedger | undefined
  readonly resendAfter?: number | undefined
}

/** Settings of the ledger, which is opened on its first use. */
export interface LedgerSettings {
  /** `undefined` for the ledger in the memory of this client. */
  readonly ledger: OrderLedger | undefined
  readonly namespace: string
  readonly fingerprintKey: OrderFingerprintKey | undefined
  /**
   * Time since the last request with the order, in milliseconds. After this time, a repeated call sends the order again
   * if the service does not list it. Infinite for never.
   */
  readonly resendAfterMs: number
}

const METHODS = ['claim', 'mark', 'unmark', 'renew', 'record', 'resolve', 'prune'] as const

/** Time for which the service may still place an order after the order's time limit, in milliseconds. */
export const RESEND_MARGIN_MS = 60_000

export function resolveLedgerOptions(given: LedgerOptions, options: ResolvedOptions): LedgerSettings {
  const { orderLedger: ledger, resendAfter } = given
  const { base, clientId, timeoutMs } = options
  if (ledger !== undefined && !hasMethods(ledger, METHODS))
    throw new ConfigurationError(
      `orderLedger must be an object with ${METHODS.join('(), ')}(), such as postgresOrderLedger(pool)`,
    )
  const { namespace, fingerprintKey } = checkedNames('orderLedger', ledger ?? {})
  return {
    ledger,
    // The default does not contain the secret: otherwise no key would be found after a change of the secret.
    namespace: namespace ?? `${base.origin} ${clientId}`,
    fingerprintKey,
    resendAfterMs: checkedResend(resendAfter, timeoutMs),
  }
}

function checkedResend(
  given: number = Number.POSITIVE_INFINITY,
  timeoutMs: number = endpoints.referrals.create.timeoutMs,
): number {
  const resendAfter = milliseconds('resendAfter', given)
  const least = timeoutMs + RESEND_MARGIN_MS
  if (resendAfter >= least) return resendAfter
  throw new ConfigurationError(
    `resendAfter must be at least ${least} ms, which is timeout plus ${RESEND_MARGIN_MS} ms: before that, an order that was sent may still be placed`,
  )
}
