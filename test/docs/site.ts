import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { ROOT } from './blocks.js'

const SITE = join(ROOT, 'site')

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
}

/** Newest time at which a file of a folder was changed. */
function newest(folder: string): number {
  return Math.max(
    ...readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => !/node_modules|^reference|^public/.test(path))
      .map((path) => statSync(join(ROOT, folder, path)))
      .map((entry) => (entry.isFile() ? entry.mtimeMs : 0)),
  )
}

/**
 * Whether `npm run docs` ran after the last change of `docs/`. An older site does not show the present pages.
 */
export function isSiteBuilt(): boolean {
  const start = join(SITE, 'index.html')
  return existsSync(start) && statSync(start).mtimeMs > newest('docs')
}

/** Serves a folder, by default the built site, on loopback. */
export async function serveSite(folder = SITE): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const path = join(folder, normalize(decodeURIComponent(pathname)))
    const file = path.endsWith('/') ? join(path, 'index.html') : path
    if (!file.startsWith(folder) || !existsSync(file)) return void response.writeHead(404).end()
    response.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream')
    createReadStream(file).pipe(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return { url: `http://127.0.0.1:${address.port}`, close: () => server.close() }
}
