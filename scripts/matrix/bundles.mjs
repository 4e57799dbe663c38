import { join } from 'node:path'
import { build } from 'esbuild'
import { ROOT } from '../consumer.mjs'

/** Settings of the project's TypeScript would lead the bundler to the sources instead of the package. */
const shared = {
  bundle: true,
  target: 'node20.18',
  tsconfigRaw: '{}',
  logLevel: /** @type {const} */ ('silent'),
}

/**
 * Bundles the checks for both kinds of modules, and for Jest; the package itself is left to the runtime.
 *
 * @param {string} directory the project that has the package installed
 */
export async function writeChecks(directory) {
  for (const [source, format, name] of /** @type {const} */ ([
    ['run.ts', 'esm', 'run.mjs'],
    ['run.ts', 'cjs', 'run.cjs'],
    ['jest.ts', 'cjs', 'checks.test.js'],
  ])) {
    await build({
      ...shared,
      entryPoints: [join(ROOT, 'test/matrix', source)],
      outfile: join(directory, name),
      format,
      platform: 'node',
      packages: 'external',
    })
  }
}

/**
 * One file with the checks of `./webhooks` and that entry in it; a module of Node in it is an error.
 *
 * @param {string} directory the project that has the package installed
 */
export async function bundledWorker(directory) {
  const { outputFiles } = await build({
    ...shared,
    entryPoints: [join(ROOT, 'test/matrix/worker.ts')],
    nodePaths: [join(directory, 'node_modules')],
    format: 'esm',
    platform: 'neutral',
    write: false,
  })
  return outputFiles.map(({ text }) => text).join('')
}
