import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build as esbuild } from 'esbuild'
import { FakePathologyService } from 'pathology-sdk/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { attempt, ROOT } from './consumer.js'

const tools = createRequire(join(ROOT, 'test/tools/package.json'))

/** Lists vendors and prints their number, or the error. */
const PROGRAM = `
import { PathologyClient } from 'pathology-sdk'
const client = new PathologyClient()
client.vendors.list().toArray().then(
  (vendors) => console.log('vendors:', vendors.length),
  (error) => console.log(error.name, error.code, error.message),
).finally(() => client.close())
`

const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

// biome-ignore lint/suspicious/noExplicitAny: the tools are not installed with the project.
type Tool = any

/** Loads a tool of `test/tools`; plugins have their function in different places. */
async function tool(name: string): Promise<Tool> {
  const module = await import(pathToFileURL(tools.resolve(name)).href)
  return module.default?.default ?? module.default ?? module
}

let directory = ''
let fake: FakePathologyService

async function runBundle(file: string): Promise<string> {
  const { baseUrl, authUrl, clientId, clientSecret } = fake.clientOptions()
  const variables = { BASE_URL: baseUrl, AUTH_URL: authUrl, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret }
  const settings = Object.entries(variables).map(([name, value]) => `PATHOLOGY_${name}=${value}`)
  const { output } = await attempt('env', [...settings, process.execPath, join(directory, file)], directory)
  return output
}

async function vite(outDir: string, commonjsOptions: object): Promise<void> {
  const { build } = await import(
    pathToFileURL(join(ROOT, 'test/tools/node_modules/vite/dist/node/index.js')).href
  )
  await build({
    configFile: false,
    root: directory,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: { ssr: 'main.mjs', outDir, minify: false, commonjsOptions },
  })
}

const BUNDLERS: Readonly<Record<string, () => Promise<string>>> = {
  esbuild: async () => {
    await esbuild({
      entryPoints: [join(directory, 'main.mjs')],
      outfile: join(directory, 'esbuild.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      banner: { js: REQUIRE },
      tsconfigRaw: '{}',
      logLevel: 'error',
    })
    return 'esbuild.mjs'
  },
  webpack: async () => {
    const webpack = await tool('webpack')
    const compiler = webpack({
      context: directory,
      entry: './main.mjs',
      mode: 'production',
      target: 'node20',
      optimization: { minimize: false },
      output: { path: join(directory, 'webpack'), filename: 'main.cjs' },
    })
    const stats = await new Promise<Tool>((resolve, reject) => {
      compiler.run((error: unknown, result: Tool) => (error ? reject(error) : resolve(result)))
    })
    expect(stats.toJson({ all: false, errors: true }).errors).toEqual([])
    return 'webpack/main.cjs'
  },
  Rollup: async () => {
    const { rollup } = await tool('rollup')
    const [resolve, commonjs, json] = await Promise.all(
      ['node-resolve', 'commonjs', 'json'].map((name) => tool(`@rollup/plugin-${name}`)),
    )
    const bundle = await rollup({
      input: join(directory, 'main.mjs'),
      onwarn: () => undefined,
      plugins: [
        resolve({ exportConditions: ['node'], preferBuiltins: true }),
        commonjs({ ignore: ['node:sqlite'] }),
        json(),
      ],
    })
    await bundle.write({ dir: join(directory, 'rollup'), format: 'es', entryFileNames: '[name].mjs' })
    return 'rollup/main.mjs'
  },
  Vite: async () => {
    await vite('vite', { ignore: ['node:sqlite'] })
    return existsSync(join(directory, 'vite/main.mjs')) ? 'vite/main.mjs' : 'vite/main.js'
  },
}

beforeAll(async () => {
  fake = await FakePathologyService.start()
  directory = await mkdtemp(join(tmpdir(), 'bundling-'))
  await writeFile(join(directory, 'package.json'), '{ "type": "module", "private": true }')
  await writeFile(join(directory, 'main.mjs'), PROGRAM)
  await mkdir(join(directory, 'node_modules'))
  await symlink(ROOT, join(directory, 'node_modules/pathology-sdk'))
})

afterAll(async () => {
  await fake.close()
  await rm(directory, { recursive: true, force: true })
})

it.each(Object.entries(BUNDLERS))(
  'a bundle with all dependencies, with the settings of the guide, works: %s',
  async (_, bundle) => {
    expect(await runBundle(await bundle())).toMatch(/^vendors: [1-9]/)
  },
)

it.skipIf(Number(process.versions.node.split('.')[0]) > 20)(
  'a bundle by Vite without the setting of the guide fails with an error that names the setting',
  async () => {
    await vite('vite-plain', {})
    const file = existsSync(join(directory, 'vite-plain/main.mjs')) ? 'main.mjs' : 'main.js'
    const output = await runBundle(`vite-plain/${file}`)
    expect(output).toContain('ConfigurationError MODULE_LOAD_FAILED')
    expect(output).toContain('commonjsOptions.ignore); see the guide "Bundling"')
  },
)
