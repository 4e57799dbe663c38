import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** @param {string} code @param {readonly string[]} external */
async function bundled(code, external) {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: join(root, 'bench') },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'node',
    external: [...external],
    logLevel: 'error',
  })
  return gzipSync(outputFiles[0]?.contents ?? '').length
}

/** @param {string} folder @returns {number} */
function bytesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name)
    if (entry.isSymbolicLink()) return sum
    return sum + (entry.isDirectory() ? bytesIn(path) : statSync(path).size)
  }, 0)
}

/** Measures the sizes of bundles, and of the package with its dependencies on the disk, in bytes. */
export async function sizes() {
  const own = ['undici', 'zod', 'jose', 'p-retry', 'jose/*']
  const [client, receiver, verifier, stripe, octokit] = await Promise.all([
    bundled("export { PathologyClient } from '../dist/index.js'", own),
    bundled("export { createWebhookReceiver } from '../dist/webhooks.js'", []),
    bundled("export { verifyWebhook } from '../dist/webhooks.js'", []),
    bundled("export { default } from 'stripe'", []),
    bundled("export { Octokit } from '@octokit/core'", []),
  ])
  const four = ['undici', 'zod', 'jose', 'p-retry', 'is-network-error']
  const dependencies = four.reduce((sum, name) => sum + bytesIn(join(root, 'node_modules', name)), 0)
  return {
    'in a bundle, gzip': { client, receiver, verifier, stripe, octokit },
    'on the disk': { 'this package': bytesIn(join(root, 'dist')), dependencies },
  }
}
