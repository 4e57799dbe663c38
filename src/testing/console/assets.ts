import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import type { ConsoleAsset } from '../control/control-server.js'

/** Content security policy: the page loads only from its own origin and runs no inline script. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS = {
  'cache-control': 'no-cache',
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

/** The files of the page by path, with their types. */
const FILES: ReadonlyMap<string, readonly [file: string, type: string]> = new Map([
  ['/', ['index.html', 'text/html']],
  ['/console.css', ['console.css', 'text/css']],
  ['/console.js', ['console.js', 'text/javascript']],
])

type Files = Readonly<Record<string, string>>

/** Returns a function that finds a file of the console's page; `undefined` for an unknown path. */
export function consoleAssets(): (path: string) => Promise<ConsoleAsset | undefined> {
  // In the CommonJS build `import.meta` is empty, so `__filename` is used.
  const here = dirname(import.meta.url === undefined ? __filename : fileURLToPath(import.meta.url))
  let fromSource: Promise<Files> | undefined
  return async (path) => {
    const [file, type] = FILES.get(path) ?? []
    if (file === undefined) return undefined
    const built = await readFile(join(here, 'console', file), 'utf8').catch(() => undefined)
    fromSource ??= built === undefined ? bundleSource(here) : undefined
    const body = built ?? (await fromSource)?.[file]
    return body === undefined
      ? undefined
      : { headers: { ...HEADERS, 'content-type': `${type}; charset=utf-8` }, body }
  }
}

/** Bundles the page in this repository, where the fake runs from its sources and nothing is built. */
async function bundleSource(here: string): Promise<Files> {
  const script = pathToFileURL(join(here, '../../../scripts/build-console.mjs')).href
  const { bundleConsole }: { bundleConsole: () => Promise<Files> } = await import(script)
  return bundleConsole()
}
