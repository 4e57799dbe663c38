import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { expect, it, onTestFinished } from 'vitest'
import { checkApi, checkToken } from '../../../src/cli/doctor/service.js'
import { checkNode } from '../../../src/cli/doctor/settings.js'
import { records, startFake } from '../../testing/support.js'
import { environmentOf, runCommand } from '../run-command.js'

const PROBLEMS: readonly (readonly [
  what: string,
  change: Readonly<Record<string, string>>,
  check: string,
  finding: Readonly<Record<string, RegExp>>,
])[] = [
  [
    'a variable with an invalid form',
    { PATHOLOGY_CLIENT_SECRET: 'secret-value\n' },
    'variables',
    { message: /white space/ },
  ],
  [
    'invalid credentials, with the error of the token service',
    { PATHOLOGY_CLIENT_SECRET: 'secret-value' },
    'token',
    { message: /123 InvalidCredentials/ },
  ],
  [
    'a fake that is not running',
    { PATHOLOGY_AUTH_URL: 'http://127.0.0.1:2' },
    'token',
    { message: /^the token service does not respond: ECONNREFUSED$/, fix: /start npx pathology-fake/ },
  ],
  [
    'a host name without an address',
    { PATHOLOGY_BASE_URL: 'https://no-such-host.invalid' },
    'DNS API',
    { message: /./ },
  ],
  [
    'a port without a server',
    { PATHOLOGY_BASE_URL: 'https://127.0.0.1:1' },
    'TLS API',
    { message: /ECONNREFUSED/ },
  ],
]

/** Runs the doctor; its findings by the name of the check. */
async function doctor(env: Record<string, string>, now?: number) {
  const { code, stdout, stderr } = await runCommand(['doctor', '--json'], {
    env,
    ...(now !== undefined && { now }),
  })
  expect(stderr).toBe('')
  const findings = records(JSON.parse(stdout))
  for (const { status, fix, check } of findings)
    expect(fix !== undefined, String(check)).toBe(status === 'warning' || status === 'failure')
  return { code, stdout, of: new Map(findings.map((finding) => [finding['check'], finding])) }
}

/** A fake that follows the system clock. */
const startRunning = () => startFake({ seedReferrals: 0, startTime: undefined })

/** An endpoint that responds with one status. */
async function startEndpoint(status: number): Promise<string> {
  const location = status === 302 ? { location: 'https://elsewhere.example' } : {}
  const origin = await startService((response) => response.writeHead(status, location).end())
  return `${origin}/hook`
}

/** A service with one handler for all requests. Returns its origin. */
async function startService(respond: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_, response) => respond(response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it('doctor reports no problem for a working environment', async () => {
  const fake = await startRunning()
  const webhook = fake.webhooks.createInPortal({ url: await startEndpoint(405) })
  const { code, of, stdout } = await doctor(environmentOf(fake))
  expect([...of.values()].filter(({ status }) => status === 'failure' || status === 'warning')).toEqual([])
  expect(code).toBe(0)
  expect([...of.keys()]).toEqual([
    ...['node', 'variables', 'webhook secret', 'DNS API', 'TLS API', 'token', 'scopes'],
    ...['API 1.1.0', 'clock', 'API 1.0.0', `webhook ${webhook.id}`],
  ])
  expect(stdout).not.toContain(fake.clientOptions().clientSecret)
})

it.each([
  ['responds with 503', 503, 'failure'],
  ['redirects', 302, 'warning'],
])('doctor reports a subscription whose URL %s', async (words, status, expected) => {
  const fake = await startRunning()
  const { id } = fake.webhooks.createInPortal({ url: await startEndpoint(status) })
  const { code, of } = await doctor(environmentOf(fake))
  expect(of.get(`webhook ${id}`)).toMatchObject({
    status: expected,
    message: expect.stringContaining(words),
  })
  expect(code).toBe(expected === 'failure' ? 3 : 0)
})

it('doctor reports a webhook URL that does not respond, and a paused subscription', async () => {
  const fake = await startRunning()
  const silent = fake.webhooks.createInPortal({ url: 'http://127.0.0.1:1/hook' })
  const paused = fake.webhooks.createInPortal({ url: 'https://clinic.example/hook' })
  const env = environmentOf(fake)
  await runCommand(['webhooks', 'pause', paused.id], { env })
  const { code, of } = await doctor(env)
  expect(of.get(`webhook ${silent.id}`)).toMatchObject({
    status: 'failure',
    message: expect.stringContaining('does not respond'),
  })
  expect(of.get(`webhook ${paused.id}`)).toMatchObject({
    status: 'warning',
    fix: expect.stringContaining('webhooks resume'),
  })
  expect(code).toBe(3)
})

it.each(PROBLEMS)('doctor reports %s, without a secret', async (_, change, check, texts) => {
  const { code, of, stdout } = await doctor({ ...environmentOf(await startRunning()), ...change })
  expect(code).toBe(3)
  expect(of.get(check)).toMatchObject({
    status: 'failure',
    ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, expect.stringMatching(text)])),
  })
  expect(stdout).not.toContain('secret-value')
})

