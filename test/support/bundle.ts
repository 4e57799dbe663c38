import { mkdtemp, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Programs that Node can run. */
export interface Bundle {
  /** Returns the path of the bundled program. */
  readonly pathOf: (entry: URL) => string
  readonly remove: () => Promise<void>
}

/**
 * Bundles programs of this repository, because a process that transforms every module with tsx takes seconds of CPU
 * time to start. The bundle is in the folder of the project, so that it finds the packages.
 */
export async function bundle(...entries: readonly URL[]): Promise<Bundle> {
  const folder = await mkdtemp(join(ROOT, 'node_modules', '.bundle-')).catch(() =>
    mkdtemp(join(ROOT, '.bundle-')),
  )
  await build({
    entryPoints: entries.map((entry) => fileURLToPath(entry)),
    outdir: folder,
    outbase: ROOT,
    outExtension: { '.js': '.mjs' },
    tsconfig: join(ROOT, 'tsconfig.json'),
    ...{ bundle: true, splitting: true, packages: 'external' },
    ...{ platform: 'node', format: 'esm', target: 'node20' },
  })
  return {
    pathOf: (entry) => join(folder, relative(ROOT, fileURLToPath(entry)).replace(/\.ts$/, '.mjs')),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
