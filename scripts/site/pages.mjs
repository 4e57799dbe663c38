// Pages of the site that are generated from other files: the API in short and the examples.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { GUIDES } from '../../docs/.vitepress/navigation.mjs'
import { descriptionOf, titleOf } from '../../docs/.vitepress/pages.mjs'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const REFERENCE = 'docs/reference/pathology-sdk'

/** The sentences of `docs/api.md` about its links to the sources. The page of the site has no such links. */
const ABOUT_LINKS = /, with one line and a link[^.]*\. The\s+> docstrings[^.]*\./

/** @param {string} path */
export const read = (path) => readFileSync(join(ROOT, path), 'utf8')

/**
 * Returns `docs/api.md` with links to the reference in place of links to the sources.
 *
 * @param {ReadonlyMap<string, string>} resources pages of the resources, by names such as `client.referrals`
 */
export function apiInShort(resources) {
  let [folder, root] = [REFERENCE, '']
  const page = read('docs/api.md')
  if (!ABOUT_LINKS.test(page)) throw new Error('docs/api.md no longer explains its links: change ABOUT_LINKS')
  return page
    .replace(ABOUT_LINKS, ', with one line for each.')
    .split('\n')
    .map((line) => {
      const entry = /^## pathology-sdk(?:\/(\w+))?$/.exec(line)
      if (entry !== null) folder = entry[1] === undefined ? REFERENCE : `${REFERENCE}/${entry[1]}`
      root = /^### (\w+)$/.exec(line)?.[1] ?? root
      return line.replace(/^- \[`([\w.]+)(\(.*?\))`\]\(\S+?\)/, (_, name, parameters) => {
        const link = referenceOf(name.split('.'), folder, root, resources)
        return `- [\`${name}${parameters}\`](${link.replace('docs/', '')})`
      })
    })
    .join('\n')
}

/**
 * @param {readonly string[]} names
 * @param {string} folder
 * @param {string} root
 * @param {ReadonlyMap<string, string>} resources
 */
function referenceOf(names, folder, root, resources) {
  const [first = '', second = '', third] = names
  const resource = resources.get(`${first}.${second}`)
  if (resource !== undefined) return `${resource}#${third?.toLowerCase()}`
  const isFunction = root === 'Functions'
  const kinds = isFunction ? ['functions', 'variables'] : ['classes', 'interfaces', 'type-aliases']
  const [page] = kinds.flatMap((kind) => pagesOf(`/${kind}/${isFunction ? first : root}.md`, folder))
  if (page === undefined) throw new Error(`the reference has no page for ${names.join('.')}`)
  if (isFunction) return page
  const isHeading = read(page).includes(`\n### ${second}`)
  return `${page}#${isHeading ? '' : 'property-'}${second.toLowerCase()}`
}

/**
 * Returns the pages whose paths have an ending. Pages of `folder` are first, because several entries can export the
 * same name.
 *
 * @param {string} ending
 * @param {string} folder
 */
function pagesOf(ending, folder) {
  const found = readdirSync(join(ROOT, REFERENCE), { recursive: true, encoding: 'utf8' })
    .map((path) => `${REFERENCE}/${path}`)
    .filter((path) => path.endsWith(ending))
  return found.sort((a, b) => Number(b.startsWith(folder)) - Number(a.startsWith(folder)))
}

const LANGUAGES = /\.(ts|mjs|js|json)$/

/** Returns pages with the code of the examples, by path. */
export function examplePages() {
  const folders = readdirSync(join(ROOT, 'examples'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  )
  const rows = read('examples/README.md').split('\n')
  return folders.map(({ name }) => {
    const about = rows.find((row) => row.startsWith(`| [${name}]`))?.split(' | ')[1]
    const files = readdirSync(join(ROOT, 'examples', name))
      .filter((file) => LANGUAGES.test(file))
      .sort(mainFirst)
    const sections = files.map((file) => {
      const [, language = ''] = LANGUAGES.exec(file) ?? []
      return `## ${file}\n\n\`\`\`${language.replace('mjs', 'js')}\n${read(`examples/${name}/${file}`).trimEnd()}\n\`\`\`\n`
    })
    const intro = about === undefined ? 'Parts that the examples share.' : `Example: ${about}.`
    return /** @type {const} */ ([
      `docs/reference/examples/${name}.md`,
      `# ${name}\n\n${intro}\n\n${sections.join('\n')}`,
    ])
  })
}

/** @param {string} a @param {string} b */
const mainFirst = (a, b) =>
  Number(b.startsWith('main.')) - Number(a.startsWith('main.')) || a.localeCompare(b)

/** Returns the list of pages for language models: each guide with its first paragraph. */
export function llmsText() {
  const { description } = /** @type {{ description: string }} */ (JSON.parse(read('package.json')))
  const groups = GUIDES.map(({ title, pages }) => {
    const rows = pages.map((path) => {
      const page = read(path)
      return `- [${titleOf(page)}](${path.replace('docs/', '/').replace(/md$/, 'html')}): ${descriptionOf(page)}`
    })
    return `## ${title}\n\n${rows.join('\n')}\n`
  })
  return `# pathology-sdk\n\n> ${description}\n\n${groups.join('\n')}`
}
