import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { OWN_FLAGS } from '../../src/cli/commands/fake-start.js'
import { MIRROR_VARIABLES } from '../../src/cli/mirror-service/environment.js'
import { VARIABLES } from '../../src/cli/shared/environment.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const DOCKERFILE = `${ROOT}examples/fake-container/Dockerfile`

it('the Dockerfile of the fake has no finding of dockerfilelint, and its flags exist', async () => {
  const program = `${ROOT}test/tools/node_modules/dockerfilelint/bin/dockerfilelint`
  const { stdout } = await promisify(execFile)(process.execPath, [program, '--output', 'json', DOCKERFILE])
  expect(JSON.parse(stdout)).toMatchObject({ totalIssues: 0 })
  const [entrypoint = ''] = /ENTRYPOINT .*/.exec(readFileSync(DOCKERFILE, 'utf8')) ?? []
  const flags = [...entrypoint.matchAll(/"--([a-z-]+)"/g)].map(([, name]) => name)
  expect(flags).toEqual(['host', 'port', 'documents-port'])
  expect(OWN_FLAGS.map(([flags]) => flags.replace(/^--| .*$/g, ''))).toEqual(expect.arrayContaining(flags))
})

it('the Dockerfile and the compose file of the mirror have no finding, and their variables exist', async () => {
  const folder = `${ROOT}examples/mirror-container`
  const docker = `${ROOT}test/tools/node_modules/dockerfilelint/bin/dockerfilelint`
  const linted = await promisify(execFile)(process.execPath, [
    docker,
    '--output',
    'json',
    `${folder}/Dockerfile`,
  ])
  expect(JSON.parse(linted.stdout)).toMatchObject({ totalIssues: 0 })
  const compose = `${ROOT}node_modules/dclint/bin/dclint.cjs`
  const arguments_ = ['--max-warnings', '0', '--formatter', 'json', `${folder}/compose.yaml`]
  const { stdout } = await promisify(execFile)(process.execPath, [compose, ...arguments_])
  expect(JSON.parse(stdout)).toMatchObject([{ errorCount: 0, warningCount: 0 }])

  const text = ['Dockerfile', 'compose.yaml']
    .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
    .join('')
  const known: ReadonlySet<string> = new Set([
    ...Object.values(VARIABLES),
    ...Object.values(MIRROR_VARIABLES),
  ])
  const named = [...new Set(text.match(/PATHOLOGY_[A-Z_]+/g))]
  expect(named.filter((name) => !known.has(name))).toEqual([])
  expect(named).toContain(MIRROR_VARIABLES.database)
  expect(text).toContain('ENTRYPOINT ["node_modules/.bin/pathology", "mirror", "serve"]')
})
