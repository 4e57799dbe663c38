import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { serialize } from 'node:v8'

import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { flagOf, OWN_FLAGS } from '../../../src/cli/commands/fake-start.js'
import { OPTION_RULES } from '../../../src/testing/options/option-rules.js'
import { bundle } from '../../support/bundle.js'
import {
  authorised,
  createFake,
  placeOrder,
  read,
  record,
  records,
  startFake,
} from '../../testing/support.js'
import { folderWith, runCommand } from '../run-command.js'

const MAIN = new URL('../../../src/cli/main-fake.ts', import.meta.url)
const { pathOf, remove } = await bundle(MAIN)
const CLI = pathOf(MAIN)
afterAll(remove)

type Child = ChildProcessByStdio<null, Readable, Readable>

function run(...words: string[]): Child {
  const child = spawn(process.execPath, [CLI, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return child
}

async function text(stream: Readable): Promise<string> {
  let whole = ''
  for await (const chunk of stream) whole += String(chunk)
  return whole
}

async function ended(...words: string[]) {
  const child = run(...words)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { code, stdout, stderr }
}

async function serving(...words: string[]): Promise<{ child: Child; ready: Record<string, string> }> {
  const child = run(...words)
  let line = ''
  for await (const chunk of child.stdout) {
    line += String(chunk)
    if (line.includes('\n')) break
  }
  const entries = Object.entries(record(JSON.parse(line))).map(([name, value]) => [name, String(value)])
  return { child, ready: Object.fromEntries(entries) }
}

/** Output in a terminal when the fake is ready; `undefined` where no terminal can be created. */
async function seenInTerminal(): Promise<string | undefined> {
  if (!existsSync('/usr/bin/script')) return undefined
  const command = `'${process.execPath}' '${CLI}'`
  const child = spawn('/usr/bin/script', ['-qefc', command, '/dev/null'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => {
    child.kill('SIGTERM')
  })
  let seen = ''
  for await (const chunk of child.stdout) {
    seen += String(chunk)
    if (seen.includes('PATHOLOGY_FAKE_CONTROL_URL')) break
  }
  return seen
}

const token = async (ready: Record<string, string>) =>
  read(
    await fetch(`${ready['authUrl']}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: ready['clientId'] ?? '',
        client_secret: ready['clientSecret'] ?? '',
      }),
    }),
  )

describe('pathology-fake', { timeout: 30_000 }, () => {
  it('pathology-fake prints its values in a terminal as lines of a .env file', async (context) => {
    const seen = await seenInTerminal()
    if (seen === undefined) return context.skip('no script(1) here')
    const [line = ''] = seen.split('\n').filter((one) => one.startsWith('{'))
    const ready = record(JSON.parse(line))
    expect(seen).toContain(`Console: ${ready['controlUrl']}`)
    expect(seen).toContain(`PATHOLOGY_BASE_URL=${ready['baseUrl']}`)
    expect(seen).toContain(`PATHOLOGY_WEBHOOK_SECRET=${ready['signingSecret']}`)
    expect(seen).toContain(`PATHOLOGY_FAKE_CONTROL_URL=${ready['controlUrl']}`)
  })

  it('pathology-fake serves, prints only one line when a program reads it, and exits with 0 on Ctrl-C', async () => {
    const words = ['--port', '0', '--allow-loopback-webhooks', '--set', 'seedReferrals=3']
    const { child, ready } = await serving(...words)
    const names = ['baseUrl', 'authUrl', 'clientId', 'clientSecret', 'signingSecret', 'controlUrl']
    expect(Object.keys(ready)).toEqual(names)
    const { status, body } = await token(ready)
    expect(status).toBe(200)
    const headers = { authorization: `Bearer ${body['access_token']}`, 'content-type': 'application/json' }
    const list = await read(await fetch(`${ready['baseUrl']}/v1/referrals`, { headers }))
    expect(records(list.body['referrals']).length).toBeLessThanOrEqual(3)
    const hook = JSON.stringify({ url: 'http://127.0.0.1:9/hook', events: ['referral.created'] })
    const webhook = await fetch(`${ready['baseUrl']}/v1/webhooks`, { method: 'POST', headers, body: hook })
    expect(webhook.status).toBe(200)
    await webhook.arrayBuffer()
    const state = await read(await fetch(`${ready['controlUrl']}/state`))
    expect(state).toMatchObject({ status: 200, body: { counts: { webhooks: 1 } } })
    const [exit, stderr] = [once(child, 'exit'), text(child.stderr)]
    child.kill('SIGINT')
    expect([await exit, await stderr]).toEqual([[0, null], ''])
  })

  it('pathology-fake exits with 0 on SIGTERM while a client keeps its connection open', async () => {
    const words = ['--start-time', '2026-03-02T09:00:00Z', '--environment', 'production']
    const { child, ready } = await serving(...words)
    const state = await read(await fetch(`${ready['controlUrl']}/state`))
    expect(state.body).toMatchObject({
      now: '2026-03-02T09:00:00.000Z',
      options: { environment: 'production' },
    })
    const stream = await fetch(`${ready['controlUrl']}/changes`)
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await exit).toEqual([0, null])
    await stream.body?.cancel().catch(() => undefined)
  })

  it('pathology-fake --help names every flag and every option', async () => {
    const { code, stdout, stderr } = await ended('--help')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const name of Object.keys(OPTION_RULES)) expect(stdout).toContain(`--${flagOf(name)}`)
    for (const [flags] of OWN_FLAGS) expect(stdout).toContain(flags)
    expect(stdout).toContain('--version')
  })

  it('pathology-fake on a port in use gives one clear line and exit code 2', async () => {
    const fake = await startFake()
    const { port } = new URL(fake.baseUrl)
    const { code, stderr } = await ended('--port', port)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `pathology: port ${port} is in use; stop the program that uses it, or pass another port\n`,
    })
  })

  it('pathology-fake --seed accepts a file with a complete snapshot, and no other', async () => {
    const fake = createFake({ seedReferrals: 0 })
    await placeOrder(fake, await authorised(fake))
    const started = await startFake({ seedReferrals: 0 })
    started.restore(fake.snapshot())
    const seed = await (await fetch(`${started.controlUrl}/snapshot`)).text()
    const file = join(await folderWith({ 'seed.json': seed }), 'seed.json')
    const url = 'http://127.0.0.1:9/hooks'
    const { ready } = await serving('--seed', file, '--webhook-url', url)
    const response = await fetch(`${ready['controlUrl']}/referrals`)
    expect(records(await response.json())).toMatchObject([{ referenceNumber: 'ORDER-1' }])
    const webhooks = async (from: Record<string, string>) =>
      read(await fetch(`${from['controlUrl']}/console/webhooks`))
    const only = { body: { sections: [{}, { rows: [{ cells: [url, {}, {}] }] }, {}] } }
    expect(await webhooks(ready)).toMatchObject(only)
    await writeFile(file, await (await fetch(`${ready['controlUrl']}/snapshot`)).text())
    const again = await serving('--seed', file, '--webhook-url', url)
    expect(await webhooks(again.ready)).toMatchObject(only)
    const state = serialize({ server: {} }).toString('base64')
    for (const invalid of [{ some: 'thing' }, { format: 'pathology-fake/1', state }]) {
      await writeFile(file, JSON.stringify(invalid))
      const { code, stdout, stderr } = await runCommand(['fake', '--seed', file])
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(/^pathology: .*not a snapshot[^\n]+\n$/)
    }
  })
})

it('pathology-fake --version prints the version of the package', async () => {
  expect(await runCommand(['fake', '--version'])).toEqual({
    code: 0,
    stdout: `${manifest.version}\n`,
    stderr: '',
  })
})

it.each<[string, string[], RegExp]>([
  ['an unknown flag', ['--nope'], /unknown option '--nope'/],
  ['a word that is not a flag', ['serve'], /too many arguments for 'fake'/],
  ['a value of a switch', ['--review-hold', 'maybe'], /'reviewHold' must be true or false/],
  ['a flag without its value', ['--port'], /option '--port <N>' argument missing/],
  ['a host name with a port', ['--allowed-hosts', 'fake:80'], /--allowed-hosts .* must be host names/],
  ['an invalid port', ['--port', '70000'], /must be a port from 0 to 65535/],
  ['an unknown option', ['--set', 'colour=red'], /unknown option 'colour'/],
  ['a setting without a name', ['--set', 'red'], /--set needs name=value/],
  [
    'a value that the option does not accept',
    ['--environment', 'moon'],
    /'environment' must be one of staging, production/,
  ],
  [
    'an option of new data with a seed file',
    ['--seed', '/no/such/file', '--start-time', '2026-05-05T09:00Z'],
    /--start-time cannot be used with a seed file/,
  ],
  [
    'a setting of new data with a seed file',
    ['--set', 'seedReferrals=3', '--seed', '/no/such/file'],
    /--seed-referrals cannot be used with a seed file/,
  ],
  ['an unreadable seed file', ['--seed', '/no/such/file'], /cannot read the seed file '\/no\/such\/file'/],
  [
    'a host that is not of this machine',
    ['--host', '192.0.2.1'],
    /the value of --host is not an address of this machine/,
  ],
])('pathology-fake with %s gives a clear message and exit code 2', async (_name, words, message) => {
  const { code, stdout, stderr } = await runCommand(['fake', ...words])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(message)
})

it('FakePathologyService.start rejects when a port is in use, and leaves nothing running', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  onTestFinished(() => {
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  await expect(startFake({ controlPort: port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
})

it('a fake stops everything that it started, with close or with await using', async () => {
  let url = ''
  {
    await using fake = await startFake()
    url = fake.baseUrl
    expect((await fetch(`${url}/v1/vendors`)).status).toBe(401)
  }
  await expect(fetch(`${url}/v1/vendors`)).rejects.toThrow(TypeError)
})
