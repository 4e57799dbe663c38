// Links of the pages: they name files of the repository, so that they work in any reader of Markdown. On the
// site they point to the page that is made from the file. Files without a page are only in the repository: if
// its address is not known, the link becomes plain text.
import { existsSync, readFileSync } from 'node:fs'
import { posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { COPIED_PAGES } from './navigation.mjs'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** @type {{ repository?: string | { url?: string } }} */
const MANIFEST = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

/** Address of the repository's files, if package.json has one. */
const FILES_URL = (() => {
  const { repository } = MANIFEST
  const url = typeof repository === 'string' ? repository : repository?.url
  return url === undefined ? undefined : `${url.replace(/^git\+/, '').replace(/\.git$/, '')}/blob/HEAD`
})()

const SOURCES = new Map(Object.entries(COPIED_PAGES).map(([source, page]) => [page, source]))
SOURCES.set('docs/reference/index.md', 'docs/api.md')

/** Path of the file from which a page was copied: its links start there. @param {string} page */
const sourceOf = (page) => SOURCES.get(page) ?? page

/** @param {string} path of a file of the repository */
function pageOf(path) {
  const copied = COPIED_PAGES[path]
  if (copied !== undefined) return `/${posix.relative('docs', copied)}`
  if (path === 'README.md') return '/index.md'
  if (path === 'docs/api.md') return '/reference/index.md'
  if (path.startsWith('docs/') && path.endsWith('.md')) return `/${posix.relative('docs', path)}`
  const [, folder] = /^examples\/([^/]+)\//.exec(path) ?? []
  return folder === undefined ? undefined : `/reference/examples/${folder}.md`
}

/**
 * Target of a link on the site; `undefined` when it has none.
 *
 * @param {string} href
 * @param {string} page path of the page in the repository
 */
export function siteLink(href, page) {
  if (/^(?:[a-z]+:|#|\/)/i.test(href)) return href
  const [file = '', fragment] = href.split('#')
  const path = posix.join(posix.dirname(sourceOf(page)), decodeURI(file))
  const target = pageOf(path)
  if (target !== undefined) return fragment === undefined ? target : `${target}#${fragment}`
  if (!existsSync(`${ROOT}/${path}`)) throw new Error(`${page}: ${href} leads to no file`)
  return FILES_URL === undefined ? undefined : `${FILES_URL}/${path}`
}

/**
 * Path in the repository of the page that is rendered.
 *
 * @param {{ path?: string, realPath?: string }} env
 */
export const pageIn = ({ path = '', realPath }) => relative(ROOT, realPath ?? path)

/**
 * @param {readonly import('markdown-it').Token[]} tokens of one block
 * @param {string} page
 */
function linkTokens(tokens, page) {
  let isUnlinked = false
  for (const token of tokens) {
    if (token.type === 'link_close' && isUnlinked) token.tag = 'span'
    if (token.type !== 'link_open') continue
    const href = siteLink(String(token.attrGet('href')), page)
    isUnlinked = href === undefined
    if (href !== undefined) token.attrSet('href', href)
    else Object.assign(token, { tag: 'span', attrs: [] })
  }
}

const EXAMPLE = /^examples\/[\w-]+$/

/**
 * Tokens in which the name of an example is a link to its page. In the package it's only a name, because the
 * examples are in the repository.
 *
 * @param {readonly import('markdown-it').Token[]} tokens of one block
 * @param {typeof import('markdown-it').Token} Token
 */
function withExampleLinks(tokens, Token) {
  let depth = 0
  return tokens.flatMap((token) => {
    depth += Number(token.type === 'link_open') - Number(token.type === 'link_close')
    const isExample = token.type === 'code_inline' && EXAMPLE.test(token.content)
    if (depth > 0 || !isExample || !existsSync(`${ROOT}/${token.content}`)) return [token]
    const open = new Token('link_open', 'a', 1)
    open.attrSet('href', `/reference/${token.content}.md`)
    return [open, token, new Token('link_close', 'a', -1)]
  })
}

/** @param {import('markdown-it').default} md */
export function repositoryLinks(md) {
  md.core.ruler.push('repository-links', ({ tokens, env, Token }) => {
    for (const token of tokens) {
      linkTokens(token.children ?? [], pageIn(env))
      if (token.children !== null) token.children = withExampleLinks(token.children, Token)
    }
  })
}
