import { statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { loadedAtImport } from './loaded-at-import.mjs'

const dist = fileURLToPath(new URL('../dist', import.meta.url))

/**
 * What the package may cost, at most. The limits stand a little above what it costs at present: a change that needs
 * more raises them here, where a review sees it.
 *
 * @typedef {{ name: string, limit: number, unit: string, measure: () => number | Promise<number> }} Budget
 * @type {readonly Budget[]}
 */
export const BUDGETS = [
  {
    name: 'client in a bundle, without its dependencies',
    limit: 42_900,
    unit: 'bytes gzip',
    measure: () =>
      bundled("export { PathologyClient } from './index.js'", ['undici', 'zod', 'jose', 'p-retry']),
  },
  {
    name: 'verifyWebhook in a bundle, without any module of Node',
    limit: 3_072,
    unit: 'bytes gzip',
    measure: () => bundled("export { verifyWebhook } from './webhooks.js'"),
  },
  {
    name: 'createWebhookReceiver in a bundle, without any module of Node',
    limit: 8_300,
    unit: 'bytes gzip',
    measure: () => bundled("export { createWebhookReceiver } from './webhooks.js'"),
  },
  {
    name: 'files loaded by importing the client',
    limit: 8,
    unit: 'files',
    measure: () => filesAtImport('index.js'),
  },
  {
    name: 'bytes loaded by importing the client',
    limit: 147_500,
    unit: 'bytes',
    measure: () => bytesAtImport('index.js'),
  },
  {
    name: 'files loaded by importing ./webhooks',
    limit: 4,
    unit: 'files',
    measure: () => filesAtImport('webhooks.js'),
  },
  {
    name: 'bytes loaded by importing ./webhooks',
    limit: 28_500,
    unit: 'bytes',
    measure: () => bytesAtImport('webhooks.js'),
  },
]

/**
 * Measures everything, says it line by line, and throws with every limit that is passed.
 *
 * @param {readonly Budget[]} budgets
 */
export async function checkBudgets(budgets) {
  const over = []
  for (const { name, limit, unit, measure } of budgets) {
    const figure = await measure()
    const line = `${name}: ${figure} of at most ${limit} ${unit}`
    console.log(line)
    if (figure > limit) over.push(line)
  }
  if (over.length > 0) throw new Error(`Over budget:\n${over.join('\n')}`)
}

/**
 * Bytes that a module takes in a user's bundle: in one file, minified, compressed.
 *
 * @param {string} contents
 * @param {readonly string[]} [external] packages that stay out; without them Node's modules are refused
 */
async function bundled(contents, external) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: dist },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: external === undefined ? 'neutral' : 'node',
    target: 'es2022',
    external: [...(external ?? [])],
    legalComments: 'none',
    logLevel: 'error',
  })
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
}

/** @param {string} entry */
function filesAtImport(entry) {
  return loadedAtImport(join(dist, entry)).files.size
}

/** @param {string} entry */
function bytesAtImport(entry) {
  return [...loadedAtImport(join(dist, entry)).files].reduce((sum, file) => sum + statSync(file).size, 0)
}
