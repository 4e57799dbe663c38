import type { FakeCore, Origins } from '../core/fake-core.js'
import type { Door, FakeRequest } from '../server/http.js'

/** The origins of a fake that no server has started: names that resolve nowhere. */
export const TEST_ORIGINS: Origins = {
  api: 'https://api.pathology-fake.test',
  auth: 'https://auth.pathology-fake.test',
  documents: 'https://documents.pathology-fake.test',
}

const DOORS: readonly Door[] = ['api', 'auth', 'documents']

/** The door that a URL leads to, and the path behind it; `undefined` when it is not this fake's. */
export function doorOf(
  core: FakeCore,
  url: URL,
): { readonly door: Door; readonly target: string } | undefined {
  for (const origins of [core.origins, TEST_ORIGINS]) {
    // The longest base first: a started server has the token service under a path of the API's origin.
    const bases = DOORS.map((door) => ({ door, base: origins[door] })).sort(
      (a, b) => b.base.length - a.base.length,
    )
    const found = bases.find(({ base }) => isUnder(url, base))
    if (found === undefined) continue
    const target = url.href.slice(found.base.length)
    const atRoot = found.door === 'api' && target.startsWith('/oauth/')
    return { door: atRoot ? 'auth' : found.door, target: withoutFragment(target) }
  }
  return undefined
}

/** A request to the core, from its parts. */
export function inProcessRequest(
  place: { readonly door: Door; readonly target: string },
  method: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
): FakeRequest {
  return { ...place, method, headers, body }
}

/** The text of an error about a URL that is not the fake's: it never lets a request through to the network. */
export function foreignUrlMessage(core: FakeCore, origin: string): string {
  const own = new Set([...Object.values(core.origins), ...Object.values(TEST_ORIGINS)])
  return `the fake does not serve ${origin}, and lets nothing through to the network; it serves ${[...own].join(', ')}`
}

function isUnder(url: URL, base: string): boolean {
  return url.href === base || url.href.startsWith(`${base}/`) || url.href.startsWith(`${base}?`)
}

function withoutFragment(target: string): string {
  const mark = target.indexOf('#')
  return mark === -1 ? target : target.slice(0, mark)
}
