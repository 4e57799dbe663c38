import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const cli = fileURLToPath(new URL('../../dist/pathology-fake.cjs', import.meta.url))

/**
 * Starts the fake in a process of its own. Returns the options of a client, and a function that ends the process.
 * @param {readonly string[]} flags
 */
export async function startFake(flags) {
  const child = spawn(process.execPath, [cli, '--port', '0', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout, 'data')
  const { baseUrl, authUrl, clientId, clientSecret } = JSON.parse(String(line))
  return { options: { baseUrl, authUrl, clientId, clientSecret }, stop: () => child.kill() }
}
