import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const page = fileURLToPath(new URL('../src/testing/console/page', import.meta.url))

/**
 * The fake's console runs directly from its sources. In the package it is one script and one style sheet:
 * fewer and smaller files, which load faster.
 *
 * @param {string} directory output directory of the page
 */
export async function buildConsole(directory) {
  await build({
    absWorkingDir: page,
    entryPoints: ['console.js', 'console.css'],
    outdir: directory,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'warning',
  })
  const html = readFileSync(join(page, 'index.html'), 'utf8')
  const isOfParts = /rel="modulepreload"|as="style"/
  const lines = html.split('\n').filter((line) => !isOfParts.test(line))
  writeFileSync(join(directory, 'index.html'), lines.join('\n'))
}
