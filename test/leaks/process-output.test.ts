import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { bundle } from '../support/bundle.js'
import { canariesIn } from '../support/canaries.js'
import { ONE_OF_EACH_CLASS } from './provocations.js'

const PROGRAM = new URL('print-everything.ts', import.meta.url)
const FLAGS = ['--unhandled-rejections=warn', '--trace-warnings']

it('console, logger and unhandled rejections show no secret, token or detail of a patient (§1, §5)', async () => {
  const { pathOf, remove } = await bundle(PROGRAM)
  onTestFinished(remove)
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...FLAGS, pathOf(PROGRAM)], {
    maxBuffer: 64 * 1024 * 1024,
  })
  const printed = stdout + stderr
  const unhandled = stderr.match(/^\(node:\d+\) UnhandledPromiseRejectionWarning: /gm) ?? []
  expect(unhandled).toHaveLength(ONE_OF_EACH_CLASS.length)
  for (const { title, error } of ONE_OF_EACH_CLASS) {
    expect(stderr).toContain(`${title}: `)
    expect(printed).toContain(`${error}: `)
  }
  const lines = printed.split('\n').filter((line) => canariesIn(line).length > 0)
  expect(lines.slice(0, 10)).toEqual([])
})
