import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { buildConsole } from './build-console.mjs'

const require = createRequire(import.meta.url)

/** @param {string} name */
const dist = (name) => fileURLToPath(new URL(`../dist/${name}`, import.meta.url))

/**
 * The fake is built once, as CommonJS, because it is large and is not bundled. An ES module re-exports its
 * names. So both kinds of modules share one fake.
 */
function wrapTesting() {
  const names = Object.keys(require(dist('testing.cjs'))).sort()
  writeFileSync(
    dist('testing.js'),
    `import testing from './testing.cjs'\nexport const { ${names.join(', ')} } = testing\n`,
  )
}

/**
 * One set of declarations serves both kinds of modules, except for the fake: msw declares its handlers once
 * for each kind, and the two are not compatible.
 */
function wrapTypes() {
  for (const name of ['index', 'webhooks', 'redis', 'postgres', 'mirror']) {
    writeFileSync(dist(`${name}.d.ts`), `export * from './${name}.cjs'\n`)
  }
  copyFileSync(dist('testing.d.cts'), dist('testing.d.ts'))
}

/**
 * msw is an optional peer. The declarations that name its types must also compile for users who check
 * libraries and have not installed it. So the import is marked, and the types become `any` there.
 */
function markOptionalPeer() {
  const path = dist('testing.d.cts')
  const text = readFileSync(path, 'utf8')
  const marked = text.replace(
    /^import .* from 'msw';$/m,
    (line) => `// @ts-ignore: an optional peer dependency\n${line}`,
  )
  if (marked === text) throw new Error('testing.d.cts no longer imports msw: drop this step')
  writeFileSync(path, marked)
}

/** Bundled packages keep the licence notices of their authors. */
function collectLicences() {
  const notices = ['jose', 'p-retry', 'is-network-error', 'commander', 'papaparse'].map((name) => {
    const folder = fileURLToPath(new URL(`../node_modules/${name}/`, import.meta.url))
    const file = readdirSync(folder).find((candidate) => /^licen[cs]e/i.test(candidate))
    if (file === undefined) throw new Error(`${name} has no licence to hand on`)
    return `${name}\n\n${readFileSync(folder + file, 'utf8')}`
  })
  writeFileSync(dist('THIRD-PARTY-LICENCES.txt'), notices.join('\n---\n\n'))
}

/** Writes the OpenAPI document without white space. */
function publishOpenApi() {
  const text = readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')
  writeFileSync(dist('openapi.json'), JSON.stringify(JSON.parse(text)))
}

publishOpenApi()
wrapTesting()
markOptionalPeer()
wrapTypes()
collectLicences()
await buildConsole(dist('console'))
