import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { ROOT } from '../packaging/consumer.js'

/** With the project's TypeScript options the bundler would use the sources instead of the package. */
const SHARED: BuildOptions = { bundle: true, target: 'node20.18', tsconfigRaw: '{}', logLevel: 'error' }

/** Writes the checks as ES module, as CommonJS and for Jest. The runtime loads the package itself. */
export async function writeChecks(directory: string): Promise<void> {
  const programs = [
    ['run.ts', 'esm', 'run.mjs'],
    ['run.ts', 'cjs', 'run.cjs'],
    ['jest.ts', 'cjs', 'checks.test.js'],
  ] as const
  for (const [source, format, name] of programs) {
    await build({
      ...SHARED,
      entryPoints: [join(ROOT, 'test/matrix', source)],
      outfile: join(directory, name),
      format,
      platform: 'node',
      packages: 'external',
    })
  }
}

/** Bundles the checks of `pathology-sdk/webhooks` with that entry. A module of Node in it is an error. */
export async function workerScript(project: string): Promise<string> {
  const { outputFiles } = await build({
    ...SHARED,
    entryPoints: [join(ROOT, 'test/matrix/worker.ts')],
    nodePaths: [join(project, 'node_modules')],
    format: 'esm',
    platform: 'neutral',
    write: false,
  })
  return outputFiles.map(({ text }) => text).join('')
}
