import { randomUUID } from 'node:crypto'
import { endpoints } from '../../contract/endpoints.js'
import type { Samples } from '../../testing/rules/rule.js'
import { isLoopbackHost } from '../../testing/transports/allowed-hosts.js'
import { OperationError } from '../shared/terminal.js'
import { checkCentres } from './centres.js'
import type { WriteContext } from './created-records.js'
import { checkLists } from './lists.js'
import { checkRecords, type RecordContext } from './records.js'
import { checkForeignCursor, checkRefusal, needsNoRecord, refusalsOf, samplesOf } from './refusals.js'
import { type ContractReport, DifferenceReport } from './report.js'
import { Requester } from './requester.js'
import { type Credentials, checkTokens } from './token.js'
import { checkOrders, isStaging } from './write-orders.js'
import { checkWebhookChanges } from './write-webhooks.js'

export interface ContractCheckOptions extends Credentials {
  readonly baseUrl: string
  readonly environment: 'staging' | 'production'
  /** `true`: the check also places, updates and deletes orders in staging. */
  readonly write: boolean
  /**
   * `true`: the check also creates, changes and deletes a paused webhook. The owners and webhook managers get emails.
   */
  readonly writeWebhooks: boolean
  /** `true`: the check also sends changes of provider records that the service must refuse. Default `false`. */
  readonly refuseProviders?: boolean
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

/** Endpoints that the command never checks, because they would change provider records of the organisation. */
const PROVIDERS = ['providers.save', 'providers.update', 'providers.retire', 'providers.requestRouting']

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
  const run = randomUUID()
  const context: RecordContext = { requester, report, maxPages, signal, isLocal }
  onStep('lists')
  await stopIfDown(requester)
  const records = await checkLists(context)
  onStep('records and documents')
  await checkRecords(context, records)
  onStep('collection centres')
  await checkCentres(context, records)
  onStep('requests that the service must reject')
  const samples = samplesOf(records, run)
  const refusals = refusalsOf(samples)
  for (const refusal of refusals) {
    const { retry, id } = refusal.endpoint
    const isSent = retry === 'safe' || (options.refuseProviders === true && PROVIDERS.includes(id))
    if (isSent && needsNoRecord(refusal)) await checkRefusal(context, refusal)
  }
  await checkForeignCursor(context, records)
  const { pdfTimeoutMs, onWarning } = options
  const wrote = await checkWrites({ ...context, run, refusals, pdfTimeoutMs, onWarning }, options, samples)
  if (options.refuseProviders !== true) notChecked(report, PROVIDERS, 'it changes provider records')
  return result(wrote)
}

/**
 * Stops a check whose first reads all get the same error: every other request would too, which takes minutes with the
 * retries.
 */
async function stopIfDown({ send }: Requester): Promise<void> {
  const { vendors, tests, webhooks } = endpoints
  const statuses: number[] = []
  for (const endpoint of [vendors.list, tests.list, webhooks.eventNames]) {
    const { status } = await send(endpoint)
    if (status < 400 || (statuses[0] ?? status) !== status) return
    statuses.push(status)
  }
  throw new OperationError(
    `the service answers ${statuses[0]} to each of the first ${statuses.length} reads, so the check stopped. Run npx pathology doctor to find the cause`,
  )
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
  samples: Samples,
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
    wrote = await checkOrders(context, samples)
  }
  if (writeWebhooks) {
    onStep('webhooks')
    wrote = (await checkWebhookChanges(context, samples.webhookUrl)) || wrote
  }
  return wrote
}

function notChecked(report: DifferenceReport, ids: readonly string[], reason: string): void {
  for (const endpoint of ids) report.notChecked(endpoint, reason)
}
