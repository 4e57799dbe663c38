import { systemClock } from '../common/clock.js'
import { ownOptions } from '../common/known-options.js'
import type { ResolvedOptions } from './call/request-options.js'
import { apiVersion, hasMethods, integer, milliseconds, oneOf } from './core/caller-input.js'
import { ConfigurationError } from './errors/errors.js'
import type { ClientOptions } from './options.js'
import { parseServiceUrl, resolveProxy } from './transport/addresses.js'

const MIB = 1024 * 1024

const REQUIRED = ['baseUrl', 'authUrl', 'clientId', 'clientSecret'] as const

type RequiredName = (typeof REQUIRED)[number]

const VARIABLES: Readonly<Record<RequiredName, string>> = {
  baseUrl: 'PATHOLOGY_BASE_URL',
  authUrl: 'PATHOLOGY_AUTH_URL',
  clientId: 'PATHOLOGY_CLIENT_ID',
  clientSecret: 'PATHOLOGY_CLIENT_SECRET',
}

/**
 * Checks the options and adds values of the environment and defaults. The options of the
 * token store and of the order ledger are checked where they are used.
 */
export function resolveOptions(options: ClientOptions, environment: NodeJS.ProcessEnv): ResolvedOptions {
  checkParts(options)
  // The environment does not replace `null`, which may be a secret that failed to load.
  const given = (name: RequiredName): unknown =>
    options[name] === undefined ? environment[VARIABLES[name]] : options[name]
  refuseMissing(REQUIRED.filter((name) => given(name) === undefined))
  const base = parseServiceUrl('baseUrl', text('baseUrl', given('baseUrl')))
  const auth = parseServiceUrl('authUrl', text('authUrl', given('authUrl')))
  const clientId = text('clientId', given('clientId'))
  const clientSecret = text('clientSecret', given('clientSecret'))
  const { clientAuthentication: method, responseValidation, timeout, orderRecoveryTimeout = 20_000 } = options
  const clientAuthentication = oneOf('clientAuthentication', method, ['basic', 'body'], 'basic')
  checkCredentials(clientId, clientSecret, clientAuthentication)
  return {
    base,
    auth,
    clientId,
    clientSecret,
    clientAuthentication,
    apiVersion: apiVersion(options.apiVersion),
    timeoutMs: timeout === undefined ? undefined : milliseconds('timeout', timeout),
    maxRetries: integer('maxRetries', options.maxRetries, 0, 2),
    maxSockets: integer('maxSockets', options.maxSockets, 1, 128),
    maxRequestBytes: integer('maxRequestBytes', options.maxRequestBytes, 0, MIB),
    maxResponseBytes:
      options.maxResponseBytes === undefined
        ? undefined
        : integer('maxResponseBytes', options.maxResponseBytes, 0, 0),
    maxDocumentBytes: integer('maxDocumentBytes', options.maxDocumentBytes, 0, 32 * MIB),
    proxy: resolveProxy(options.proxy, environment),
    documentHosts: hostNames(options.documentHosts),
    orderRecoveryTimeoutMs: milliseconds('orderRecoveryTimeout', orderRecoveryTimeout),
    responseValidation: oneOf('responseValidation', responseValidation, ['warn', 'strict', 'off'], 'warn'),
    userAgent: userAgent(options.appInfo),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  }
}

/** Names of all client options. */
export const OPTION_NAMES: ReadonlySet<string> = new Set<keyof ClientOptions>([
  'baseUrl',
  'authUrl',
  'clientId',
  'clientSecret',
  'apiVersion',
  'clientAuthentication',
  'timeout',
  'maxRetries',
  'maxSockets',
  'maxRequestBytes',
  'maxResponseBytes',
  'maxDocumentBytes',
  'documentHosts',
  'orderRecoveryTimeout',
  'orderLedger',
  'resendAfter',
  'responseValidation',
  'tokenStore',
  'tokenLock',
  'proxy',
  'dispatcher',
  'fetch',
  'logger',
  'appInfo',
  'clock',
  'random',
])

/** Options that take an object, with the methods that each object must have. */
const METHODS = [
  ['dispatcher', ['dispatch']],
  ['logger', []],
  ['clock', ['now', 'monotonic', 'schedule']],
  ['appInfo', []],
] as const

