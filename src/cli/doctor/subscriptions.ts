import { isPathologyError, type PathologyClient } from '../../client/index.js'
import { isPrivateHost } from '../../common/private-addresses.js'
import { WEBHOOK_RESPONSE_MS } from '../../contract/limits.js'
import type { Webhook } from '../../contract/types.js'
import { type Finding, failure, ok, warning } from './finding.js'

const CHECK = 'webhooks'

/**
 * Checks the subscriptions. Sends a GET, not an event, to the URL of each active subscription. Does not send it to a
 * private URL, except if `isLocal` is `true`.
 */
export async function checkSubscriptions(
  client: PathologyClient,
  { isLocal, signal }: { readonly isLocal: boolean; readonly signal: AbortSignal },
): Promise<Finding[]> {
  let webhooks: readonly Webhook[]
  try {
    webhooks = await client.webhooks.list({}, { signal }).toArray()
  } catch (error) {
    if (signal.aborted) throw error
    const message = isPathologyError(error) ? error.message : 'the list of webhooks could not be read'
    return [failure(CHECK, message, 'check PATHOLOGY_BASE_URL and the network, then try again')]
  }
  if (webhooks.length === 0) {
    const fix = 'subscribe: npx pathology webhooks create <url>; without webhooks, poll the lists'
    return [warning(CHECK, 'the organisation has no webhook', fix)]
  }
  return Promise.all(webhooks.map((webhook) => checkWebhook(webhook, isLocal, signal)))
}

async function checkWebhook(
  { id, url, active }: Webhook,
  isLocal: boolean,
  signal: AbortSignal,
): Promise<Finding> {
  const check = `webhook ${id}`
  const resume = `resume it: npx pathology webhooks resume ${id}`
  if (!active) return warning(check, 'the subscription is paused and receives no events', resume)
  const target = URL.canParse(url) ? new URL(url) : undefined
  const isPublic = target !== undefined && (isLocal || !isPrivateHost(target.hostname))
  const fix = 'subscribe a public https URL'
  if (!isPublic) return failure(check, 'the URL is not public, so the service cannot reach it', fix)
  return probe(check, target, signal)
}

async function probe(check: string, target: URL, signal: AbortSignal): Promise<Finding> {
  const { host } = target
  const started = performance.now()
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(WEBHOOK_RESPONSE_MS)])
    const response = await fetch(target, { method: 'GET', redirect: 'manual', signal: limit })
    await response.body?.cancel()
    const ms = Math.round(performance.now() - started)
    const { status } = response
    if (status >= 500)
      return failure(check, `${host} responds with ${status}`, 'read the log of your endpoint')
    const fix = 'subscribe the URL to which it redirects: a delivery needs a 2xx response'
    if (status >= 300 && status < 400) return warning(check, `${host} redirects`, fix)
    return ok(check, `${host} responds in ${ms} ms`)
  } catch (error) {
    if (signal.aborted) throw error
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    const limit = isLate ? ` within ${WEBHOOK_RESPONSE_MS / 1_000} s` : ''
    return failure(
      check,
      `${host} does not respond${limit}`,
      'start your endpoint, and check its host name, certificate and firewall',
    )
  }
}
