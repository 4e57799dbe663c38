import { FakePathologyService } from 'pathology-sdk/testing'
import { beforeAll, expect, it } from 'vitest'
import { orderOverApi, startFake } from '../testing/support.js'
import { startTampering } from './contract-check/tampering.js'
import { environmentOf, folderWith, runCommand } from './run-command.js'

const FILES = {
  'broken.json': '{"dob":\n  1986-04 }',
  'cut.json': '{"firstName":"Winifred"',
  'token.json': '{"firstName":"Winifred",\n  "tests":[tsh]}',
  'number.json': '{"a": NaN}',
  'literal.json': '{"firstName":"Winifred","a": nul',
  'text.csv': 'card,name\n2950275661,"Winifred" Jr\n123,Zoe\n',
  'patients.csv': 'name,card\nWinifred,2950275661\n',
  'quotes.csv': 'card,name\n2950275661,"Winifred\n123,Zoe\n',
}

const INVALID: readonly (readonly [words: readonly string[], message: RegExp])[] = [
  [[], /^Usage: /],
  [['webhooks', 'list', 'all'], /too many arguments/],
  [['referrals', 'list', '--env-file', '/no/such/file'], /\/no\/such\/file/],
  [['referrals', 'list', '--since', 'soon'], /--since must be/],
  [['referrals', 'list', '--tz', 'Sydney'], /--tz must be the name of a time zone/],
  [['referrals', 'list', '--limit', '0'], /--limit must be an integer/],
  [['check', 'medicare'], /./],
  [['price'], /./],
  [['centres', 'near', '--lat', 'north', '--lng', '151'], /--lat must be/],
  [['refferals', 'list'], /^pathology: unknown command 'refferals'; did you mean referrals\?\n/],
  [
    ['results', 'list', '--relesed', 'today'],
    /^pathology: unknown option '--relesed'; did you mean --released\?\nRun npx pathology results --help/,
  ],
  [['order', 'validate'], /^pathology: missing required argument 'file'\nRun npx pathology order --help/],
  [['contract', 'check', '--max-pages', 'x'], /--max-pages must be an integer/],
  [['mirror', 'verify', '--sample', 'x'], /--sample must be an integer/],
  [['referrals', 'list', '--status', 'ISUED'], /ISUED is not a status; did you mean ISSUED\?/],
  [['referrals', 'list', '--since', '1h', '--older-than', '24h'], /no record can match/],
  [
    ['webhooks', 'create', 'https://clinic.example', '--events', 'referral.isued'],
    /did you mean referral\.issued\?/,
  ],
  [['fake', 'trigger', 'referral.isued'], /did you mean referral\.issued\?/],
  [['order', 'validate', 'orders.json'], /orders\.json cannot be read: it does not exist/],
  [['order', 'validate', '.'], /\. cannot be read: it is a directory/],
  [['order', 'validate', 'broken.json'], /broken\.json is not JSON: see line 2, column 7\n/],
  [['order', 'validate', 'cut.json'], /cut\.json is not JSON: it is incomplete\n/],
  [['order', 'validate', 'token.json'], /token\.json is not JSON: see line 2, column 13\n/],
  [['order', 'validate', 'number.json'], /number\.json is not JSON: see line 1, column 7\n/],
  [['order', 'validate', 'literal.json'], /literal\.json is not JSON: it is incomplete\n/],
  [['check', 'medicare', '--csv', 'patients.csv', '--column', 'crad'], /no column crad; did you mean card\?/],
  [
    ['check', 'medicare', '--csv', 'quotes.csv', '--column', 'card'],
    /record 2 of the file has a quotation mark that is not closed; nothing was checked/,
  ],
  [
    ['check', 'medicare', '--csv', 'text.csv', '--column', 'card'],
    /record 2 of the file has text after a closing quotation mark; nothing was checked/,
  ],
  [
    ['check', 'medicare', '--csv', 'patients.csv', '--column', 'other'],
    /no column other; the first row must contain/,
  ],
]

let fake: FakePathologyService
beforeAll(async () => {
  fake = await FakePathologyService.start({ seedReferrals: 0, centreCount: 0 })
  return () => fake.close()
})

it.each(INVALID)(
  'an invalid command line or file is refused, and the message says why: %j',
  async (words, message) => {
    const cwd = await folderWith(FILES)
    const { code, stdout, stderr } = await runCommand(words, { cwd, env: environmentOf(fake) })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(message)
    expect(stderr).not.toContain('Winifred')
    expect(fake.requests).toEqual([])
  },
)

it('a PDF that cannot be saved: the message names the place and the reason', async () => {
  const fake = await startFake({ seedReferrals: 0 })
  const uuid = await orderOverApi(fake)
  const words = ['referrals', 'pdf', uuid, '--out', '/no/such/directory/referral.pdf']
  const { code, stderr } = await runCommand(words, { env: environmentOf(fake) })
  expect(code).toBe(1)
  expect(stderr).toContain(
    'nothing was saved: the PDF cannot be written to /no/such/directory: it does not exist',
  )
  const directory = await folderWith({})
  const onDirectory = await runCommand(['referrals', 'pdf', uuid, '--out', directory], {
    env: environmentOf(fake),
  })
  expect(onDirectory.stderr).toContain(`the PDF cannot be written to ${directory}: it is a directory`)
})

