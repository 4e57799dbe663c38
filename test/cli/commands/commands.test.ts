import { execFileSync } from 'node:child_process'
import { signWebhook } from 'pathology-sdk/webhooks'
import { beforeAll, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../../src/cli/commands.js'
import { createProgram } from '../../../src/cli/program.js'
import { orderOverApi, records, startFake } from '../../testing/support.js'
import { environmentOf, folderWith, runCommand, terminalOf } from '../run-command.js'

const SECRET = 'client-secret-that-nobody-may-see'

it('pathology --help names every command and the exit codes', async () => {
  const { code, stdout } = await runCommand(['--help'])
  expect(code).toBe(0)
  for (const { name, summary } of COMMANDS)
    expect(stdout.replace(/\s+/g, ' ')).toContain(`${name} ${summary}`)
  expect(stdout).toContain('Exit codes: 0 success; 1 the operation failed; 2 invalid command line')
})

it('every command has a description and an example in its --help', async () => {
  for (const { name } of COMMANDS) {
    const program = await createProgram([name], terminalOf({}).terminal)
    const group = program.commands.find((command) => command.name() === name)
    const leaves = group?.commands.length ? group.commands.map((leaf) => [name, leaf.name()]) : [[name]]
    for (const words of leaves) {
      const { code, stdout } = await runCommand([...words, '--help'])
      expect(code, words.join(' ')).toBe(0)
      expect(stdout, words.join(' ')).toMatch(new RegExp(`Example:\\n +\\$ npx pathology ${words.join(' ')}`))
    }
  }
})

it('pathology help X is pathology X --help', async () => {
  expect(await runCommand(['help', 'referrals', 'list'])).toEqual(
    await runCommand(['referrals', 'list', '--help']),
  )
  expect(await runCommand(['help'])).toEqual(await runCommand(['--help']))
})

it.each(['bash', 'zsh', 'fish'])('completion %s names every command and its options', async (shell) => {
  const { code, stdout, stderr } = await runCommand(['completion', shell])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const { name } of COMMANDS) expect(stdout).toContain(name)
  expect(stdout).toMatch(shell === 'fish' ? /-l older-than / : /--older-than /)
})

it('completion bash completes commands, options and files', async () => {
  const { stdout } = await runCommand(['completion', 'bash'])
  const completed = (line: string) => {
    const words = line.split(' ')
    const script = `${stdout}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _pathology; echo "\${COMPREPLY[*]}"`
    return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split(' ')
  }
  expect(completed('pathology ref')).toEqual(['referrals'])
  expect(completed('pathology referrals ')).toEqual(expect.arrayContaining(['list', 'get', 'pdf', 'find']))
  expect(completed('pathology referrals list --old')).toEqual(['--older-than'])
  expect(completed('pathology referrals list --limit 5 --st')).toEqual(['--status'])
  expect(completed('pathology fake fault --st')).toEqual(['--status', '--stall'])
})

it.each([
  ['price --bundle nope', 'npx pathology bundles list'],
  ['referrals find --reference nope', 'no referral with this reference number was found. A new order'],
  ['referrals find --key nope', 'was found in the last 24 hours. Try an earlier --since'],
])('a command that fails says the next step: %s', async (words, advice) => {
  const fake = await startFake()
  const { code, stderr } = await runCommand(words.split(' '), { env: environmentOf(fake) })
  expect(code).toBe(1)
  expect(stderr).toContain(advice)
})

it.each([
  ['referrals get', ['referrals', 'get', '0b7f6f0e-3f53-4a5e-9a37-1d2c3b4a5f60', '--json', '--table']],
  ['referrals list', ['referrals', 'list', '--csv', '--table']],
  ['doctor', ['doctor', '--json', '--csv']],
  ['contract check', ['contract', 'check', '--json', '--csv']],
  ['mirror status', ['mirror', 'status', '--json', '--table']],
])('%s prints one format: two of them are invalid', async (_, words) => {
  const [first, second] = words.filter((word) => word.startsWith('--'))
  const { code, stdout, stderr } = await runCommand(words)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(`option '${first}' cannot be used with option '${second}'`)
})

it('credentials come from .env or --env-file, and the environment takes precedence', async () => {
  const fake = await startFake({ seedReferrals: 0 })
  const env = environmentOf(fake)
  const text = Object.entries(env)
    .map(([name, value]) => `${name}="${value}"`)
    .join('\n')
  const cwd = await folderWith({
    '.env': text,
    'other.env': text.replace(/SECRET=.*/g, `SECRET=${SECRET}`),
  })
  expect(await runCommand(['webhooks', 'list', '--json'], { cwd })).toMatchObject({
    code: 0,
    stdout: '[]\n',
  })
  const other = ['webhooks', 'list', '--json', '--env-file', 'other.env']
  const failed = await runCommand(other, { cwd })
  expect(failed).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('InvalidCredentials'),
  })
  expect(failed.stderr).not.toContain(SECRET)
  const { PATHOLOGY_CLIENT_SECRET = '' } = env
  expect(await runCommand(other, { cwd, env: { PATHOLOGY_CLIENT_SECRET } })).toMatchObject({ code: 0 })
})

