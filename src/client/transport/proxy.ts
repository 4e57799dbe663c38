import { ConfigurationError } from '../errors/errors.js'

/** Proxies for http and for https requests, as undici reads them. An empty text means no proxy. */
export interface ResolvedProxy {
  readonly httpProxy: string
  readonly httpsProxy: string
  /** Hosts that are reached without a proxy, separated by commas or spaces. */
  readonly noProxy: string
}

/**
 * Checks the option `proxy`. Reads the variables of the environment, in lower case first, as other programs do.
 *
 * @throws {@link ConfigurationError} that does not contain the URL, because the URL may have a password.
 */
export function resolveProxy(proxy: unknown, environment: NodeJS.ProcessEnv): ResolvedProxy | undefined {
  if (proxy === undefined) return undefined
  if (proxy === 'env') return environmentProxy(environment)
  if (typeof proxy !== 'string' && !(proxy instanceof URL)) throw invalidProxy('proxy')
  const uri = checkedUrl('proxy', String(proxy))
  return { httpProxy: uri, httpsProxy: uri, noProxy: '' }
}

function environmentProxy(environment: NodeJS.ProcessEnv): ResolvedProxy | undefined {
  const [http, https] = ['http_proxy', 'https_proxy'].map((name) => {
    const value = variable(environment, name)
    return value === '' ? '' : checkedUrl(name.toUpperCase(), value)
  })
  const httpProxy = http ?? ''
  const httpsProxy = https || httpProxy
  return httpsProxy === '' ? undefined : { httpProxy, httpsProxy, noProxy: variable(environment, 'no_proxy') }
}

function variable(environment: NodeJS.ProcessEnv, name: string): string {
  const own = (key: string): string | undefined =>
    Object.hasOwn(environment, key) ? environment[key] : undefined
  return (own(name) ?? own(name.toUpperCase()) ?? '').trim()
}

function checkedUrl(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === '') throw invalidProxy(name)
  if (!isDecodable(url.username) || !isDecodable(url.password)) throw invalidProxy(name)
  return url.href
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

function invalidProxy(name: string): ConfigurationError {
  const alternative = name === 'proxy' ? " or 'env'" : ''
  return new ConfigurationError(
    `${name} must be an http or https URL such as http://proxy.example:3128${alternative}; percent-encode a password`,
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