it('doctor names missing variables and sends nothing', async () => {
  const { code, of } = await doctor({ PATHOLOGY_BASE_URL: 'https://api.example.com' })
  expect(code).toBe(3)
  expect(of.get('variables')).toMatchObject({
    status: 'failure',
    message: 'not set: PATHOLOGY_AUTH_URL, PATHOLOGY_CLIENT_ID, PATHOLOGY_CLIENT_SECRET',
  })
  expect(of.get('network')).toMatchObject({ status: 'skipped' })
})

it('doctor sends credentials with any characters as UTF-8, as the client does', async () => {
  const fake = await startFake({ seedReferrals: 0, startTime: undefined, clientSecret: 'sécret-€' })
  expect((await doctor(environmentOf(fake))).of.get('token')).toMatchObject({ status: 'ok' })
})

it('doctor reports a token service that responds too late', async () => {
  const late = AbortSignal.timeout(1)
  const request = (): Promise<never> =>
    new Promise((_, reject) => {
      late.addEventListener('abort', () => reject(late.reason))
    })
  expect(await checkToken(request)).toMatchObject([
    { status: 'failure', message: 'the token service does not respond: TIMEOUT' },
  ])
})

it.each([3600, '3600'])('doctor shows the lifetime of a token with expires_in %j', async (seconds) => {
  const authUrl = await startService((response) =>
    response.end(JSON.stringify({ access_token: 'opaque', expires_in: seconds })),
  )
  const { of } = await doctor({ ...environmentOf(await startRunning()), PATHOLOGY_AUTH_URL: authUrl })
  expect(of.get('token')).toMatchObject({ message: 'the token service issued a token for 3600 s' })
})

it('doctor reports credentials of another environment', async () => {
  const [one, other] = [
    await startRunning(),
    await startFake({ seedReferrals: 0, startTime: undefined, seed: 2 }),
  ]
  const env = { ...environmentOf(one), PATHOLOGY_BASE_URL: other.baseUrl }
  other.tokens.rotateSigningKey()
  const { code, of } = await doctor(env)
  expect(code).toBe(3)
  expect(of.get('API 1.1.0')).toMatchObject({
    status: 'failure',
    fix: expect.stringContaining('environment'),
  })
})

it.each([
  [5, 'ok'],
  [60, 'warning'],
  [3_600, 'failure'],
])(
  'doctor calls a clock that differs by %d s from the clock of a service elsewhere a %s',
  async (seconds, status) => {
    await using client = new PathologyClient(new FakePathologyService().clientOptions())
    const now = () => Date.now() - seconds * 1_000
    const findings = await checkApi(client, now, { isLocal: false, signal: AbortSignal.timeout(10_000) })
    expect(findings.find(({ check }) => check === 'clock')).toMatchObject({ status })
  },
)

it('doctor accepts that the clock of a fake differs', async () => {
  const fake = await startRunning()
  await fake.clock.advance({ days: 3 })
  const { of } = await doctor(environmentOf(fake))
  expect(of.get('clock')).toMatchObject({
    status: 'ok',
    message: expect.stringContaining('of the fake differs'),
  })
})

it('doctor prints a fix for each problem, and warns about a proxy that is not used', async () => {
  const env = { ...environmentOf(await startRunning()), HTTPS_PROXY: 'http://proxy.example:3128' }
  const { code, stdout } = await runCommand(['doctor'], { env, isTTY: true })
  expect(code).toBe(0)
  expect(stdout).toContain('\u001b[33mwarning\u001b[39m  proxy: HTTPS_PROXY is set')
  expect(stdout).toContain('         fix: in your own program, set the option proxy')
})

it('doctor exits with 130 when Ctrl-C ends the request for a token', async () => {
  const fake = await startRunning()
  const interrupt = new AbortController()
  const authUrl = await startService(() => interrupt.abort())
  const env = { ...environmentOf(fake), PATHOLOGY_AUTH_URL: authUrl }
  expect(await runCommand(['doctor'], { env, signal: interrupt.signal })).toEqual({
    code: 130,
    stdout: '',
    stderr: '',
  })
})

it('doctor exits with 130 and no output when Ctrl-C comes during the check of TLS', async () => {
  const interrupt = new AbortController()
  // A server that never responds: the handshake has a limit of ten seconds.
  const server = createTcpServer((socket) => {
    socket.resume()
    interrupt.abort()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  onTestFinished(() => void server.close())
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const env = { ...environmentOf(await startRunning()), PATHOLOGY_BASE_URL: url, PATHOLOGY_AUTH_URL: url }
  expect(await runCommand(['doctor'], { env, signal: interrupt.signal })).toEqual({
    code: 130,
    stdout: '',
    stderr: '',
  })
})

it.each([
  ['20.18.0', 'failure'],
  ['20.18.1', 'ok'],
  ['20.19.0', 'ok'],
  ['22.0.0', 'ok'],
  ['21.7.0', 'failure'],
  ['18.20.0', 'failure'],
])('doctor judges the version of Node: %s is %s', (version, status) => {
  expect(checkNode(version).status).toBe(status)
})
