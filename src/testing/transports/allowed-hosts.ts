import type { IncomingMessage } from 'node:http'

const LOOPBACK_HOST = /^(?:(?:[a-z0-9-]+\.)*localhost\.?|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i
const LOOPBACK_ADDRESS = /^(?:(?:::ffff:)?127\.|::1$)/i
const HOST_NAME = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/i
const ALWAYS_ALLOWED = ['localhost', '*.localhost', '127.0.0.0/8', '[::1]']

/** Returns the error message for a Host that is not allowed; `undefined` for an allowed Host. */
export type HostCheck = (incoming: IncomingMessage) => string | undefined

/**
 * Returns `true` when a Host header names this machine: `localhost`, `*.localhost`, 127.0.0.0/8 or `[::1]`, with any
 * port.
 */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK_HOST.test(host)
}

/**
 * Checks the option `allowedHosts`.
 *
 * @throws RangeError - The value is not a list, or an entry is not a host name or has a port.
 */
export function checkAllowedHosts(names: unknown = []): void {
  const list: readonly unknown[] | undefined = Array.isArray(names) ? names : undefined
  const invalid = list?.findIndex((name) => typeof name !== 'string' || !HOST_NAME.test(name)) ?? 0
  if (invalid === -1) return
  throw new RangeError(
    `option 'allowedHosts' must be a list of host names without a port, not ${JSON.stringify(list === undefined ? names : list[invalid])}`,
  )
}

/**
 * Protects a server on a loopback address from DNS rebinding: a web page whose host name resolves to this machine, and
 * which sends that name as the Host. A server on another address is for other machines and accepts every Host, unless
 * `allowedHosts` is set.
 *
 * @param address - Address that the server listens on.
 */
export function createHostCheck(address: string, allowedHosts: readonly string[] | undefined): HostCheck {
  if (allowedHosts === undefined && !LOOPBACK_ADDRESS.test(address)) return () => undefined
  const allowed = new Set(allowedHosts?.map((name) => name.toLowerCase()))
  const names = [...ALWAYS_ALLOWED, ...allowed].join(', ')
  return ({ headers: { host = '' } }) => {
    if (isLoopbackHost(host) || allowed.has(host.replace(/:\d{1,5}$/, '').toLowerCase())) return undefined
    return `the Host '${host}' is not allowed; allowed: ${names}; the option 'allowedHosts' (--allowed-hosts) adds names`
  }
}
