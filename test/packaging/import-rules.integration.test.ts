import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ROOT } from './consumer.js'

/** Files of a generated project, and the rule of `.dependency-cruiser.mjs` that each breaks. */
const REFUSED: readonly (readonly [file: string, source: string, rule: string])[] = [
  ['src/contract/a.ts', "export { x } from '../client/index.js'", 'contract-imports'],
  ['src/contract/b.ts', "export { x } from '../common/clock.js'", 'contract-imports'],
  ['src/contract/c.ts', "export { x } from 'undici'", 'contract-imports'],
  ['src/contract/schemas/d.ts', "import '../generated/checks.js'", 'contract-folder-order'],
  ['src/common/a.ts', "export { readFile } from 'node:fs/promises'", 'common-imports'],
  ['src/common/b.ts', "import type { C } from './c.js'\nexport type B = C", 'no-cycle-of-files'],
  ['src/client/a.ts', "export { x } from '../testing/index.js'", 'client-imports'],
  ['src/client/b.ts', "export type { X } from '../webhooks/index.js'", 'client-imports'],
  ['src/client/c.ts', "export const x = import('../testing/index.js')", 'client-imports'],
  ['src/client/d.ts', "export type X = import('../testing/index.js').X", 'client-imports'],
  ['src/client/call/e.ts', "export * from '../../webhooks/index.js'", 'client-imports'],
  ['src/client/f.ts', "export { z } from 'zod'", 'client-lazy-packages'],
  ['src/client/g.ts', "import 'left-pad'", 'client-imports'],
  ['src/webhooks/a.ts', "export { createHmac } from 'node:crypto'", 'webhooks-lazy-node'],
  ['src/webhooks/b.ts', "export { createHmac } from 'crypto'", 'webhooks-lazy-node'],
  ['src/webhooks/c.ts', "export const x = import('undici')", 'webhooks-imports'],
  ['src/testing/a.ts', "export { http } from 'msw'", 'testing-lazy-packages'],
  ['src/testing/b.ts', "export { x } from '../../test/helper.js'", 'testing-imports'],
  ['src/elsewhere/a.ts', "export { x } from '../client/index.js'", 'unknown-part'],
  ['src/a.ts', "export { x } from './client/index.js'", 'unknown-part'],
]

const ACCEPTED: readonly (readonly [file: string, source: string])[] = [
  ['src/contract/schemas/ok.ts', "export * as z from 'zod'\nexport { x } from '../enums.js'"],
  ['src/client/ok.ts', "export type { z } from 'zod'\nexport const zod = import('zod')"],
  [
    'src/client/call/ok.ts',
    "export { x } from '../../contract/enums.js'\nexport { performance } from 'node:perf_hooks'",
  ],
  [
    'src/webhooks/ok.ts',
    "export { x } from '../common/clock.js'\nexport type { IncomingMessage } from 'node:http'",
  ],
  ['src/testing/ok.ts', "export * as z from 'zod'\nexport const msw = import('msw')"],
]

const GIVEN = [
  ...['client/index', 'webhooks/index', 'testing/index', 'common/clock', 'contract/enums'],
  'contract/generated/checks',
].map((name) => [`src/${name}.ts`, 'export const x = 1\nexport type X = 1'] as const)
const PACKAGES = ['undici', 'zod', 'msw'].flatMap(
  (name) =>
    [
      [`node_modules/${name}/package.json`, `{ "name": "${name}", "version": "1.0.0", "main": "index.js" }`],
      [`node_modules/${name}/index.js`, 'export const x = 1'],
    ] as const,
)
const OTHER = [
  ['test/helper.ts', 'export const x = 1'],
  ['src/common/c.ts', "import type { B } from './b.js'\nexport type C = B"],
] as const

interface Violation {
  readonly from: string
  readonly rule: { readonly name: string }
}

let project = ''
let violations: readonly Violation[] = []

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'import-rules-'))
  for (const [path, text] of [...REFUSED, ...ACCEPTED, ...GIVEN, ...PACKAGES, ...OTHER]) {
    await mkdir(dirname(join(project, path)), { recursive: true })
    await writeFile(join(project, path), `${text}\n`)
  }
  for (const name of ['.dependency-cruiser.mjs', 'tsconfig.json', 'package.json']) {
    await cp(join(ROOT, name), join(project, name))
  }
  const command = join(ROOT, 'node_modules/.bin/depcruise')
  const { stdout } = await promisify(execFile)(command, ['src', '--output-type', 'json'], {
    cwd: project,
    maxBuffer: 2 ** 26,
  }).catch((failure) => failure)
  violations = JSON.parse(stdout).summary.violations
})
afterAll(() => rm(project, { recursive: true, force: true }))

it.each(REFUSED)('the import rules reject in %s: %s', (file, _source, rule) => {
  expect(violations.filter(({ from }) => from === file).map(({ rule: { name } }) => name)).toEqual([rule])
})

it('the import rules accept the sources', () => {
  const refused = new Set(REFUSED.map(([file]) => file))
  const others = violations.filter(({ from }) => !refused.has(from) && from !== 'src/common/c.ts')
  expect(others).toEqual([])
})
