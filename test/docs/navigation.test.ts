import { expect, it } from 'vitest'
import { anchorOf } from '../../docs/.vitepress/markdown.mjs'
import { GUIDES, PROJECT, REFERENCE, SEARCH_WORDS } from '../../docs/.vitepress/navigation.mjs'
import { descriptionOf, titleOf } from '../../docs/.vitepress/pages.mjs'
import { markdownPages, readPage } from './blocks.js'

/** Pages that are not guides: the start page, the API in short, and the list of decisions. */
const ELSEWHERE = /^docs\/(?:index|api)\.md$|^docs\/decisions\/\d/

const listed = [...GUIDES, REFERENCE, PROJECT].flatMap(({ pages }) => pages)

it('the navigation of the site contains each page of docs once, and only pages that exist', () => {
  const pages = markdownPages().filter((page) => page.startsWith('docs/') && !ELSEWHERE.test(page))
  const advice = 'add the page to docs/.vitepress/navigation.mjs'
  expect(listed.filter((page) => page.startsWith('docs/')).sort(), advice).toEqual(pages)
})

it('the navigation of the site contains every guide that the README names', () => {
  const guides = [...readPage('README.md').matchAll(/docs\/guides\/[\w-]+\.md/g)].map(([path]) => path)
  expect(guides.length).toBeGreaterThan(10)
  expect(guides.filter((guide) => !listed.includes(guide))).toEqual([])
})

it.each(listed)('the page %s has a title, and a description for search engines', (page) => {
  const text = readPage(page)
  expect(titleOf(text)).toMatch(/^[A-Z].{3,}/)
  expect(descriptionOf(text)).toMatch(/^\S.{20,160}[.…:]$/)
})

it.each(Object.entries(SEARCH_WORDS))(
  'the search words for %s belong to headings of the page',
  (page, words) => {
    const anchors = [...readPage(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))
    const advice = 'change SEARCH_WORDS in docs/.vitepress/navigation.mjs with the heading'
    expect(
      Object.keys(words).filter((anchor) => !anchors.includes(anchor)),
      advice,
    ).toEqual([])
  },
)
