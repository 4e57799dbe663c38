// Titles, descriptions and side bars, read from the pages themselves.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { ROOT } from './links.mjs'
import { COPIED_PAGES, GUIDES, PROJECT, REFERENCE } from './navigation.mjs'

const GENERATED = 'docs/reference/pathology-sdk'
const MOST_CHARACTERS = 160

/** @param {string} path */
const read = (path) => readFileSync(join(ROOT, path), 'utf8')

/** Text without the marks of Markdown. @param {string} text */
const plain = (text) =>
  text
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]|\\(?=[_<>])/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** First heading of a page. @param {string} text */
export const titleOf = (text) => plain(/^# (.+)$/m.exec(text)?.[1] ?? '')

/**
 * First paragraph of a page, as long as search engines show it.
 *
 * @param {string} text
 */
export function descriptionOf(text) {
  const body = text.replace(/^---\n[\s\S]*?\n---\n/, '').replaceAll(/^(`{3,})[\s\S]*?^\1$/gm, '')
  const blocks = body.split(/\n{2,}/).map((block) => block.trim())
  const paragraph = blocks.find((block) => /^(?:> )?[A-Z`*[]/.test(block)) ?? ''
  const item = blocks.find((block) => block.startsWith('- '))?.split(/\n(?=- )/)[0] ?? ''
  const words = plain((paragraph || item).replaceAll(/^(?:> |- (?:\[ \] )?)/gm, ''))
  if (words.length <= MOST_CHARACTERS) return words
  const cut = words.slice(0, MOST_CHARACTERS)
  const sentence = cut.lastIndexOf('. ')
  return sentence > 60 ? cut.slice(0, sentence + 1) : `${cut.slice(0, cut.lastIndexOf(' '))} …`
}

/** @param {string} path */
function item(path) {
  const page = COPIED_PAGES[path] ?? path
  return { text: titleOf(read(path)), link: `/${posix.relative('docs', page)}` }
}

/** Pages of the HTTP interface, each with its operations. */
const httpPages = () =>
  pagesIn('docs/reference/http').map(({ text, link }) => ({
    text,
    link,
    collapsed: true,
    items: [...read(`docs${link}`).matchAll(/^## (.+) \{#(.+)\}$/gm)].map(([, title = '', anchor]) => ({
      text: title,
      link: `${link}#${anchor}`,
    })),
  }))

/** @param {import('./navigation.mjs').Group} group */
const section = ({ title, pages }) => ({ text: title, items: pages.map(item) })

/** Pages of a folder of the reference. @param {string} folder */
function pagesIn(folder) {
  if (!existsSync(join(ROOT, folder))) return []
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md') && name !== 'index.md')
    .map((name) => item(posix.join(folder, name)))
}

/** What an entry of the package exports, by kind. Types and constants are in its list only. @param {string} folder */
function exportsOf(folder) {
  const classes = pagesIn(`${folder}/classes`)
  const guards = pagesIn(`${folder}/variables`).filter(({ text }) => /^[a-z]/.test(text))
  const isError = (/** @type {{ text: string }} */ { text }) => text.endsWith('Error')
  const kinds = [
    { text: 'Classes', items: classes.filter((page) => !isError(page)) },
    { text: 'Errors', items: classes.filter(isError) },
    { text: 'Functions', items: [...pagesIn(`${folder}/functions`), ...guards] },
  ]
  // A group that opens needs a link: without one, the theme nests the button of its caret in another button.
  const link = `/${posix.relative('docs', folder)}/index.md`
  return [
    { text: 'All exports', link },
    ...kinds
      .filter(({ items }) => items.length > 0)
      .map((kind) => ({
        ...kind,
        link: `${link}#${kind.text === 'Functions' ? 'functions' : 'classes'}`,
        collapsed: true,
      })),
  ]
}

function referenceSections() {
  const root = join(ROOT, GENERATED)
  if (!existsSync(root)) return [section(REFERENCE)]
  const api = read('docs/api.md')
  const resources = pagesIn(`${GENERATED}/interfaces`)
    .filter(({ text }) => text.startsWith('client.'))
    .sort((a, b) => api.indexOf(`${a.text}.`) - api.indexOf(`${b.text}.`))
  const entries = readdirSync(root).filter((name) => existsSync(join(root, name, 'index.md')))
  return [
    section(REFERENCE),
    { text: 'API in short', link: '/reference/index.md' },
    { text: 'Resources', items: resources },
    { text: 'pathology-sdk', items: exportsOf(GENERATED) },
    ...entries.map((name) => ({
      text: `pathology-sdk/${name}`,
      link: `/${posix.relative('docs', GENERATED)}/${name}/index.md`,
      collapsed: true,
      items: exportsOf(`${GENERATED}/${name}`),
    })),
  ]
}

/** Side bars by the beginning of a page's address. */
export function sidebars() {
  const guides = GUIDES.map(section)
  const decisions = readdirSync(join(ROOT, 'docs/decisions'))
    .filter((name) => /^\d/.test(name))
    .map((name) => item(`docs/decisions/${name}`))
  const project = [section(PROJECT), { text: 'Decisions', items: decisions }]
  const reference = referenceSections()
  const written = REFERENCE.pages.map((page) => `/${posix.relative('docs', page).replace(/\.md$/, '')}`)
  return {
    ...Object.fromEntries(written.map((page) => [page, reference])),
    '/reference/project/': project,
    '/decisions/': project,
    '/reference/examples/': [
      { text: 'Examples', items: [item('examples/README.md'), ...pagesIn('docs/reference/examples')] },
    ],
    '/reference/http/': [
      {
        text: 'HTTP interface',
        items: [item('docs/reference/http/index.md'), ...httpPages()],
      },
    ],
    '/reference/': reference,
    '/': guides,
  }
}