/** Checks the options that are functions or objects. At most one of `dispatcher`, `fetch` and `proxy` is permitted. */
function checkParts(options: ClientOptions): void {
  for (const name of ['fetch', 'random'] as const) {
    const part: unknown = options[name]
    if (part !== undefined && typeof part !== 'function')
      throw new ConfigurationError(`${name} must be a function`)
  }
  for (const [name, methods] of METHODS) {
    const part: unknown = options[name]
    if (part !== undefined && !hasMethods(part, methods))
      throw new ConfigurationError(`${name} must be an object${methodsInWords(methods)}`)
  }
  const { dispatcher, fetch, proxy } = options
  if (dispatcher !== undefined && fetch !== undefined)
    throw new ConfigurationError('pass either dispatcher or fetch, not both')
  if (proxy !== undefined && (dispatcher !== undefined || fetch !== undefined))
    throw new ConfigurationError(
      'proxy cannot be used with dispatcher or fetch, which make their own connections: pass only one of them',
    )
}

function methodsInWords(names: readonly string[]): string {
  return names.length === 0 ? '' : ` with ${names.map((name) => `${name}()`).join(', ')}`
}

/** Reports all missing options in one error. */
function refuseMissing(names: readonly RequiredName[]): void {
  if (names.length === 0) return
  const [are, them, variables] = names.length === 1 ? ['is', 'it', 'variable'] : ['are', 'them', 'variables']
  const of = names.map((name) => VARIABLES[name]).join(', ')
  // If everything is missing, the program was probably started without its `.env` file.
  const hint = names.length < REQUIRED.length ? '' : '; Node reads a file with --env-file=.env'
  throw new ConfigurationError(
    `${names.join(', ')} ${are} required: pass ${them}, or set the environment ${variables} ${of}${hint}`,
  )
}

function text(name: string, value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '')
    throw new ConfigurationError(`${name} must be a string that is not empty`)
  return value
}

function checkCredentials(clientId: string, clientSecret: string, method: 'basic' | 'body'): void {
  for (const [name, value] of Object.entries({ clientId, clientSecret })) {
    if (value !== value.trim())
      throw new ConfigurationError(
        `${name} begins or ends with white space; check that it was copied without a line break`,
      )
  }
  if (method === 'basic' && clientId.includes(':'))
    throw new ConfigurationError(
      "clientId contains a colon, which a Basic header does not permit: set clientAuthentication to 'body'",
    )
}

const HOST_NAME = /^([^\s/:@?#[\]\\]+|\[[\da-f:.]+\])$/i

/** Host name or address as a URL has it. A host with any other character, such as `*`, would never match one. */
const PLAIN_HOST = /^([\w-]+(\.[\w-]+)*\.?|\[[\da-f:.]+\])$/

function hostNames(names: unknown = []): ReadonlySet<string> {
  const isHost = (host: unknown): host is string =>
    typeof host === 'string' &&
    HOST_NAME.test(host) &&
    URL.canParse(`https://${host}`) &&
    PLAIN_HOST.test(new URL(`https://${host}`).hostname)
  if (Array.isArray(names) && names.every(isHost)) {
    return new Set(names.map((host) => new URL(`https://${host}`).hostname))
  }
  throw new ConfigurationError(
    "documentHosts must be an array of whole host names without a port or a wildcard, such as 'pdf.clinic.internal'",
  )
}

const APP_INFO = new Set(['name', 'version', 'url'])
const PRINTABLE_ASCII = /^[\x20-\x7e]+$/

/** Returns the User-Agent header: this package, the runtime, and the application if `appInfo` is given. */
export function userAgent(appInfo: ClientOptions['appInfo']): string {
  const own = `pathology-sdk/${VERSION} (${runtime()})`
  if (appInfo === undefined) return own
  const { name, version, url } = ownOptions('appInfo', appInfo, APP_INFO)
  for (const [field, value] of Object.entries({ name, version, url })) {
    const missing = value === undefined && field !== 'name'
    if (!missing && (typeof value !== 'string' || !PRINTABLE_ASCII.test(value)))
      throw new ConfigurationError(`appInfo.${field} must be a non-empty string of printable ASCII`)
  }
  return `${own} ${name}${version === undefined ? '' : `/${version}`}${url === undefined ? '' : ` (${url})`}`
}

function runtime(): string {
  const { versions } = globalThis.process ?? {}
  if (versions?.['bun'] !== undefined) return `bun ${versions['bun']}`
  if (versions?.['deno'] !== undefined) return `deno ${versions['deno']}`
  return versions?.node === undefined ? 'unknown runtime' : `node ${versions.node}`
}

/** Version of this package. A test compares it with package.json. */
export const VERSION = '0.1.0'
