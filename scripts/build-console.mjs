// Bundles the page of the fake's console: esbuild makes one script, one style sheet and one page of it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const source = (/** @type {string} */ path) =>
  fileURLToPath(new URL(`../src/testing/${path}`, import.meta.url))

/** Files with the interfaces of the fake's options. */
const OPTION_FILES = [
  'server/options.ts',
  'auth/access-tokens.ts',
  'options/orders-options.ts',
  'options/directory-options.ts',
]

/**
 * Bundles the fake's console into one page, one script and one style sheet, so that it needs no library at run time.
 * Returns the files by name.
 *
 * @returns {Promise<Record<string, string>>}
 */
export async function bundleConsole() {
  const { outputFiles } = await build({
    absWorkingDir: source('console/page'),
    entryPoints: [
      { in: 'main.tsx', out: 'console' },
      { in: 'console.css', out: 'console' },
    ],
    outdir: '/',
    write: false,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { OPTION_TEXTS: JSON.stringify(optionTexts()) },
    logLevel: 'warning',
  })
  const files = outputFiles.map(({ path, text }) => [path.replace(/^.*[\\/]/, ''), text])
  return {
    ...Object.fromEntries(files),
    'index.html': readFileSync(source('console/page/index.html'), 'utf8'),
  }
}

/** @param {string} directory output directory of the page */
export async function buildConsole(directory) {
  mkdirSync(directory, { recursive: true })
  for (const [name, text] of Object.entries(await bundleConsole())) writeFileSync(join(directory, name), text)
}

/** Returns the first sentence of each option's docstring. */
function optionTexts() {
  return Object.fromEntries(optionDocs().map(([name, words]) => [name, firstSentence(words)]))
}

/**
 * Returns the docstrings in the files with the fake's options, which also have other fields.
 *
 * @returns {[name: string, docstring: string][]}
 */
export function optionDocs() {
  return OPTION_FILES.flatMap((file) => {
    const docs = readFileSync(source(file), 'utf8').matchAll(
      /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s+readonly (\w+)/g,
    )
    return [...docs].map(
      ([, words = '', name = '']) =>
        /** @type {[string, string]} */ ([name, words.replaceAll(/\n\s*\* ?/g, '\n').trim()]),
    )
  })
}

/** @param {string} words */
function firstSentence(words) {
  const text = words.replaceAll(/\s+/g, ' ').replaceAll('`', '')
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text
}
