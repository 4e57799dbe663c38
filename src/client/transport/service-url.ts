import { ConfigurationError } from '../errors/errors.js'

/** A base URL in the parts that requests are made from. */
export interface ServiceUrl {
  readonly origin: string
  /** Without a trailing slash; empty when there is none. */
  readonly prefix: string
  /** The host is this machine. */
  readonly loopback: boolean
}

const ENDINGS = { baseUrl: '/v1', authUrl: '/oauth/token' } as const

/** Checks a base URL: https, or http on a loopback address; nothing but origin and path. */
export function parseServiceUrl(name: keyof typeof ENDINGS, text: string): ServiceUrl {
  // A URL parser removes white space silently, also within the text.
  if (/[\s\p{Cc}]/u.test(text))
    throw new ConfigurationError(`${name} holds white space: was it copied with a line break?`)
  if (!URL.canParse(text))
    throw new ConfigurationError(`${name} must be a URL such as https://api.example.com`)
  const url = new URL(text)
  const loopback = isLoopback(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback)) {
    throw new ConfigurationError(`${name} must use https; plain http is accepted for loopback addresses only`)
  }
  if (url.username !== '' || url.password !== '')
    throw new ConfigurationError(`${name} must not hold credentials`)
  if (url.search !== '' || url.hash !== '')
    throw new ConfigurationError(`${name} must not hold a query or a fragment`)
  const prefix = withoutTrailingSlashes(url.pathname)
  const ending = ENDINGS[name]
  if (prefix.endsWith(ending)) {
    throw new ConfigurationError(`${name} must not end with ${ending}: the client adds it`)
  }
  return { origin: url.origin, prefix, loopback }
}

/** A loop, because a regular expression takes time that grows with the square of the number of slashes. */
function withoutTrailingSlashes(path: string): string {
  let end = path.length
  while (end > 0 && path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

/** Tells whether a URL's host name is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}
