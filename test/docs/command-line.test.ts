import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { signWebhook } from 'pathology-sdk/webhooks'
import { beforeAll, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.js'
import { createProgram } from '../../src/cli/program.js'
import { environmentOf, runCommand, terminalOf } from '../cli/run-command.js'
import { order } from '../support/samples.js'
import { allBlocks, placeOf, readPage } from './blocks.js'

const GUIDE = 'docs/guides/command-line.md'
const REFERENCE = 'docs/commands.md'

/** Commands of the pages as words, without the redirection of their output. */
const commands = allBlocks()
  .filter(({ language }) => language === 'bash')
  .flatMap((block) =>
    block.code.split('\n').map((line) => ({ page: block.page, place: placeOf(block), line })),
  )
  .filter(({ line }) => line.startsWith('npx pathology '))
  .map((each) => ({ ...each, words: wordsOf(each.line.replace(/^npx pathology | > \S+$/g, '')) }))
  // Without a further command, `fake` starts a fake and does not end.
  .filter(({ words: [group, command = '--'] }) => group !== 'fake' || !command.startsWith('--'))

function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
}

/** Commands of the guide with an exit code other than 0. */
const FINDINGS = [/^check medicare \d/, /^check medicare --csv/]

let fake: FakePathologyService
let cwd: string
const uuids: Record<string, string> = {}

beforeAll(async () => {
  fake = await FakePathologyService.start({ seedReferrals: 10, centreCount: 60 })
  const client = new PathologyClient(fake.clientOptions())
  const placed = await client.referrals.create(
    order({ tests: ['full-blood-count'], referenceNumber: 'order-1001' }),
    { orderKey: 'visit-1001' },
  )
  await client.close()
  const [{ uuid }] = placed.referrals
  fake.referrals.complete(uuid)
  uuids['referrals'] = uuid
  uuids['results'] = fake.results.all().find(({ referralUuid }) => referralUuid === uuid)?.uuid ?? ''
  uuids['webhooks'] = fake.webhooks.createInPortal({ url: fake.baseUrl }).id
  // The webhook that the guide creates: its host is not looked up.
  fake.deliverTo('https://clinic.example/webhooks', () => new Response())
  const body = JSON.stringify({
    eventName: 'referral.issued',
    eventUuid: uuids['referrals'],
    version: '1.0',
    data: {},
  })
  const signature = await signWebhook(body, fake.signingSecret)
  const files = {
    'order.json': JSON.stringify(order({ tests: ['full-blood-count'] })),
    'patients.csv': 'name,card\nZoe,123\n',
    'delivery.json': body,
    'headers.txt': `x-svc-hmac-sha256: ${signature}\n`,
  }
  cwd = await mkdtemp(join(tmpdir(), 'command-line-'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text)
  return async () => {
    await fake.close()
    await rm(cwd, { recursive: true })
  }
})

// The commands of the mirror and the ledger open a database, so they run in test/cli/commands/*.integration.test.ts.
// Those of the contract check run in test/cli/contract-check: here only their options are read.
it.each(
  commands
    .filter(({ words }) => words[0] !== 'mirror' && words[0] !== 'ledger')
    .map((each) => [`${each.place} ${each.line}`, each] as const),
)(
  'a command of the documentation works: %s',
  async (_, { words, line }) => {
    const [group = ''] = words
    const real = words.map((word) => (/^[0-9a-f-]{36}$/.test(word) ? (uuids[group] ?? word) : word))
    const input = { env: environmentOf(fake), cwd }
    if (group === 'contract') {
      const { stderr } = await runCommand([...real, '--max-pages', '0'], input)
      return expect(stderr).toContain('--max-pages must be an integer')
    }
    const { code, stderr } = await runCommand(real, input)
    const command = line.replace('npx pathology ', '')
    expect({ code, stderr }).toEqual({
      code: FINDINGS.some((pattern) => pattern.test(command)) ? 3 : 0,
      stderr: words.includes('pdf') ? expect.stringContaining('saved') : '',
    })
  },
  20_000,
)

it('the guide to the command line includes every command of the program', async () => {
  const shown = commands.filter(({ page }) => page === GUIDE).map(({ words }) => words.join(' '))
  // The commands of the fake's actions stand in a table.
  const [table = ''] = /fake-verbs:begin[\s\S]*?fake-verbs:end/.exec(readPage(REFERENCE)) ?? []
  shown.push(...[...table.matchAll(/^\| `([a-z-]+)/gm)].map(([, verb]) => `fake ${verb}`))
  for (const { name } of COMMANDS) {
    const group = (await createProgram([name], terminalOf({}).terminal)).commands.find(
      (command) => command.name() === name,
    )
    const names = group?.commands.map((leaf) => `${name} ${leaf.name()}`) ?? []
    for (const command of names.length > 0 ? names : [name])
      expect(
        shown.some((words) => words.startsWith(command)),
        command,
      ).toBe(true)
  }
})

it('docs/commands.md names every variable that the program reads', async () => {
  const { VARIABLES } = await import('../../src/cli/shared/environment.js')
  const { MIRROR_VARIABLES } = await import('../../src/cli/mirror-service/environment.js')
  const { LEDGER_VARIABLE } = await import('../../src/cli/commands/ledger-connection.js')
  const page = await readFile(REFERENCE, 'utf8')
  for (const name of Object.values({ ...VARIABLES, ...MIRROR_VARIABLES, LEDGER_VARIABLE }))
    expect(page).toContain(name)
})
