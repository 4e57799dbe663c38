// Completes dist/ after tsup, with what is specific to this package: npm run build
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { buildConsole } from './build-console.mjs'

const require = createRequire(import.meta.url)

/** @param {string} name */
const dist = (name) => fileURLToPath(new URL(`../dist/${name}`, import.meta.url))

/**
 * Writes an ES module that re-exports the fake. The fake is built only as CommonJS, because it is large. ES modules and
 * CommonJS modules then share one fake.
 */
function wrapTesting() {
  const names = Object.keys(require(dist('testing.cjs'))).sort()
  writeFileSync(
    dist('testing.js'),
    `import testing from './testing.cjs'\nexport const { ${names.join(', ')} } = testing\n`,
  )
}

/**
 * Writes the declarations for ES modules. They re-export the declarations for CommonJS. The declarations of the fake
 * are copied instead, because msw declares its handlers separately for each kind of module, and the two are not
 * compatible.
 */
function wrapTypes() {
  for (const name of ['index', 'forms', 'display', 'fhir', 'webhooks', 'redis', 'postgres', 'mirror']) {
    writeFileSync(dist(`${name}.d.ts`), `export * from './${name}.cjs'\n`)
  }
  copyFileSync(dist('testing.d.cts'), dist('testing.d.ts'))
}

/**
 * Adds a comment to the import of msw, an optional peer dependency, so that TypeScript ignores an error there. The
 * declarations then also compile for users without msw who check the types of libraries. For them, the types of msw
 * become `any`.
 */
function markOptionalPeer() {
  const path = dist('testing.d.cts')
  const text = readFileSync(path, 'utf8')
  const marked = text.replace(
    /^import .* from 'msw';$/m,
    (line) => `// @ts-ignore: an optional peer dependency\n${line}`,
  )
  if (marked === text) throw new Error('testing.d.cts no longer imports msw: remove markOptionalPeer')
  writeFileSync(path, marked)
}

/** Packages whose code is in `dist/`; those of Preact are in the console's page. */
const BUNDLED = [
  ...['jose', 'p-retry', 'is-network-error', 'commander', 'papaparse'],
  ...['preact', '@preact/signals', '@preact/signals-core'],
]

/** Writes the licences of the bundled packages, as these licences require. */
function collectLicences() {
  const notices = BUNDLED.map((name) => {
    const folder = fileURLToPath(new URL(`../node_modules/${name}/`, import.meta.url))
    const file = readdirSync(folder).find((candidate) => /^licen[cs]e/i.test(candidate))
    if (file === undefined)
      throw new Error(`the package ${name} has no licence file, and its licence must be included`)
    return `${name}\n\n${readFileSync(folder + file, 'utf8')}`
  })
  writeFileSync(dist('THIRD-PARTY-LICENCES.txt'), notices.join('\n---\n\n'))
}

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
