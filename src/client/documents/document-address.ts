import { isPrivateHost } from '../../common/private-addresses.js'
import type { ResolvedOptions } from '../call/resolved-options.js'
import { isLoopback } from '../transport/service-url.js'

type AddressRules = Pick<ResolvedOptions, 'base' | 'documentHosts'>

/** Says how to allow a host; ends the detail of an error. */
export const ALLOW_HOST = "the client's option documentHosts allows it"

/** Tells whether the host of a document may be private: one that the user names, or this machine for a local service. */
export function mayBePrivate(hostname: string, { base, documentHosts }: AddressRules): boolean {
  return documentHosts.has(hostname) || (base.loopback && isLoopback(hostname))
}

/** Says why a document's URL must not be opened; `undefined` when it may be. */
export function unsafeReason(url: URL | undefined, rules: AddressRules): string | undefined {
  if (url === undefined) return 'it is not a URL'
  const local = rules.base.loopback && isLoopback(url.hostname)
  if (url.protocol !== 'https:' && !(local && url.protocol === 'http:')) return 'it does not use https'
  if (mayBePrivate(url.hostname, rules) || !isPrivateHost(url.hostname)) return undefined
  return `its host is private; ${ALLOW_HOST}`
}
