// Pages of the site that are generated from other files: the API in short, the examples and the HTTP interface.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const REFERENCE = 'docs/reference/pathology-sdk'

/** The sentences of `docs/api.md` about its links to the sources. The page of the site has no such links. */
const ABOUT_LINKS = /, with one line and a link[^.]*\. The docstrings[^.]*\./

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

/**
 * @typedef {{ operationId: string, tags: string[], summary: string, description?: string }} Operation
 * @typedef {{ tags: { name: string, description: string }[], info: { description: string }, paths: Record<string,
 *   Record<string, Operation>>, }} OpenApi
 */

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/** @param {Operation} operation */
const anchorOf = ({ operationId }) => operationId.replace('.', '-').toLowerCase()

/** Returns the pages of the HTTP interface, one for each tag, by path. */
export function httpPages() {
  /** @type {OpenApi} */
  const api = JSON.parse(read('openapi.json'))
  const operations = Object.entries(api.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      return operation === undefined ? [] : [{ method: method.toUpperCase(), path, operation }]
    }),
  )
  const pages = api.tags.flatMap(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name))
    if (own.length === 0) return []
    const list = own.map(({ operation }) => `- [${operation.summary}](#${anchorOf(operation)})`)
    const sections = own.map(
      ({ operation }) =>
        `## ${operation.summary} {#${anchorOf(operation)}}\n\n${operation.description ?? ''}\n\n<HttpOperation id="${operation.operationId}" />\n`,
    )
    const title = `${name[0]?.toUpperCase()}${name.slice(1)}`
    return [
      {
        name,
        title,
        description,
        text: `---\naside: false\n---\n\n# ${title}\n\n${description}\n\n${list.join('\n')}\n\n${sections.join('\n')}`,
        own,
      },
    ]
  })
  const rows = pages.flatMap(({ name, own }) =>
    own.map(
      ({ method, path, operation }) =>
        `| \`${method}\` | [\`${path}\`](${name}.md#${anchorOf(operation)}) | ${operation.summary} |`,
    ),
  )
  const index = `# HTTP interface\n\n${api.info.description}\n\n[The OpenAPI document](/openapi.json) is in the package too, as \`pathology-sdk/openapi.json\`.\n\n| Method | Path | Summary |\n|---|---|---|\n${rows.join('\n')}\n`
  return [
    /** @type {const} */ (['docs/reference/http/index.md', index]),
    ...pages.map(({ name, text }) => /** @type {const} */ ([`docs/reference/http/${name}.md`, text])),
  ]
}