it('a command that Ctrl-C aborts exits with 130', async () => {
  const fake = await startFake({ seedReferrals: 0 })
  fake.faults.next('GET /v1/referrals', { stall: 'headers' })
  const abort = new AbortController()
  const running = runCommand(['referrals', 'list'], { env: environmentOf(fake), signal: abort.signal })
  setTimeout(() => abort.abort(), 200)
  expect(await running).toMatchObject({ code: 130, stderr: '' })
})

it.each([
  ['medicare', '2950 27566 1', 0],
  ['medicare', '2950275661 --irn', 3],
  ['medicare', '1234567890', 3],
  ['provider', '2426621B', 0],
  ['provider', '2426621C', 3],
  ['dva', 'NX123456', 0],
  ['dva', '12', 3],
])('check %s %s exits with %d, without repeating the number', async (kind, value, expected) => {
  const [number = '', ...flags] = value.split(' --')
  const words = ['check', kind, number, ...flags.map((flag) => `--${flag}`)]
  const { code, stdout } = await runCommand(words, { isTTY: true })
  expect(code).toBe(expected)
  expect(stdout).toMatch(expected === 0 ? /^valid\n$/ : /^invalid: .+ \([a-z-]+\)\n$/)
  expect(stdout).not.toContain(number)
})

it('check checks a column of a CSV file by row, with quotes, semicolons and empty lines', async () => {
  const cwd = await folderWith({
    'patients.csv': '\uFEFFname;card\r\n"O\'Neil; Pat";2950275661\r\n\r\n"Two\r\nlines";123\r\nZoe;\r\n',
  })
  const words = ['check', 'medicare', '--csv', 'patients.csv', '--column', 'card', '--json']
  const { code, stdout } = await runCommand(words, { cwd })
  expect(code).toBe(3)
  expect(records(JSON.parse(stdout))).toEqual([
    { row: 2, valid: true },
    { row: 4, valid: false, reason: expect.any(String), message: expect.any(String) },
    { row: 5, valid: false, reason: expect.any(String), message: expect.any(String) },
  ])
  expect((await runCommand(['check', 'medicare', '--csv', 'patients.csv'], { cwd })).code).toBe(2)
  const missing = await runCommand(['check', 'medicare', '--csv', 'patients.csv', '--column', 'Card'], {
    cwd,
  })
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('has no column') })
})

it('check reads a value from standard input', async () => {
  expect((await runCommand(['check', 'medicare', '-'], { stdin: '2950275661\n' })).code).toBe(0)
})

it.each([
  ['is a directory', fileError('EISDIR'), 'standard input cannot be read: it is a directory'],
  ['cannot be read', fileError('EAGAIN'), 'standard input cannot be read: check the pipe'],
  ['is not UTF-8', new Uint8Array([0xff]), 'standard input is not text in UTF-8'],
])('check and order validate say when standard input %s', async (_, stdin, message) => {
  for (const words of [
    ['check', 'medicare', '-'],
    ['order', 'validate', '-'],
  ]) {
    const { code, stderr } = await runCommand(words, { stdin })
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
  }
})

let env: Record<string, string>
beforeAll(async () => {
  const { FakePathologyService } = await import('pathology-sdk/testing')
  const fake = await FakePathologyService.start({ seedReferrals: 0, centreCount: 300 })
  env = environmentOf(fake)
  return () => fake.close()
})

it('price prints amounts in cents and dollars', async () => {
  const words = ['price', '--test', 'full-blood-count', 'lipid-panel']
  const { code, stdout } = await runCommand(words, { env })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^item,cents,dollars\r\n/)
  expect(stdout).toMatch(/grandTotalIncTax,\d+,\d+\.\d\d\r\n$/)
  const json: unknown = JSON.parse((await runCommand([...words, '--json'], { env })).stdout)
  expect(json).toMatchObject({ grandTotal: expect.any(Number) })
  expect(await runCommand(['price', '--test', 'no-such-test'], { env })).toMatchObject({ code: 1 })
})

it('centres near lists the nearest first, also in the southern hemisphere', async () => {
  const words = ['centres', 'near', '--lat', '-33.87', '--lng', '151.21', '--limit', '5', '--json']
  const { code, stdout } = await runCommand(words, { env })
  const distances = records(JSON.parse(stdout)).map(({ distanceKm }) => Number(distanceKm))
  expect({ code, count: distances.length }).toEqual({ code: 0, count: 5 })
  expect([...distances].sort((a, b) => a - b)).toEqual(distances)
  expect((await runCommand([...words, '--state', 'XX'], { env })).code).toBe(2)
  expect((await runCommand(words.slice(0, -1), { env })).stdout).toMatch(/^km,name,address/)
})

