import { ConfigurationError } from '../errors/errors.js'

/** Base URL, split into the parts that requests use. */
export interface ServiceUrl {
  readonly origin: string
  /** Path without a trailing slash; may be empty. */
  readonly prefix: string
  /** `true` when the host is a loopback address. */
  readonly loopback: boolean
}

const ENDINGS = { baseUrl: '/v1', authUrl: '/oauth/token' } as const

/** Checks a base URL: https, or http on a loopback address, with only an origin and a path. */
export function parseServiceUrl(name: keyof typeof ENDINGS, text: string): ServiceUrl {
  // A URL parser silently removes white space, also within the text.
  if (/[\s\p{Cc}]/u.test(text))
    throw new ConfigurationError(
      `${name} contains white space; check that it was copied without a line break`,
    )
  if (!URL.canParse(text))
    throw new ConfigurationError(`${name} must be a URL such as https://api.example.com`)
  const url = new URL(text)
  const loopback = isLoopback(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback)) {
    throw new ConfigurationError(
      `${name} must use https; plain http is permitted only for loopback addresses`,
    )
  }
  if (url.username !== '' || url.password !== '')
    throw new ConfigurationError(`${name} must not contain credentials`)
  if (url.search !== '' || url.hash !== '')
    throw new ConfigurationError(`${name} must not contain a query or a fragment`)
  const prefix = withoutTrailingSlashes(url.pathname)
  const ending = ENDINGS[name]
  if (prefix.endsWith(ending)) {
    throw new ConfigurationError(`${name} must not end with ${ending}; the client adds it`)
  }
  return { origin: url.origin, prefix, loopback }
}

/** Uses a loop: a regular expression takes quadratic time in the number of slashes. */
function withoutTrailingSlashes(path: string): string {
  let end = path.length
  while (end > 0 && path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

/** Returns `true` when a URL's host name is a loopback address. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}
