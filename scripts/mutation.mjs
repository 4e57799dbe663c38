import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { MUTATION_GROUPS } from './mutation-groups.mjs'

/**
 * Mutation testing, group by group: `npm run mutation`, or `npm run mutation -- orders lists`. Prints a table as
 * docs/reliability.md has it, and fails where a group is below the wanted share of killed mutants. What was found
 * stays in `reports/mutation`, and only what has changed or survived is tried again: `--fresh` forgets it, `--report`
 * prints it again.
 */
const WANTED_PERCENT = 90

const DETECTED = ['Killed', 'Timeout']
const UNDETECTED = ['Survived', 'NoCoverage']

/**
 * @typedef {{ readonly status: string }} Mutant
 * @typedef {{ readonly files: Readonly<Record<string, { mutants: readonly Mutant[] }>> }} Report
 */

/** @param {string} group */
const reportFile = (group) => `reports/mutation/${group}.json`

/**
 * @param {string} group
 * @returns {Report}
 */
const readReport = (group) => JSON.parse(readFileSync(reportFile(group), 'utf8'))

/** Lets what survived be tried again: Stryker does so only where it sees which tests reach a mutant. */
function forgetSurvivors(/** @type {string} */ group) {
  if (!existsSync(reportFile(group))) return
  const report = readReport(group)
  for (const file of Object.values(report.files)) {
    file.mutants = file.mutants.filter(({ status }) => DETECTED.includes(status))
  }
  writeFileSync(reportFile(group), JSON.stringify(report))
}

/** @param {string} group */
function runGroup(group) {
  console.log(`\n== ${group}`)
  forgetSurvivors(group)
  const { status } = spawnSync('npx', ['stryker', 'run'], {
    stdio: 'inherit',
    env: { ...process.env, MUTATION_GROUP: group },
  })
  if (status !== 0) throw new Error(`mutation testing of ${group} ended with ${status}`)
}

/** @param {string} group */
function countsOf(group) {
  return Object.entries(readReport(group).files).map(([file, { mutants }]) => {
    const count = (/** @type {readonly string[]} */ statuses) =>
      mutants.filter(({ status }) => statuses.includes(status)).length
    return { file, killed: count(DETECTED), survived: count(UNDETECTED) }
  })
}

/** @typedef {{ readonly file: string, readonly killed: number, readonly survived: number }} Row */

/** @param {Row} row */
const percentOf = ({ killed, survived }) => (100 * killed) / (killed + survived)

/** @param {Row} row */
const line = (row) =>
  `| ${row.file.replace('src/', '')} | ${row.killed + row.survived} | ${row.killed} | ${percentOf(row).toFixed(1)} % |`

/**
 * @param {readonly Row[]} rows
 * @returns {Row}
 */
const together = (rows) =>
  rows.reduce(
    (sum, { killed, survived }) => ({
      file: 'together',
      killed: sum.killed + killed,
      survived: sum.survived + survived,
    }),
    { file: 'together', killed: 0, survived: 0 },
  )

const names = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const groups = names.length > 0 ? names : Object.keys(MUTATION_GROUPS)
if (process.argv.includes('--fresh')) rmSync('reports/mutation', { recursive: true, force: true })
if (!process.argv.includes('--report')) groups.forEach(runGroup)

const rows = groups.flatMap(countsOf).sort((one, other) => one.file.localeCompare(other.file))
const table = [
  '| File | Mutants | Killed | Score |',
  '|---|---|---|---|',
  ...rows.map(line),
  line(together(rows)),
]
console.log(`\n${table.join('\n')}`)

const tooFew = groups.filter((group) => percentOf(together(countsOf(group))) < WANTED_PERCENT)
if (tooFew.length > 0) {
  console.error(`below ${WANTED_PERCENT} %: ${tooFew.join(', ')}`)
  process.exitCode = 1
}
