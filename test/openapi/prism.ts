import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

import { onTestFinished } from 'vitest'

const PRISM = fileURLToPath(
  new URL('../tools/node_modules/@stoplight/prism-cli/dist/index.js', import.meta.url),
)
const DOCUMENT = fileURLToPath(new URL('../../openapi.json', import.meta.url))

/** A server of Prism with the document. */
export interface Prism {
  readonly url: string
}

/** Starts Prism with the document; it ends with the test. */
export async function startPrism(command: 'mock' | 'proxy', ...more: readonly string[]): Promise<Prism> {
  const port = await freePort()
  const child = spawn(process.execPath, [PRISM, command, DOCUMENT, ...more, '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill())
  let log = ''
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      log += chunk.toString()
      if (log.includes('Prism is listening')) resolve()
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.on('exit', () => reject(new Error(`prism ${command} ended: ${log}`)))
  })
  return { url: `http://127.0.0.1:${port}` }
}

function freePort(): Promise<number> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0))
    })
  })
}
