import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { format } from 'node:util'
import { PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'

import { detailsIn, patientDetails } from '../support/patient-details.js'
import { order } from '../support/samples.js'
import { allBlocks, codeBlocks, docstringExamples, placeOf } from './blocks.js'
import { removeRunFolder, runBlock } from './run-block.js'
import { CHECKED_LANGUAGES, typeProblems } from './type-check.js'

/** The smallest valid PNG. */
const SIGNATURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const blocks = allBlocks()
const examples = docstringExamples()
const checked = [...blocks, ...examples].filter(({ language }) => CHECKED_LANGUAGES.has(language))
const run = checked.filter(({ runs }) => runs)

const wrong = codeBlocks('docs/made-up.md', "```ts\nawait client.referrals.retrieve(7, 'x')\n```")
let problems: readonly string[]

// One program checks everything, because most of its time goes into the types of the packages.
beforeAll(async () => {
  problems = await typeProblems([...checked, ...wrong])
}, 120_000)

it('the documentation has code, and some of it is run', () => {
  expect(checked.length).toBeGreaterThan(20)
  expect(run.length).toBeGreaterThan(10)
  expect(examples.length).toBeGreaterThan(30)
  expect(blocks.filter(({ runs, language }) => runs && !CHECKED_LANGUAGES.has(language))).toEqual([])
})

it('code in the documentation type-checks under the settings of the project', () => {
  expect(problems.filter((problem) => !problem.startsWith('docs/made-up.md'))).toEqual([])
})

it('an error in code of the documentation is reported', () => {
  expect(problems).toContainEqual(expect.stringMatching(/^docs\/made-up\.md:2 .*number.*string/))
})

const home = process.cwd()
let fake: FakePathologyService
let folder: string
let printed: string[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docs-'))
  process.chdir(folder)
  fake = await FakePathologyService.start({ port: 0, centreCount: 300 })
})
afterAll(async () => {
  process.chdir(home)
  await fake.close()
  await rm(folder, { recursive: true })
  await removeRunFolder()
})

beforeEach(() => {
  fake.reset()
  fake.providers.saveInPortal('2426621B', {
    name: 'Dr Amelia Hartono',
    address: '120 Collins Street, Melbourne VIC 3000',
    signature: SIGNATURE,
  })
  const { baseUrl, authUrl, clientId, clientSecret } = fake.clientOptions()
  vi.stubEnv('PATHOLOGY_BASE_URL', baseUrl)
  vi.stubEnv('PATHOLOGY_AUTH_URL', authUrl)
  vi.stubEnv('PATHOLOGY_CLIENT_ID', clientId)
  vi.stubEnv('PATHOLOGY_CLIENT_SECRET', clientSecret)
  vi.stubEnv('PATHOLOGY_WEBHOOK_SECRET', fake.signingSecret)
  vi.stubGlobal('client', new PathologyClient())
  vi.stubGlobal('order', order({ tests: ['full-blood-count'] }))
  vi.stubEnv('TMPDIR', folder)
  printed = []
  const print = (...words: unknown[]): void => void printed.push(format(...words))
  for (const method of ['log', 'info', 'warn', 'error', 'dir', 'table'] as const) {
    vi.spyOn(console, method).mockImplementation(print)
  }
})
afterEach(() => {
  fake.faults.clear()
})

it.each(run.map((block) => [placeOf(block), block] as const))(
  'code marked `run` runs against a fake: %s',
  async (_place, block) => {
    await runBlock(block)
    const details = await patientDetails(new PathologyClient())
    expect(details.size).toBeGreaterThan(10)
    expect(detailsIn(printed.join('\n'), details), 'printed of a patient').toEqual([])
    for (const file of await readdir(folder)) {
      const { mode } = await stat(join(folder, file))
      expect((mode & 0o777).toString(8), `permissions of ${file}`).toBe('600')
      await rm(join(folder, file))
    }
  },
  20_000,
)
