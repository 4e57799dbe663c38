import { readFileSync } from 'node:fs'

/** @param {string} file vitest's JSON report, empty when the tests did not run */
function countsIn(file) {
  const text = readFileSync(file, 'utf8')
  if (text.trim() === '') return { passed: 0, failed: 1, skipped: 0 }
  const report = JSON.parse(text)
  const brokenFiles = report.testResults.filter(
    (/** @type {{ status: string, assertionResults: unknown[] }} */ suite) =>
      suite.status === 'failed' && suite.assertionResults.length === 0,
  ).length
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles,
    skipped: report.numPendingTests + report.numTodoTests,
  }
}

const { passed, failed, skipped } = countsIn(process.argv[2] ?? '')
const parts = [`${passed} passed`, `${failed} failed`, ...(skipped > 0 ? [`${skipped} skipped`] : [])]
console.log(parts.join(', '))
process.exitCode = failed === 0 ? 0 : 1
