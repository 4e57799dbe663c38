// Holds every relative link against what it points to: of the Markdown pages, and of docs/site where it was built.
// npm run docs:links
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SITE = join(ROOT, 'docs', 'site')

/** @typedef {{ readonly page: string, readonly target: string, readonly problem: string }} BrokenLink */

/** The relative links of Markdown pages that lead nowhere. */
export function brokenMarkdownLinks() {
  return markdownPages().flatMap((page) => brokenLinks(page, markdownTargets(page), headingAnchors))
}

/** The relative links of the built site that lead nowhere. */
export function brokenSiteLinks() {
  return filesBelow(SITE, '.html').flatMap((page) => brokenLinks(page, htmlTargets(page), idAnchors))
}

function markdownPages() {
  const top = readdirSync(ROOT).filter((name) => name.endsWith('.md'))
  const below = ['docs', 'examples', 'bench'].flatMap((folder) => filesBelow(join(ROOT, folder), '.md'))
  return [...top.map((name) => join(ROOT, name)), ...below.filter((path) => !path.startsWith(SITE))]
}

/**
 * @param {string} folder
 * @param {string} ending
 */
function filesBelow(folder, ending) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending) && !name.includes('node_modules'))
    .map((name) => join(folder, name))
}

/**
 * @param {string} page
 * @param {readonly string[]} targets
 * @param {(path: string) => ReadonlySet<string>} anchorsOf
 * @returns {BrokenLink[]}
 */
function brokenLinks(page, targets, anchorsOf) {
  return targets.filter(isRelative).flatMap((target) => {
    const [path = '', anchor] = target.split('#')
    const file = path === '' ? page : resolve(dirname(page), decodeURIComponent(path))
    const problem = problemOf(file, anchor, page, anchorsOf)
    return problem === undefined ? [] : [{ page: relative(ROOT, page), target, problem }]
  })
}

/**
 * @param {string} file
 * @param {string | undefined} anchor
 * @param {string} page
 * @param {(path: string) => ReadonlySet<string>} anchorsOf
 */
function problemOf(file, anchor, page, anchorsOf) {
  if (!existsSync(file)) return 'there is no such file'
  const ending = page.slice(page.lastIndexOf('.'))
  if (anchor === undefined || anchor === '' || statSync(file).isDirectory() || !file.endsWith(ending))
    return undefined
  return anchorsOf(file).has(decodeURIComponent(anchor)) ? undefined : 'the page has no such heading'
}

/** @param {string} target */
function isRelative(target) {
  return !/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(target)
}

/** @param {string} page */
function markdownTargets(page) {
  const text = withoutCode(readFileSync(page, 'utf8'))
  return [...text.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g)].map(([, target = '']) => target)
}

/** @param {string} page */
function htmlTargets(page) {
  const text = readFileSync(page, 'utf8').replaceAll(/<script[\s\S]*?<\/script>/g, '')
  return [...text.matchAll(/\s(?:href|src)="([^"]+)"/g)].map(([, target = '']) =>
    (target.split('?')[0] ?? '').replaceAll('&amp;', '&'),
  )
}

/** @type {Map<string, ReadonlySet<string>>} */
const anchors = new Map()

/**
 * @param {string} path
 * @param {(text: string) => Iterable<string>} find
 */
function cachedAnchors(path, find) {
  const known = anchors.get(path)
  if (known !== undefined) return known
  const found = new Set(find(readFileSync(path, 'utf8')))
  anchors.set(path, found)
  return found
}

/**
 * The anchors that GitHub makes of headings.
 *
 * @param {string} path
 */
function headingAnchors(path) {
  return cachedAnchors(path, (text) =>
    [...withoutFences(text).matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, heading = '']) =>
      heading
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

/** @param {string} path */
function idAnchors(path) {
  return cachedAnchors(path, (text) => [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id))
}

/** @param {string} text */
function withoutFences(text) {
  return text.replaceAll(/^(`{3,})[\s\S]*?^\1$/gm, '')
}

/** @param {string} text */
function withoutCode(text) {
  return withoutFences(text).replaceAll(/`[^`\n]*`/g, (code) => 'x'.repeat(code.length))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const broken = [...brokenMarkdownLinks(), ...brokenSiteLinks()]
  for (const { page, target, problem } of broken) console.error(`${page}: ${target}: ${problem}`)
  console.log(`${broken.length} broken links${existsSync(SITE) ? '' : ' (docs/site is not built)'}`)
  process.exitCode = broken.length === 0 ? 0 : 1
}
