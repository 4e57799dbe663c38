import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, symlinkSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anchorOf } from '../../docs/.vitepress/markdown.mjs'
import { relativeLinks } from '../../scripts/readme-links.mjs'
import { makeConsumer, pack, ROOT, run } from './consumer.js'

const MINUTE_MS = 60_000

/** Makes Node refuse `require()` of an ES module, as the oldest supported releases do. */
const WITHOUT_REQUIRE_OF_ESM = process.allowedNodeEnvironmentFlags.has('--experimental-require-module')
  ? ['--no-experimental-require-module']
  : []

/** The banner that the guide to webhooks gives for ES modules on Lambda. */
const BANNER = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

/** Packages and modules of Node that a built entry loads at import, without those that it loads later. */
async function loadedAtImport(entry: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [join(ROOT, 'dist', entry)],
    bundle: true,
    write: false,
    outdir: 'unused',
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    metafile: true,
    logLevel: 'error',
  })
  const files = new Set<string>()
  const external = new Set<string>()
  const visit = (file: string): void => {
    if (files.has(file)) return
    files.add(file)
    for (const { path, kind, external: isExternal } of metafile.outputs[file]?.imports ?? []) {
      if (kind !== 'import-statement') continue
      if (isExternal === true) external.add(path)
      else visit(path)
    }
  }
  const [first] = Object.entries(metafile.outputs).filter(([, { entryPoint }]) => entryPoint?.endsWith(entry))
  visit(first?.[0] ?? '')
  return [...external].sort()
}

it.each([
  ['index.js', /^(node:|p-retry$)/],
  ['webhooks.js', /^$/],
])('the built %s loads no large module at import', async (entry, allowed) => {
  expect(existsSync(join(ROOT, 'dist', entry)), 'run npm run build first').toBe(true)
  expect((await loadedAtImport(entry)).filter((name) => !allowed.test(name))).toEqual([])
})

/** Text without its code blocks, in which nothing is a link or a heading. */
const withoutCode = (text: string) => text.replaceAll(/^(`{3,})[^`]*$[\s\S]*?^\1$/gm, '')

const anchorsIn = (text: string) =>
  [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))

/** Links of a page that lead to no file of the package, or to no heading of a page. */
function broken(page: string, pages: ReadonlyMap<string, string>, files: ReadonlySet<string>): string[] {
  return relativeLinks(withoutCode(pages.get(page) ?? '')).filter((link) => {
    const [path = '', anchor] = link.split('#')
    const target = posix.join(posix.dirname(page), path)
    const text = pages.get(target)
    return (
      !files.has(target) || (anchor !== undefined && text !== undefined && !anchorsIn(text).includes(anchor))
    )
  })
}

