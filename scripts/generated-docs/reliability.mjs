import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ANSWER_ROWS } from './fault-rows/answers.mjs'
import { SAFETY_ROWS } from './fault-rows/safety.mjs'
import { TOKEN_ROWS } from './fault-rows/tokens.mjs'
import { WEBHOOK_ROWS } from './fault-rows/webhooks.mjs'
import { WIRE_ROWS } from './fault-rows/wire.mjs'

/**
 * How one fault behaves, by its number in the fault matrix. `tests` are those that do not name the row themselves.
 *
 * @typedef {{ readonly row: number, readonly fault: string, readonly behaviour: string, readonly tests?: readonly string[] }} FaultRow
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The tables of docs/reliability.md, by their marks. */
export const FAULT_TABLES = {
  wire: WIRE_ROWS,
  answers: ANSWER_ROWS,
  tokens: TOKEN_ROWS,
  safety: SAFETY_ROWS,
  webhooks: WEBHOOK_ROWS,
}

/** @param {readonly FaultRow[]} rows */
export function faultTable(rows) {
  const named = testsByRow()
  const lines = rows.map(({ row, fault, behaviour, tests = [] }) => {
    const files = [
      ...new Set([...(named.get(row) ?? []), ...tests.filter((path) => existsSync(join(ROOT, path)))]),
    ]
    const links = files.map((path) => `[${basename(path, '.test.ts')}](../${path})`)
    return `| ${row} | ${fault} | ${behaviour} | ${links.join(', ')} |`
  })
  return ['| # | Fault | What happens | Shown by |', '|---|---|---|---|', ...lines].join('\n')
}

const TITLE = /\brows? ((?:\d+(?:, | and | to )?)+)/g

/** The test files that name a row in a title: `row 4`, `rows 9 to 12`, `rows 13 and 14`. */
function testsByRow() {
  /** @type {Map<number, string[]>} */
  const found = new Map()
  for (const path of testFiles()) {
    const text = readFileSync(join(ROOT, path), 'utf8')
    const rows = new Set([...text.matchAll(TITLE)].flatMap(([, list = '']) => rowsOf(list)))
    for (const row of rows) found.set(row, [...(found.get(row) ?? []), path])
  }
  return found
}

function testFiles() {
  return ['test/client', 'test/faults', 'test/properties', 'test/leaks', 'test/webhooks', 'test/soak']
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`))
    .filter((path) => path.endsWith('.test.ts'))
    .sort()
}

/** @param {string} list */
function rowsOf(list) {
  return list.split(/, | and /).flatMap((part) => {
    const [from = 0, to = from] = part.split(' to ').map(Number)
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)
  })
}
