import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

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

type Entry = [path: string, file: readonly [name: string, type: string]]

const entry = (name: string, type: string): Entry => [`/${name}`, [name, `${type}; charset=utf-8`]]

/** The files of the console page by path; `/` is the page itself. */
const FILES: ReadonlyMap<string, Entry[1]> = new Map([
  ['/', ['index.html', 'text/html; charset=utf-8']] satisfies Entry,
  ...['console', 'theme', 'base', 'frame', 'views', 'records', 'narrow'].map((name) =>
    entry(`${name}.css`, 'text/css'),
  ),
  ...[
    'console',
    'biomarkers',
    'control',
    'controls',
    'commands',
    'curl',
    'deliveries',
    'directory',
    'dom',
    'faults',
    'format',
    'home',
    'keys',
    'lists',
    'notes',
    'order-form',
    'parts',
    'referrals',
    'requests',
    'results',
    'settings',
    'views',
  ].map((name) => entry(`${name}.js`, 'text/javascript')),
])

/** Folder of the files, relative to a source file and to a built file. */
const FOLDERS = ['page', 'console']

/** Returns a file of the console page; `undefined` if the path is unknown or the file is missing. */
export function consoleAsset(path: string): ConsoleAsset | undefined {
  const [file, type] = FILES.get(path) ?? []
  if (file === undefined || type === undefined) return undefined
  const body = readFrom(FOLDERS, file)
  return body === undefined ? undefined : { headers: { ...HEADERS, 'content-type': type }, body }
}

function readFrom(folders: readonly string[], file: string): ConsoleAsset['body'] | undefined {
  // In the CommonJS build `import.meta` is empty, so `__filename` is used.
  const here = dirname(import.meta.url === undefined ? __filename : fileURLToPath(import.meta.url))
  for (const folder of folders) {
    try {
      return readFileSync(join(here, folder, file))
    } catch (error) {
      if (!(error instanceof Error && Reflect.get(error, 'code') === 'ENOENT')) throw error
    }
  }
  return undefined
}
