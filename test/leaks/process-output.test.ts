import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bundle } from '../support/bundle.js'
import { canariesIn } from '../support/canaries.js'
import { PROVOCATIONS } from './provocations.js'

const PROGRAM = new URL('print-everything.ts', import.meta.url)
const FLAGS = ['--unhandled-rejections=warn', '--trace-warnings']

describe('output of a process (§1, §5)', () => {
  it('console, logger and unhandled rejections show no secret, token or detail of a patient', async () => {
    const { pathOf, remove } = await bundle(PROGRAM)
    onTestFinished(remove)
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...FLAGS, pathOf(PROGRAM)], {
      maxBuffer: 64 * 1024 * 1024,
    })
    const printed = stdout + stderr
    const unhandled = stderr.match(/^\(node:\d+\) UnhandledPromiseRejectionWarning: /gm) ?? []
    expect(unhandled).toHaveLength(PROVOCATIONS.length)
    for (const { title, error } of PROVOCATIONS) {
      expect(stderr).toContain(`${title}: `)
      expect(printed).toContain(`${error}: `)
    }
    const lines = printed.split('\n').filter((line) => canariesIn(line).length > 0)
    expect(lines.slice(0, 10)).toEqual([])
  }, 60_000)
})