describe('the packed package in a project of its own', { timeout: MINUTE_MS }, () => {
  let directory = ''
  let files: ReadonlySet<string> = new Set()
  const pages = new Map<string, string>()
  const node = async (...args: readonly string[]): Promise<void> => {
    await run(process.execPath, args, directory)
  }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pathology-sdk-package-'))
    const tarball = await pack(directory)
    const list = await run('tar', ['-tzf', tarball], directory)
    files = new Set(list.split('\n').map((name) => name.replace('package/', '')))
    for (const name of files)
      if (name.endsWith('.md')) pages.set(name, await readFile(join(ROOT, name), 'utf8'))
    await makeConsumer(directory, [tarball])
  }, 3 * MINUTE_MS)
  afterAll(() => rm(directory, { recursive: true, force: true }))

  it('the packed pages include every guide, and link only to pages and images of the package', () => {
    expect([...pages.keys()].filter((page) => page.startsWith('docs/guides/')).length).toBeGreaterThan(15)
    const found = [...pages.keys()]
      // A release makes the links of these two absolute, or leaves them to the repository: see readme-links.mjs.
      .filter((page) => page !== 'README.md' && page !== 'SECURITY.md')
      .flatMap((page) => broken(page, pages, files).map((link) => `${page}: ${link}`))
    expect(found).toEqual([])
  })

  it('the packed pages include the guides that the README names', () => {
    const guides = relativeLinks(pages.get('README.md') ?? '').filter((link) =>
      link.startsWith('docs/guides/'),
    )
    expect(guides.length).toBeGreaterThan(10)
    expect(broken('README.md', pages, files).filter((link) => link.startsWith('docs/guides/'))).toEqual([])
  })

  it('a link to a missing page, and one to a missing heading, are found', () => {
    const made = new Map([
      ['docs/a.md', '[x](b.md) [y](c.md#no) [z](c.md#yes)'],
      ['docs/c.md', '# Yes'],
    ])
    expect(broken('docs/a.md', made, new Set(['docs/c.md']))).toEqual(['b.md', 'c.md#no'])
  })

  it('the packed pages take 400 kB at most', () => {
    const bytes = [...pages.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    expect(bytes).toBeLessThan(400_000)
  })

  it('the packed package works as ES modules, in every entry', () => node('esm.mjs'))

  it('the packed package works as CommonJS, in every entry', () =>
    node(...WITHOUT_REQUIRE_OF_ESM, 'commonjs.cjs'))

  it('the packed package has a command that starts the fake', async () => {
    expect(await run(join(directory, 'node_modules/.bin/pathology-fake'), ['--help'], directory)).toContain(
      '--port',
    )
  })

  it.each(['pathology', 'pathology-sdk'])(
    'the packed package has the command %s, in any directory',
    async (name) => {
      const command = join(directory, 'node_modules/.bin', name)
      expect(await run(command, ['--help'], tmpdir())).toContain('referrals')
      expect(await run(command, ['check', 'medicare', '2950275661'], directory)).toBe('valid\n')
    },
  )

  it('an uncaught error of the packed package prints short lines', () => {
    const { stderr } = spawnSync(process.execPath, ['uncaught.mjs'], { cwd: directory, encoding: 'utf8' })
    expect(stderr).toContain('ConfigurationError: baseUrl')
    expect(Math.max(...stderr.split('\n').map((line) => line.length))).toBeLessThan(500)
  })

  it.each([
    ['cjs', 'bundle.cjs', ''],
    ['esm', 'bundle.mjs', BANNER],
  ] as const)('the packed package works in a bundle by esbuild: %s', async (format, file, js) => {
    const outfile = join(directory, 'bundles', file)
    await build({
      ...{ entryPoints: [join(directory, 'bundled.mjs')], outfile, format, banner: { js } },
      ...{ bundle: true, platform: 'node', target: 'node20' },
    })
    await node(outfile)
  })

  describe('its types', () => {
    const flags = [
      ...[
        '--noEmit',
        '--strict',
        '--exactOptionalPropertyTypes',
        '--module',
        'nodenext',
        '--target',
        'es2022',
      ],
      ...['--lib', 'es2023,esnext.disposable', '--types', 'node'],
      ...['--typeRoots', join(ROOT, 'node_modules/@types')],
    ]

    const compiler = (folder: string): string => join(ROOT, 'node_modules', folder, 'bin/tsc')

    it.each(['typescript', 'typescript-7'])(
      'the packed types compile in ES modules and in CommonJS: %s',
      async (folder) => {
        copyFileSync(join(directory, 'surface.mts'), join(directory, 'surface.cts'))
        await node(compiler(folder), ...flags, 'surface.mts', 'surface.cts')
      },
    )

    it('the packed types are compatible with MSW in ES modules and in CommonJS', async () => {
      symlinkSync(join(ROOT, 'node_modules/msw'), join(directory, 'node_modules/msw'))
      copyFileSync(join(directory, 'msw.mts'), join(directory, 'msw.cts'))
      await node(compiler('typescript-7'), ...flags, '--skipLibCheck', 'msw.mts', 'msw.cts')
    })
  })

  // This test is the last one, because it removes node_modules for a while.
  it.each(['esm', 'commonjs'])('the packed package needs none of its files after warmUp(): %s', (kind) =>
    node('without-files.mjs', kind),
  )
})
