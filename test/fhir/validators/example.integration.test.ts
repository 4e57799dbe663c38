import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const cwd = fileURLToPath(new URL('../../..', import.meta.url))

it('examples/fhir-medplum stores each result once', async () => {
  const words = ['--import', 'tsx', 'examples/fhir-medplum/main.ts']
  const { VITEST: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd, env })
  expect(stdout).toMatch(/^3 reports in 9 resources, sent in \d+ transactions$/m)
})