it('an unknown test: the message points to the list of tests', async () => {
  const fake = await startFake({ seedReferrals: 0 })
  const env = environmentOf(fake)
  const price = await runCommand(['price', '--test', 'full-blood-cont'], { env })
  expect(price).toMatchObject({ code: 1, stdout: '' })
  expect(price.stderr).toContain('npx pathology tests list')
  const words = ['webhooks', 'create', 'https://clinic.example/webhooks', '--events', 'colour.changed']
  const webhook = await runCommand(words, { env })
  expect(webhook).toMatchObject({ code: 1, stdout: '' })
  expect(webhook.stderr).toContain('npx pathology webhooks events lists the names')
  const tests = await runCommand(['tests', 'list'], { env })
  expect(tests.stdout).toMatch(/^id,name,dollars,medicareListed\r\n/)
  expect(tests.stdout).toContain('full-blood-count,')
  expect((await runCommand(['bundles', 'list'], { env })).stdout).toMatch(/^id,name,visibility,tests\r\n\S/)
})

it('the message about --select names the column that no record has', async () => {
  const fake = await startFake({ seedReferrals: 0 })
  await orderOverApi(fake)
  const words = ['referrals', 'list', '--columns', 'status,person.lastname']
  const { code, stderr } = await runCommand(words, { env: environmentOf(fake) })
  expect(code).toBe(0)
  expect(stderr).toBe(
    'No record has the field person.lastname, so its column is empty; did you mean person.lastName?\n',
  )
})

const NO_COLOR = { NO_COLOR: '1' }

it('an empty list prints a sentence on standard error in a terminal, and only the headings in a pipe', async () => {
  const fake = await startFake({ seedReferrals: 0 })
  const env = { ...environmentOf(fake), ...NO_COLOR }
  expect(await runCommand(['referrals', 'list'], { env, isTTY: true })).toEqual({
    ...{ code: 0, stdout: '', stderr: 'No referrals match.\n' },
  })
  expect(await runCommand(['referrals', 'list'], { env })).toMatchObject({
    stderr: '',
    stdout: expect.stringMatching(/^uuid,/),
  })
})

it('a table fits the width of the terminal, and identifiers stay complete', async () => {
  const fake = await startFake({ seedReferrals: 5 })
  const env = { ...environmentOf(fake), ...NO_COLOR }
  const { stdout } = await runCommand(['webhooks', 'events'], { env, isTTY: true, columns: 30 })
  expect(stdout).toContain('referral.pending_verification\n')
  const id = fake.webhooks.createInPortal({ url: 'https://clinic.example/webhooks/pathology' }).id
  const list = await runCommand(['webhooks', 'list'], { env, isTTY: true, columns: 120 })
  const lines = list.stdout.trimEnd().split('\n')
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(120)
  expect(lines.at(-1)).toContain(id)
  expect(lines.at(-1)).toContain('…')
})

it('a list that contains null is shown as text in a terminal', async () => {
  const fake = await startFake({ seedReferrals: 0 })
  const uuid = await orderOverApi(fake)
  const env = { ...environmentOf(fake), ...NO_COLOR }
  const tampered = await startTampering(fake, [
    { path: /^\/v1\/referrals\/[0-9a-f]/, json: (body) => ({ ...body, future: [null] }) },
  ])
  const words = ['referrals', 'get', uuid]
  const shown = await runCommand(words, { env: { ...env, ...tampered }, isTTY: true })
  expect(shown).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^future +\[null\]$/m) })
})

it('a record prints its lists of objects as tables in a terminal', async () => {
  const fake = await startFake({ seedReferrals: 0 })
  const uuid = await orderOverApi(fake)
  fake.referrals.complete(uuid, { values: { 'hdl-cholesterol': '0.9' } })
  const { resultsUuid } = fake.referrals.all()[0] ?? {}
  const env = { ...environmentOf(fake), ...NO_COLOR }
  const { stdout } = await runCommand(['results', 'get', resultsUuid ?? ''], { env, isTTY: true })
  expect(stdout).toMatch(/\nbiomarkers \(\d+\)\nname +formattedValue +range +flag\n/)
  expect(stdout).not.toContain('{')
})

it('the commands that control a fake print sentences in a terminal', async () => {
  const fake = await startFake({ seedReferrals: 0, sendWebhooks: false })
  await orderOverApi(fake)
  fake.webhooks.createInPortal({ url: 'http://127.0.0.1:9/hook' })
  const run = async (...words: string[]) =>
    (await runCommand(['fake', ...words], { env: environmentOf(fake), isTTY: true })).stdout
  expect(await run('trigger', 'referral.issued')).toMatch(
    /^referral\.issued is sent .+\. The UUID of the event is [0-9a-f-]{36}\.\n$/,
  )
  expect(await run('resend')).toMatch(
    /^The event [0-9a-f-]{36} is queued again\. Number of deliveries: 1\.\n$/,
  )
  expect(await run('advance', '1h')).toMatch(/^The clock of the fake is at \d{4}-.+Z\.\n$/)
  expect(await run('fault', 'GET', '/v1/referrals', '--status', '503')).toBe(
    'The fault applies to the next request to GET /v1/referrals.\n',
  )
  expect(await run('fault', 'GET', '/v1/referrals', '--status', '503', '--set', 'nth=3')).toBe(
    'The fault applies to the selected requests to GET /v1/referrals.\n',
  )
  expect(await run('fault', '--clear')).toBe('All faults and the request limit are removed.\n')
})