it('webhooks creates, lists, pauses, resumes and deletes a subscription', async () => {
  const fake = await startFake({ seedReferrals: 0 })
  const run = async (...words: string[]): Promise<unknown> => {
    const { code, stdout, stderr } = await runCommand(['webhooks', ...words], { env: environmentOf(fake) })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout)
  }
  const created = await run(
    'create',
    'https://clinic.example/in',
    '--events',
    'referral.issued, result.complete',
  )
  expect(created).toMatchObject({ active: true, events: ['referral.issued', 'result.complete'] })
  const id = String(Reflect.get(Object(created), 'id'))
  expect(await run('pause', id)).toMatchObject({ id, active: false })
  expect(await run('resume', id)).toMatchObject({ id, active: true })
  expect(await run('list', '--json')).toMatchObject([{ id }])
  expect(await run('delete', id)).toMatchObject({ id, deleted: true })
  expect(await run('create', 'https://clinic.example/all', '--inactive')).toMatchObject({ active: false })
  expect(await run('events', '--json')).toContainEqual({ name: 'referral.issued' })
})

describe('verify', () => {
  const secret = 'the-signing-secret'
  const env = { PATHOLOGY_WEBHOOK_SECRET: secret }
  const data = { uuid: 'u', status: 'ISSUED' }
  const body = JSON.stringify({
    eventName: 'referral.issued',
    eventUuid: '0b7f6f0e-3f53-4a5e-9a37-1d2c3b4a5f60',
    version: '1.0',
    data,
  })

  it('webhooks verify accepts a valid delivery by its headers', async () => {
    const headers = `Content-Type: application/json\r\nX-Svc-Hmac-Sha256: ${await signWebhook(body, secret)}\r\n`
    const cwd = await folderWith({ 'body.json': body, 'headers.txt': headers })
    const words = ['webhooks', 'verify', '--body', 'body.json', '--headers', 'headers.txt']
    const { code, stdout } = await runCommand(words, { env, cwd })
    expect({ code, valid: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      valid: { valid: true, eventName: 'referral.issued' },
    })
  })

  it('webhooks verify reads standard input for one option only', async () => {
    const words = ['webhooks', 'verify', '--body', '-', '--headers', '-']
    expect(await runCommand(words, { env, stdin: body })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('only one of --body and --headers can be -'),
    })
  })

  it.each([
    ['a line break that an editor added', `${body}\n`, 'ends with a line break'],
    [
      'a body that was serialised again',
      JSON.stringify(JSON.parse(body), null, 2),
      'parsed and serialised again',
    ],
  ])('webhooks verify explains %s', async (_, saved, cause) => {
    const signature = await signWebhook(body, secret)
    const words = ['webhooks', 'verify', '--body', '-', '--signature', signature]
    const { code, stdout } = await runCommand(words, { env, stdin: saved })
    expect(code).toBe(3)
    expect(JSON.parse(stdout)).toMatchObject({
      valid: false,
      reason: 'signature-mismatch',
      cause: expect.stringContaining(cause),
    })
  })

  it('webhooks verify explains a signature with another secret, and a malformed one, without showing either', async () => {
    const words = ['webhooks', 'verify', '--body', '-', '--signature']
    const other = await runCommand([...words, await signWebhook(body, 'another')], { env, stdin: body })
    expect(other.code).toBe(3)
    expect(JSON.parse(other.stdout)).toMatchObject({ reason: 'signature-mismatch' })
    expect(other.stdout).not.toContain(secret)
    const none = await runCommand([...words, 'abc'], { env, stdin: body })
    expect(JSON.parse(none.stdout)).toMatchObject({ reason: 'signature-malformed' })
    expect((await runCommand([...words, 'abc'], { stdin: body })).code).toBe(2)
  })
})

it('the fake command triggers an event, sends it again, advances the clock and applies a fault', async () => {
  const fake = await startFake({ seedReferrals: 0, sendWebhooks: false })
  const run = (...words: string[]) => runCommand(['fake', ...words], { env: environmentOf(fake) })
  fake.webhooks.createInPortal({ url: 'http://127.0.0.1:9/hook' })
  await orderOverApi(fake)
  const before = fake.clock.now()
  expect(await run('advance', '1h30m')).toMatchObject({ code: 0 })
  expect(fake.clock.now() - before).toBe(5_400_000)
  const triggered = await run('trigger', 'referral.complete', '--data', '{"uuid":"x"}')
  expect(fake.deliveries.events().at(-1)).toMatchObject({
    eventName: 'referral.complete',
    data: { uuid: 'x' },
  })
  const { eventUuid } = JSON.parse(triggered.stdout)
  expect(await run('resend', eventUuid)).toMatchObject({ code: 0 })
  expect(await run('resend')).toMatchObject({ code: 0 })
  expect(
    await run('fault', 'GET /v1/vendors', '--status', '503', '--times', 'all', '--set', 'latencyMs=5'),
  ).toMatchObject({
    code: 0,
  })
  expect(fake.faults.list()).toHaveLength(1)
  expect(await run('fault', '--clear')).toMatchObject({ code: 0 })
  expect(await run('fault', 'GET /v1/referrals', '--clear')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--clear removes all faults: pass --clear without a route'),
  })
  expect(fake.faults.list()).toHaveLength(0)
})

