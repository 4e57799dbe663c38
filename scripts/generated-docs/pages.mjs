import { readFileSync } from 'node:fs'
import { apiPage } from './api.mjs'
import { endpointsPage } from './endpoints.mjs'
import { FAKE_TABLES } from './fake.mjs'
import { reconcileTable, retryTable } from './retry.mjs'
import { rulesPage } from './rules.mjs'

/** @type {Readonly<Record<string, () => string>>} */
const TABLES = { ...FAKE_TABLES, 'retry-table': retryTable, 'reconcile-table': reconcileTable }

/** Names of the generated tables in each page. All other parts of these pages are written manually. */
const PAGES_WITH_TABLES = {
  'docs/fake.md': ['fake-flags', 'fake-transitions', 'fake-methods', 'fake-faults'],
  'docs/fake-control-api.md': ['fake-control'],
  'docs/fake-options.md': ['fake-options'],
  'docs/commands.md': ['fake-verbs'],
  'docs/retries.md': ['retry-table', 'reconcile-table'],
}

/**
 * Functions that return the text of each generated page, by path: complete pages, and pages with generated tables.
 *
 * @type {Readonly<Record<string, () => string>>}
 */
export const GENERATED_PAGES = {
  'docs/api.md': apiPage,
  'docs/endpoints.md': endpointsPage,
  'docs/service-rules.md': rulesPage,
  ...Object.fromEntries(
    Object.entries(PAGES_WITH_TABLES).map(([page, marks]) => [page, () => withTables(page, marks)]),
  ),
}

/**
 * @param {string} page
 * @param {readonly string[]} marks
 */
function withTables(page, marks) {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8')
  return marks.reduce((filled, mark) => between(filled, mark, TABLES[mark]?.() ?? ''), text)
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
  if (from === -1 || to < from) throw new Error(`the page has no comments ${begin} and ${end}`)
  return `${text.slice(0, from + begin.length)}\n${content}\n${text.slice(to)}`
}
