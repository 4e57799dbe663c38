import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

import { OWN_FLAGS } from '../../src/testing/cli/flags.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const DOCKERFILE = `${ROOT}examples/fake-container/Dockerfile`

test('the Dockerfile of the fake has no finding of dockerfilelint, and its flags exist', async () => {
  const program = `${ROOT}test/tools/node_modules/dockerfilelint/bin/dockerfilelint`
  const { stdout } = await promisify(execFile)(process.execPath, [program, '--output', 'json', DOCKERFILE])
  expect(JSON.parse(stdout)).toMatchObject({ totalIssues: 0 })
  const [entrypoint = ''] = /ENTRYPOINT .*/.exec(readFileSync(DOCKERFILE, 'utf8')) ?? []
  const flags = [...entrypoint.matchAll(/"--([a-z-]+)"/g)].map(([, name]) => name)
  expect(flags).toEqual(['host', 'port', 'documents-port'])
  expect(OWN_FLAGS.map(({ name }) => name)).toEqual(expect.arrayContaining(flags))
})
