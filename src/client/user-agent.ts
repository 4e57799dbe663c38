import { ownOptions } from '../common/known-options.js'
import { ConfigurationError } from './errors/errors.js'
import type { AppInfo } from './options.js'
import { VERSION } from './version.js'

const VISIBLE_ASCII = /^[\x20-\x7e]+$/

/** Returns the User-Agent header: this package, the runtime, and the application if it has a name. */
export function userAgent(appInfo: AppInfo | undefined): string {
  const own = `pathology-sdk/${VERSION} (${runtime()})`
  if (appInfo === undefined) return own
  const { name, version, url } = ownOptions('appInfo', appInfo)
  for (const [field, value] of Object.entries({ name, version, url })) {
    const missing = value === undefined && field !== 'name'
    if (!missing && (typeof value !== 'string' || !VISIBLE_ASCII.test(value))) {
      throw new ConfigurationError(`appInfo.${field} must be a string of visible ASCII characters`)
    }
  }
  return `${own} ${name}${version === undefined ? '' : `/${version}`}${url === undefined ? '' : ` (${url})`}`
}

function runtime(): string {
  const { versions } = globalThis.process ?? {}
  if (versions?.['bun'] !== undefined) return `bun ${versions['bun']}`
  if (versions?.['deno'] !== undefined) return `deno ${versions['deno']}`
  return versions?.node === undefined ? 'unknown runtime' : `node ${versions.node}`
}
