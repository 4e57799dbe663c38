import {
  API_VERSIONS,
  type ApiVersion,
  isApiVersion,
  SERVICE_DEFAULT_VERSION,
} from '../../contract/versions.js'

const OWN_TYPE = /^application\/vnd\.svc(?:\.v(?<version>\d+\.\d+\.\d+)\+json)?/i
const PREFIX = 'application/vnd.svc'

/** What an Accept header asks for; `undefined` when it names a version of the service that does not exist (§9). */
export function versionOf(accept: string | undefined): ApiVersion | undefined {
  if (accept === undefined || !accept.toLowerCase().includes(PREFIX)) return SERVICE_DEFAULT_VERSION
  const own = accept
    .split(',')
    .map((entry) => entry.split(';')[0]?.trim() ?? '')
    .filter((type) => type.toLowerCase().startsWith(PREFIX))
  for (const type of own) {
    const match = OWN_TYPE.exec(type)
    const version = match?.[0].length === type.length ? match.groups?.['version'] : undefined
    if (isApiVersion(version)) return version
  }
  return undefined
}

/** The rule of the Accept header in words. */
export const ACCEPT_RULE = `Accept must name a version of the service: ${API_VERSIONS.map(
  (version) => `application/vnd.svc.v${version}+json`,
).join(' or ')}`
