import { isPathologyError, type PathologyClient } from '../../client/index.js'
import { API_VERSIONS } from '../../contract/versions.js'
import { type Finding, failure, ok, warning } from './finding.js'

/** Difference of the clocks in seconds above which the check warns. */
const WARN_SKEW_S = 30
/** Difference of the clocks in seconds above which the check fails. */
const MAX_SKEW_S = 300

/** Error code of Node or undici for a request without a response. */
const ERROR_CODE = /^[A-Z][A-Z0-9_]{1,60}$/

/** Requests a token and reads its claims, without showing the token. */
export async function checkToken(request: () => Promise<unknown>): Promise<Finding[]> {
  try {
    return tokenFindings(await request())
  } catch (error) {
    const isTimeout = fieldOf(error, 'name') === 'TimeoutError'
    const reason = isTimeout ? 'TIMEOUT' : fieldOf(fieldOf(error, 'cause'), 'code')
    if (typeof reason !== 'string' || !ERROR_CODE.test(reason)) return tokenFindings(undefined)
    const fix =
      'check PATHOLOGY_AUTH_URL and the network; if it is the URL of the fake, start npx pathology-fake'
    return [failure('token', `the token service does not respond: ${reason}`, fix)]
  }
}

function tokenFindings(body: unknown): Finding[] {
  const token = fieldOf(body, 'access_token')
  if (typeof token !== 'string') {
    const error = `${fieldOf(body, 'code')} ${fieldOf(body, 'type')}`
    const message = /^\d{1,4} [A-Za-z]{1,40}$/.test(error)
      ? `the token service responded with error ${error}`
      : 'the token service did not issue a token'
    const fix =
      'check PATHOLOGY_AUTH_URL, the client id and the secret; staging and production have different ones'
    return [failure('token', message, fix)]
  }
  // Some services write the number as text.
  const seconds = Number(fieldOf(body, 'expires_in'))
  const lifetime = seconds > 0 ? ` for ${seconds} s` : ''
  return [ok('token', `the token service issued a token${lifetime}`), checkScopes(claimsOf(token))]
}

/** Shows the scopes of the token, if it has any. The interface does not document scopes, so none is required. */
function checkScopes(claims: unknown): Finding {
  const fix = 'attach the report of npx pathology contract check to an issue'
  if (claims === undefined) return warning('scopes', 'the token is not a JWT', fix)
  const given = fieldOf(claims, 'scope') ?? fieldOf(claims, 'scopes') ?? fieldOf(claims, 'scp')
  const names = (Array.isArray(given) ? given : String(given ?? '').split(' ')).map(String)
  const shown = names.filter((name) => /^[A-Za-z0-9:._-]{1,60}$/.test(name))
  return ok('scopes', shown.length === 0 ? 'the token names no scopes' : `the token has ${shown.join(', ')}`)
}

function claimsOf(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}

/** Calls the API in each version, and compares the clock of the service with `now`. */
export async function checkApi(
  client: PathologyClient,
  now: () => number,
  { isLocal, signal }: { readonly isLocal: boolean; readonly signal: AbortSignal },
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const apiVersion of [...API_VERSIONS].reverse()) {
    const check = `API ${apiVersion}`
    try {
      const { response } = await client.webhooks.eventNames({ apiVersion, signal }).withResponse()
      findings.push(ok(check, `the service responds in version ${apiVersion}`))
      if (findings.length === 1) findings.push(checkClock(response.headers['date'], now(), isLocal))
    } catch (error) {
      if (signal.aborted) throw error
      // The messages of the client contain no secret.
      const message = isPathologyError(error) ? error.message : 'the check ended with an unexpected error'
      findings.push(failure(check, message, fixOf(error)))
    }
  }
  return findings
}

function fixOf(error: unknown): string {
  const status: unknown = fieldOf(error, 'status')
  if (status === 401) return 'use the base URL of the environment to which the credentials belong'
  if (status === 404) return 'check PATHOLOGY_BASE_URL: it is the URL without /v1'
  if (status === 403) return 'ask an owner of the organisation to enable API access'
  return 'check PATHOLOGY_BASE_URL and the network, then try again'
}

/** Compares the clock of this machine with the Date header of a response, whose resolution is one second. */
function checkClock(date: unknown, now: number, isLocal: boolean): Finding {
  const server = typeof date === 'string' ? Date.parse(date) : Number.NaN
  if (Number.isNaN(server)) {
    const unchecked = 'the response has no Date header, so the clock was not checked'
    return warning('clock', unchecked, 'compare the clock of this machine with NTP')
  }
  const seconds = Math.round(Math.abs(now - server) / 1_000)
  const message = `the clock of this machine differs from the clock of the service by ${seconds} s`
  // A service on this machine is the fake, whose clock a user can stop and advance.
  if (isLocal && seconds > WARN_SKEW_S)
    return ok('clock', `the clock of the fake differs from the clock of this machine by ${seconds} s`)
  const fix = 'synchronise the clock of this machine, for example with NTP'
  if (seconds > MAX_SKEW_S) return failure('clock', message, fix)
  return seconds > WARN_SKEW_S ? warning('clock', message, fix) : ok('clock', message)
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
