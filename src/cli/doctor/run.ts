import { PathologyClient } from '../../client/index.js'
import { TOKEN_PATH } from '../../contract/endpoint.js'
import { isLoopbackHost } from '../../testing/transports/allowed-hosts.js'
import { clientOptions, type Environment } from '../shared/environment.js'
import type { Terminal } from '../shared/terminal.js'
import { type Finding, skipped } from './finding.js'
import { checkNetwork } from './network.js'
import { checkApi, checkToken } from './service.js'
import { checkSettings } from './settings.js'
import { checkSubscriptions } from './subscriptions.js'

const TOKEN_MS = 15_000

/** Checks everything that a program needs to use the service. Skips the checks that depend on a failed check. */
export async function diagnose(terminal: Terminal, environment: Environment): Promise<Finding[]> {
  const findings = checkSettings(environment, terminal)
  const hasFailed = (): boolean =>
    findings.some(({ check, status }) => status === 'failure' && check !== 'webhook secret')
  const { baseUrl = '', authUrl = '' } = environment
  if (hasFailed()) return [...findings, skipped('network', 'a check above has failed')]
  const { signal } = terminal
  const context = { now: terminal.now(), signal }
  findings.push(...(await checkNetwork('API', baseUrl, context)))
  if (new URL(authUrl).host !== new URL(baseUrl).host)
    findings.push(...(await checkNetwork('token service', authUrl, context)))
  if (hasFailed()) return [...findings, skipped('service', 'the network has problems')]
  findings.push(...(await checkToken(() => requestToken(environment, signal))))
  // A request that Ctrl-C ended says nothing about the credentials.
  signal.throwIfAborted()
  if (hasFailed()) return [...findings, skipped('API', 'there is no token')]
  const client = new PathologyClient({ ...clientOptions(environment), maxRetries: 1 })
  try {
    const isLocal = isLoopbackHost(new URL(baseUrl).host)
    findings.push(...(await checkApi(client, terminal.now, { isLocal, signal })))
    if (hasFailed()) return [...findings, skipped('webhooks', 'the API has problems')]
    findings.push(...(await checkSubscriptions(client, { isLocal, signal })))
    return findings
  } finally {
    await client.close()
  }
}

/** Requests a token without the client, which does not return the response of the token service. */
async function requestToken(environment: Environment, signal: AbortSignal): Promise<unknown> {
  const { authUrl = '', clientId, clientSecret } = environment
  const response = await fetch(`${authUrl.replace(/\/+$/, '')}${TOKEN_PATH}`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(TOKEN_MS)]),
  })
  return response.json()
}
