import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const page = fileURLToPath(new URL('../src/testing/console/page', import.meta.url))

/**
 * Bundles the fake's console into one script and one style sheet, so that the package has few and small files. In this
 * repository, the console runs directly from its sources.
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
  // The files that these lines preload are part of the bundle.
  const isPreload = /rel="modulepreload"|as="style"/
  const lines = html.split('\n').filter((line) => !isPreload.test(line))
  writeFileSync(join(directory, 'index.html'), lines.join('\n'))
}
