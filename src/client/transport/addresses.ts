import { isPrivateHost } from '../../common/private-addresses.js'
import { isUrl } from '../../contract/realms.js'
import { ConfigurationError } from '../errors/errors.js'

/** Base URL, split into the parts that requests use. */
export interface ServiceUrl {
  readonly origin: string
  /** Path without a trailing slash; may be empty. */
  readonly prefix: string
  readonly loopback: boolean
}

const ENDINGS = { baseUrl: '/v1', authUrl: '/oauth/token' } as const

/** Checks a base URL: https, or http on a loopback address, with only an origin and a path. */
export function parseServiceUrl(name: keyof typeof ENDINGS, text: string): ServiceUrl {
  const refuse = (rule: string): never => {
    throw new ConfigurationError(`${name} ${rule}`)
  }
  // A URL parser silently removes white space, also within the text.
  if (/[\s\p{Cc}]/u.test(text)) refuse('contains white space; check that it was copied without a line break')
  if (!URL.canParse(text)) refuse('must be a URL such as https://api.example.com')
  const url = new URL(text)
  const loopback = isLoopback(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback))
    refuse('must use https; plain http is permitted only for loopback addresses')
  if (url.username !== '' || url.password !== '') refuse('must not contain credentials')
  if (url.search !== '' || url.hash !== '') refuse('must not contain a query or a fragment')
  // Without the lookbehind, the time would be quadratic in the number of slashes.
  const prefix = url.pathname.replace(/(?<!\/)\/+$/, '')
  const ending = ENDINGS[name]
  if (prefix.endsWith(ending)) refuse(`must not end with ${ending}; the client adds it`)
  return { origin: url.origin, prefix, loopback }
}

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}

/** Client options that decide which hosts a document may have. */
interface DocumentHosts {
  readonly base: Pick<ServiceUrl, 'loopback'>
  /** Host names in the form of `URL.hostname`. */
  readonly documentHosts: ReadonlySet<string>
}

/** Advice at the end of an error about a private host. */
export const ALLOW_HOST = "to permit it, add the host to the client's option documentHosts"

/**
 * Returns `true` when a document's host may be private. The hosts in the option `documentHosts` may be private. A
 * loopback host is also permitted if the base URL has a loopback host.
 */
export function mayBePrivate(hostname: string, { base, documentHosts }: DocumentHosts): boolean {
  return documentHosts.has(hostname) || (base.loopback && isLoopback(hostname))
}

/** Returns the reason why a document's URL is not permitted, or `undefined`. */
export function unsafeReason(url: URL | undefined, rules: DocumentHosts): string | undefined {
  if (url === undefined) return 'it is not a URL'
  const local = rules.base.loopback && isLoopback(url.hostname)
  if (url.protocol !== 'https:' && !(local && url.protocol === 'http:')) return 'it does not use https'
  if (mayBePrivate(url.hostname, rules) || !isPrivateHost(url.hostname)) return undefined
  return `its host is private; ${ALLOW_HOST}`
}

/** Proxies for http and for https requests, as undici reads them. An empty text means no proxy. */
export interface ResolvedProxy {
  readonly httpProxy: string
  readonly httpsProxy: string
  /** Hosts that are reached without a proxy, separated by commas or spaces. */
  readonly noProxy: string
}

/**
 * Checks the option `proxy`. For `'env'`, reads the variables of the environment, in lower case first.
 *
 * @throws {@link ConfigurationError} that does not contain the URL, because the URL may have a password.
 */
export function resolveProxy(proxy: unknown, environment: NodeJS.ProcessEnv): ResolvedProxy | undefined {
  if (proxy === undefined) return undefined
  if (proxy === 'env') return environmentProxy(environment)
  if (typeof proxy !== 'string' && !isUrl(proxy)) throw invalidProxy('proxy')
  const uri = checkedUrl('proxy', String(proxy))
  return { httpProxy: uri, httpsProxy: uri, noProxy: '' }
}

function environmentProxy(environment: NodeJS.ProcessEnv): ResolvedProxy | undefined {
  const proxyOf = (name: string): string => {
    const value = variable(environment, name)
    return value === '' ? '' : checkedUrl(name.toUpperCase(), value)
  }
  const httpProxy = proxyOf('http_proxy')
  const httpsProxy = proxyOf('https_proxy') || httpProxy
  return httpsProxy === '' ? undefined : { httpProxy, httpsProxy, noProxy: variable(environment, 'no_proxy') }
}

function variable(environment: NodeJS.ProcessEnv, name: string): string {
  return (environment[name] ?? environment[name.toUpperCase()] ?? '').trim()
}

function checkedUrl(name: string, text: string): string {
  try {
    const { protocol, username, password, href } = new URL(text)
    decodeURIComponent(`${username}:${password}`)
    if (protocol === 'https:' || protocol === 'http:') return href
  } catch {
    // Not a URL, or undici could not decode the user name or the password.
  }
  throw invalidProxy(name)
}

function invalidProxy(name: string): ConfigurationError {
  const alternative = name === 'proxy' ? " or 'env'" : ''
  return new ConfigurationError(
    `${name} must be an http or https URL such as http://proxy.example:3128${alternative}; percent-encode special characters in the password`,
  )
}

/** Returns the proxy of a request without its user name and password; `undefined` when the request has no proxy. */
export function proxyFor(proxy: ResolvedProxy, url: URL): string | undefined {
  const uri = url.protocol === 'https:' ? proxy.httpsProxy : proxy.httpProxy
  return uri === '' || isExcluded(proxy.noProxy, url) ? undefined : new URL(uri).origin
}

/** Returns `true` for a host in NO_PROXY, by the rules of undici: names with their subdomains, and `*`. */
function isExcluded(noProxy: string, { hostname, port, protocol }: URL): boolean {
  if (noProxy === '*') return true
  const requestPort = port || (protocol === 'https:' ? '443' : '80')
  return noProxy.split(/[,\s]/).some((entry) => {
    const [, name = entry, entryPort] = /^(.+):(\d+)$/.exec(entry) ?? []
    const host = name.replace(/^\*?\./, '').toLowerCase()
    if (host === '' || (entryPort !== undefined && entryPort !== requestPort)) return false
    return hostname === host || hostname.endsWith(`.${host}`)
  })
}

/**
 * Returns a hint for a client that does not use the proxy in HTTPS_PROXY; `undefined` if this proxy does not apply to
 * `url`, for example because `url` uses http.
 */
export function ignoredProxyHint(url: URL, environment: NodeJS.ProcessEnv): string | undefined {
  const httpsProxy = variable(environment, 'https_proxy')
  const isUsed = httpsProxy !== '' && !isExcluded(variable(environment, 'no_proxy'), url)
  if (!isUsed || url.protocol !== 'https:') return undefined
  return "HTTPS_PROXY is set, but the client does not use it: set the option proxy to 'env', or add the host to NO_PROXY"
}
