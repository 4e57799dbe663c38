import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attempt, makeConsumer, pack } from './consumer.js'

/** The oldest supported compiler, the project's own, and the newest. */
const COMPILERS = ['5.2', '5.9', 'latest']

/** A user's project: how it finds the package, and its files. */
interface Project {
  readonly name: string
  readonly options: Readonly<Record<string, unknown>>
  readonly files: readonly string[]
}

const PROJECTS: readonly Project[] = [
  { name: 'node16', options: { module: 'node16' }, files: ['surface.mts', 'surface.cts'] },
  { name: 'nodenext', options: { module: 'nodenext' }, files: ['surface.mts', 'surface.cts'] },
  { name: 'bundler', options: { module: 'esnext', moduleResolution: 'bundler' }, files: ['surface.mts'] },
  {
    name: "bundler without Node's types",
    options: { module: 'esnext', moduleResolution: 'bundler', types: [], lib: ['es2022', 'dom'] },
    files: ['worker.mts'],
  },
  {
    // Reads `typesVersions` instead of `exports`. TypeScript 7 no longer has it, and 6 warns.
    name: 'node10',
    options: { module: 'commonjs', moduleResolution: 'node10', esModuleInterop: true },
    files: ['surface.cts'],
  },
]

const OPTIONS = {
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  target: 'es2022',
  lib: ['es2023'],
  types: ['node'],
}

const folderOf = (version: string): string => `typescript-${version.replace('.', '-')}`

describe.each(COMPILERS)('the packed declarations under TypeScript %s', (version) => {
  let directory = ''

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pathology-sdk-types-'))
    const compiler = `${folderOf(version)}@npm:typescript@${version}`
    await makeConsumer(directory, [await pack(directory), '@types/node@20', compiler])
    await copyFile(join(directory, 'surface.mts'), join(directory, 'surface.cts'))
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  const projects = PROJECTS.filter(({ name }) => name !== 'node10' || version !== 'latest')
  it.each(projects)(
    'the packed declarations compile in a project of the kind $name',
    async ({ options, files }) => {
      const tsconfig = { compilerOptions: { ...OPTIONS, ...options }, files }
      await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(tsconfig))
      const tsc = join('node_modules', folderOf(version), 'bin', 'tsc')
      const { ok, output } = await attempt(process.execPath, [tsc, '-p', '.'], directory)
      const problems = output.split('\n').filter((line) => /error TS\d+/.test(line))
      // Errors in the declarations of other packages do not count.
      const ours = problems.filter(
        (line) => !line.startsWith('node_modules/') || line.includes('/pathology-sdk/'),
      )
      expect(ours).toEqual([])
      expect(ok || problems.length > 0, output).toBe(true)
    },
  )
})
