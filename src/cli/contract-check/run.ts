import { isLoopbackHost } from '../../testing/transports/allowed-hosts.js'
import { checkCentres } from './centres.js'
import { checkLists, type ListRecords } from './lists.js'
import type { WriteContext } from './order-lifecycle.js'
import { checkRecords } from './records.js'
import { checkRejectedRequests } from './rejected-requests.js'
import { type ContractReport, DifferenceReport } from './report.js'
import { Requester } from './requester.js'
import { type Credentials, checkTokens } from './token.js'
import { checkOrders, isStaging } from './write-orders.js'
import { checkWebhookChanges } from './write-webhooks.js'

/** Options of a contract check. */
export interface ContractCheckOptions extends Credentials {
  readonly baseUrl: string
  readonly environment: 'staging' | 'production'
  /** `true`: the check also places, updates and deletes orders in staging. */
  readonly write: boolean
  /**
   * `true`: the check also creates, changes and deletes a paused webhook. The owners and webhook managers get emails.
   */
  readonly writeWebhooks: boolean
  readonly maxPages: number
  /** Maximum wait for a referral's PDF, in milliseconds. */
  readonly pdfTimeoutMs: number
  readonly signal: AbortSignal
  readonly now: () => number
  /** Receives the name of each step when it starts. */
  readonly onStep: (step: string) => void
  /** Receives a message for each record of the check that may still exist. */
  readonly onWarning: (message: string) => void
}

/** Endpoints that are never checked, because they would change provider records of the organisation. */
const NEVER_CHECKED = ['providers.save', 'providers.update', 'providers.retire', 'providers.requestRouting']

/** Compares an environment with the contract. */
export async function checkContract(options: ContractCheckOptions): Promise<ContractReport> {
  const { baseUrl, signal, environment, maxPages, onStep } = options
  const report = new DifferenceReport()
  onStep('token service')
  const token = await checkTokens({ ...options, report })
  const result = (wrote: boolean): ContractReport => report.result({ environment, wrote, now: options.now() })
  if (token === undefined) {
    report.notChecked('every other endpoint', 'needs an access token')
    return result(false)
  }
  const requester = new Requester({ baseUrl, report, signal }, token)
  const isLocal = isLoopbackHost(new URL(baseUrl).host)
  const context: WriteContext = {
    requester,
    report,
    maxPages,
    signal,
    isLocal,
    pdfTimeoutMs: options.pdfTimeoutMs,
    onWarning: options.onWarning,
  }
  onStep('lists')
  const records = await checkLists(context)
  onStep('records and documents')
  await checkRecords(context, records)
  onStep('collection centres')
  await checkCentres(context, records)
  onStep('requests that the service must reject')
  await checkRejectedRequests(context, records)
  const wrote = await checkWrites(context, options, records)
  notChecked(report, NEVER_CHECKED, 'it changes provider records')
  return result(wrote)
}

const ORDERS = ['create', 'update', 'delete', 'generateResults'].map((name) => `referrals.${name}`)
const WEBHOOKS = ['create', 'update', 'delete'].map((name) => `webhooks.${name}`)

/**
 * Checks the changes that the options request. Returns whether a record may have been created. First asks the service
 * whether it is staging, because the base URL does not prove this.
 */
async function checkWrites(
  context: WriteContext,
  { write, writeWebhooks, onStep }: ContractCheckOptions,
  records: ListRecords,
): Promise<boolean> {
  const { report } = context
  const wanted = [...(write ? ORDERS : []), ...(writeWebhooks ? WEBHOOKS : [])]
  if (!write) notChecked(report, ORDERS, 'needs --write')
  if (!writeWebhooks) notChecked(report, WEBHOOKS, 'needs --write-webhooks')
  if (wanted.length === 0) return false
  if (!(await isStaging(context))) {
    notChecked(report, wanted, 'the environment has no endpoint for dummy results: is it production?')
    return false
  }
  let wrote = false
  if (write) {
    onStep('orders')
    wrote = await checkOrders(context, records)
  }
  if (writeWebhooks) {
    onStep('webhooks')
    wrote = (await checkWebhookChanges(context)) || wrote
  }
  return wrote
}

function notChecked(report: DifferenceReport, endpoints: readonly string[], reason: string): void {
  for (const endpoint of endpoints) report.notChecked(endpoint, reason)
}
