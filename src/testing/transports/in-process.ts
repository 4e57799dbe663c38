import type { FakeServer, Origins, ServicePart } from '../server/http.js'

/** Origins of a fake without an HTTP server. DNS never resolves these host names. */
export const TEST_ORIGINS: Origins = {
  api: 'https://api.pathology-fake.test',
  auth: 'https://auth.pathology-fake.test',
  documents: 'https://documents.pathology-fake.test',
}

const PARTS: readonly ServicePart[] = ['api', 'auth', 'documents']

/**
 * Returns the part of the service and the path that a URL addresses; `undefined` for a URL that the fake does not
 * serve.
 */
export function partOf(
  server: FakeServer,
  url: URL,
): { readonly part: ServicePart; readonly target: string } | undefined {
  for (const origins of [server.origins, TEST_ORIGINS]) {
    // Compares the longest base first, because an HTTP server has the token service under a path of the API's origin.
    const bases = PARTS.map((part) => ({ part, base: origins[part] })).sort(
      (a, b) => b.base.length - a.base.length,
    )
    const found = bases.find(({ base }) => isUnder(url, base))
    if (found === undefined) continue
    const target = url.href.slice(found.base.length)
    const atRoot = found.part === 'api' && target.startsWith('/oauth/')
    return { part: atRoot ? 'auth' : found.part, target: withoutFragment(target) }
  }
  return undefined
}

/**
 * Returns the error of a request to a closed fake; `undefined` for an open fake. The error has the code of a connection
 * to a port on which no server listens.
 */
export function closedError({ closed }: FakeServer): Error | undefined {
  if (!closed.aborted) return undefined
  return Object.assign(new Error('the fake is closed'), { code: 'ECONNREFUSED', syscall: 'connect' })
}

/** Returns the error message for a URL that the fake does not serve. In-process transports never use the network. */
export function foreignUrlMessage(server: FakeServer, origin: string): string {
  const own = new Set([...Object.values(server.origins), ...Object.values(TEST_ORIGINS)])
  return `the fake does not serve ${origin}, and the request was not sent to the network; the fake serves ${[...own].join(', ')}`
}

function isUnder(url: URL, base: string): boolean {
  return url.href === base || url.href.startsWith(`${base}/`) || url.href.startsWith(`${base}?`)
}

function withoutFragment(target: string): string {
  const fragmentStart = target.indexOf('#')
  return fragmentStart === -1 ? target : target.slice(0, fragmentStart)
}
