import { isPrivateHost } from '../../common/private-addresses.js'
import type { ResolvedOptions } from '../call/request-options.js'
import { isLoopback } from '../transport/service-url.js'

type AddressRules = Pick<ResolvedOptions, 'base' | 'documentHosts'>

/** Explains how to permit a host, at the end of an error. */
export const ALLOW_HOST = "the client's option documentHosts permits it"

/**
 * Returns `true` when a document's host may be private: a host that the user names, or this machine for a local
 * service.
 */
export function mayBePrivate(hostname: string, { base, documentHosts }: AddressRules): boolean {
  return documentHosts.has(hostname) || (base.loopback && isLoopback(hostname))
}

/** Returns the reason why a document's URL is not permitted, or `undefined`. */
export function unsafeReason(url: URL | undefined, rules: AddressRules): string | undefined {
  if (url === undefined) return 'it is not a URL'
  const local = rules.base.loopback && isLoopback(url.hostname)
  if (url.protocol !== 'https:' && !(local && url.protocol === 'http:')) return 'it does not use https'
  if (mayBePrivate(url.hostname, rules) || !isPrivateHost(url.hostname)) return undefined
  return `its host is private; ${ALLOW_HOST}`
}
