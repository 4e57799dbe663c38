import { readFileSync } from 'node:fs'
import { apiPage } from './api.mjs'
import { endpointsPage } from './endpoints.mjs'
import { FAKE_TABLES } from './fake.mjs'
import { retryTable, settleTable } from './retry.mjs'

/** @param {string} page */
const read = (page) => readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8')

/**
 * What each page that is made from the sources should hold, by its path: whole pages, and pages with tables in them.
 *
 * @type {Readonly<Record<string, () => string>>}
 */
export const GENERATED_PAGES = {
  'docs/api.md': apiPage,
  'docs/endpoints.md': endpointsPage,
  'docs/fake.md': () =>
    Object.entries(FAKE_TABLES).reduce(
      (text, [mark, make]) => between(text, mark, make()),
      read('docs/fake.md'),
    ),
  'docs/guides/errors-and-retries.md': () => {
    const text = read('docs/guides/errors-and-retries.md')
    return between(between(text, 'retry-table', retryTable()), 'settle-table', settleTable())
  },
}

/**
 * @param {string} text
 * @param {string} mark
 * @param {string} content
 */
function between(text, mark, content) {
  const [begin, end] = [`<!-- ${mark}:begin -->`, `<!-- ${mark}:end -->`]
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from === -1 || to < from) throw new Error(`the page has no place for ${mark}`)
  return `${text.slice(0, from + begin.length)}\n${content}\n${text.slice(to)}`
}
