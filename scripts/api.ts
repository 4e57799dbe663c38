// Writes etc/api.md: npm run api. With --check it writes nothing, and fails where the page differs: npm run api:check
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { apiReport } from './api/report.js'
import { changedTypes } from './api/same-types.js'

const page = fileURLToPath(new URL('../etc/api.md', import.meta.url))

/** What is wrong; `undefined` when nothing is. */
function problemWith(report: string): string | undefined {
  const changed = changedTypes()
  if (changed.length > 0) return `Declared otherwise than in the sources: ${changed.join(', ')}`
  if (existsSync(page) && readFileSync(page, 'utf8') === report) return undefined
  show(report)
  return 'etc/api.md is out of date: look at the difference, then run npm run api'
}

/** The difference as git shows one. */
function show(report: string): void {
  const directory = mkdtempSync(join(tmpdir(), 'pathology-sdk-api-'))
  try {
    const built = join(directory, 'api.md')
    writeFileSync(built, report)
    execFileSync('git', ['--no-pager', 'diff', '--no-index', page, built], { stdio: 'inherit' })
  } catch {
    // git leaves with 1 when the two differ.
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const report = apiReport()
if (process.argv.includes('--check')) {
  const problem = problemWith(report)
  console.log(problem ?? 'etc/api.md is up to date')
  process.exitCode = problem === undefined ? 0 : 1
} else {
  writeFileSync(page, report)
}