it('fake changes referrals and results, as the buttons of the console do', async () => {
  const fake = await startFake({ seedReferrals: 0, issueTiming: 'manual' })
  const run = (...words: string[]) => runCommand(['fake', ...words], { env: environmentOf(fake) })
  const uuid = await orderOverApi(fake)
  expect(await run('issue', uuid)).toMatchObject({ code: 0 })
  expect(fake.referrals.retrieve(uuid).status).toBe('ISSUED')
  expect(await run('partial', uuid)).toMatchObject({ code: 0 })
  const done = await run('complete', uuid, '--values', '{"hdl-cholesterol":"0.9"}')
  expect(done).toMatchObject({ code: 0, stderr: '' })
  const { status, resultsUuid } = fake.referrals.retrieve(uuid)
  expect(status).toBe('COMPLETE')
  expect(await run('amend', resultsUuid ?? '', '--values', '{"hdl-cholesterol":"1.1"}')).toMatchObject({
    code: 0,
  })
  expect(await run('receive-incoming', '--tests', 'ferritin', '--partial')).toMatchObject({ code: 0 })
  expect(fake.results.all().at(-1)).toMatchObject({ provenance: 'INCOMING', status: 'PARTIAL_RESULTS' })
  expect(await run('issue', uuid)).toMatchObject({ code: 1, stderr: expect.stringContaining('COMPLETE') })
})

it('fake fault takes every field of a fault as an option', async () => {
  const fake = await startFake({ seedReferrals: 0 })
  const run = (...words: string[]) => runCommand(['fake', ...words], { env: environmentOf(fake) })
  expect(
    await run('fault', 'GET', '/v1/vendors', '--stall', 'headers', '--latency-ms', '5', '--truncate'),
  ).toMatchObject({ code: 0 })
  expect(fake.faults.list()).toMatchObject([{ fault: { stall: 'headers', latencyMs: 5, truncate: true } }])
})

it('fake trigger says why no webhook gets the event yet', async () => {
  const fake = await startFake({ seedReferrals: 5 })
  const run = (...words: string[]) => runCommand(['fake', ...words], { env: environmentOf(fake) })
  expect(await run('trigger', 'result.complete')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('eventUuid'),
    stderr: expect.stringContaining('no active webhook subscribes to it'),
  })
  let status = 500
  fake.webhooks.createInPortal({ url: 'https://hooks.clinic.example/' })
  fake.deliverTo('https://hooks.clinic.example/', () => new Response(null, { status }))
  expect(await run('trigger', 'result.complete')).toMatchObject({ code: 0, stderr: '' })
  await fake.settled()
  expect(await run('trigger', 'result.complete')).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^This event waits, .+: npx pathology fake advance 16m\n$/),
  })
  status = 200
  expect(await run('advance', '16m')).toMatchObject({ code: 0 })
  expect(fake.deliveries.map((delivery) => delivery.status)).toEqual(['delivered', 'delivered'])
  expect(await run('trigger', 'result.complete')).toMatchObject({ code: 0, stderr: '' })
})

it('fake explains an error of the control API', async () => {
  const fake = await startFake({ seedReferrals: 0 })
  const run = (...words: string[]) => runCommand(['fake', ...words], { env: environmentOf(fake) })
  expect(await run('resend')).toMatchObject({ code: 1, stderr: expect.stringContaining('no event') })
  expect(await run('trigger', 'referral.unheard')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('rejected'),
  })
  expect(await run('advance', 'soon')).toMatchObject({ code: 2 })
  expect(await run('fault')).toMatchObject({ code: 2 })
  expect(await runCommand(['fake', 'advance', '1h'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('PATHOLOGY_FAKE_CONTROL_URL'),
  })
  expect(
    await runCommand(['fake', 'advance', '1h', '--control-url', 'https://api.example.com']),
  ).toMatchObject({ code: 2 })
  expect(await runCommand(['fake', 'advance', '1h', '--control-url', 'http://127.0.0.1:1'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Check that the fake is running'),
  })
})

function fileError(code: string): Error {
  return Object.assign(new Error('read failed'), { code })
}
