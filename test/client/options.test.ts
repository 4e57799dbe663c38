import { type ClientOptions, ConfigurationError, PathologyClient } from 'pathology-sdk'
import { Agent } from 'undici'
import { expect, it, vi } from 'vitest'
import { CANARIES, expectNoCanary } from '../support/canaries.js'
import { clientOf, rejection } from '../support/clients.js'
import { order, referral, UUID } from '../support/samples.js'
import { ScriptedServer } from '../support/scripted-server.js'

const good: ClientOptions = {
  baseUrl: 'https://api.clinic.example',
  authUrl: 'https://auth.clinic.example',
  clientId: 'client-1',
  clientSecret: CANARIES.clientSecret,
}

const VARIABLES = [
  'PATHOLOGY_BASE_URL',
  'PATHOLOGY_AUTH_URL',
  'PATHOLOGY_CLIENT_ID',
  'PATHOLOGY_CLIENT_SECRET',
] as const

function refusal(options: unknown): ConfigurationError {
  try {
    new PathologyClient(options as ClientOptions)
  } catch (error) {
    if (error instanceof ConfigurationError) return error
    throw error
  }
  throw new Error('the options were taken')
}

const WHOLE = ['maxRetries', 'maxRequestBytes', 'maxResponseBytes', 'maxDocumentBytes'] as const
const NUMBERS = ['timeout', 'orderRecoveryTimeout'] as const

type Check = readonly [options: Record<string, unknown>, message: string]

/** The same message for each of several values of an option. */
const each = (name: string, values: readonly unknown[], message: string): Check[] =>
  values.map((value) => [{ [name]: value }, message])

const HTTPS = 'must use https; plain http is permitted only for loopback addresses'
const EMPTY = 'must be a string that is not empty'
const COPIED = 'white space; check that it was copied without a line break'
const ASCII = 'must be a non-empty string of printable ASCII'
const API = 'https://api.clinic.example'

const CHECKS: readonly Check[] = [
  [{ timeOut: 5 }, 'timeOut is not an option of PathologyClient; did you mean timeout?'],
  [{ timout: 5 }, 'timout is not an option of PathologyClient; did you mean timeout?'],
  [{ retries: 5 }, 'retries is not an option of PathologyClient'],
  ...(['baseUrl', 'authUrl'] as const).flatMap((name) => {
    const ending = name === 'baseUrl' ? '/v1' : '/oauth/token'
    return [
      ...each(name, ['api.clinic.example'], `${name} must be a URL such as https://api.example.com`),
      ...each(name, ['http://api.clinic.example', 'http://127.0.0.1.evil.example'], `${name} ${HTTPS}`),
      ...each(name, ['ftp://api.clinic.example', 'javascript:alert(1)'], `${name} ${HTTPS}`),
      ...each(name, ['https://me:pass@api.clinic.example'], `${name} must not contain credentials`),
      ...each(name, [`${API}?x=1`, `${API}#x`], `${name} must not contain a query or a fragment`),
      ...each(
        name,
        [`${API}/a${ending}`, `${API}/a${ending}//`],
        `${name} must not end with ${ending}; the client adds it`,
      ),
      ...each(
        name,
        [` ${API}`, `${API}\n`, 'https://api.\tclinic.example/a b'],
        `${name} contains ${COPIED}`,
      ),
      ...each(name, ['', ' ', 7, null], `${name} ${EMPTY}`),
    ]
  }),
  ...['clientId', 'clientSecret'].flatMap((name) => [
    ...each(name, ['', 7], `${name} ${EMPTY}`),
    ...each(name, ['x\n', ' x'], `${name} begins or ends with ${COPIED}`),
  ]),
  [
    { clientId: 'a:b' },
    "clientId contains a colon, which a Basic header does not permit: set clientAuthentication to 'body'",
  ],
  [{ clientAuthentication: 'header' }, "clientAuthentication must be 'basic' or 'body'"],
  ...each('responseValidation', ['loose', null], "responseValidation must be 'warn' or 'strict' or 'off'"),
  ...each('apiVersion', ['1.1', '1.1.0\r\nx: y', null], "apiVersion must be '1.0.0' or '1.1.0'"),
  ...NUMBERS.flatMap((name) =>
    each(name, [-1, Number.NaN, '5', null, {}], `${name} must be a number of milliseconds, 0 or more`),
  ),
  ...WHOLE.flatMap((name) =>
    each(name, [-1, 1.5, Number.NaN, '5', null], `${name} must be an integer of at least 0`),
  ),
  ...each('maxSockets', [0, 1.5], 'maxSockets must be an integer of at least 1'),
  ...each('appInfo', [null, 'clinic'], 'appInfo must be an object'),
  ...each('appInfo', [{ name: '' }, {}, { name: 'a\r\nx: y' }], `appInfo.name ${ASCII}`),
  [{ appInfo: { name: 'a', version: 'é' } }, `appInfo.version ${ASCII}`],
  [{ appInfo: { name: 'a', url: 7 } }, `appInfo.url ${ASCII}`],
  [{ fetch: globalThis.fetch, dispatcher: new Agent() }, 'pass either dispatcher or fetch, not both'],
]

it.each(CHECKS)('the options %j are rejected: %s', (change, message) => {
  const error = refusal({ ...good, ...change })
  expect(error.message).toBe(message)
  expect(error.name).toBe('ConfigurationError')
  expectNoCanary(error)
})

it.each([
  ['fetch', 'https://x'],
  ['dispatcher', {}],
  ['logger', 'console'],
  ['clock', {}],
  ['random', 0.5],
  ['tokenStore', { get: () => undefined }],
])('the option %s of another kind is rejected, and the error names it', (name, value) => {
  expect(refusal({ ...good, [name]: value }).message).toContain(name)
})

it.each([null, 'https://api.clinic.example', 7, []])('options %j are rejected', (options) => {
  expect(refusal(options)).toBeInstanceOf(ConfigurationError)
})

it('a URL with 100,000 slashes is accepted', () => {
  const slashes = '/'.repeat(100_000)
  const baseUrl = `https://api.clinic.example${slashes}`
  const client = new PathologyClient({ ...good, baseUrl, authUrl: `${baseUrl}v` })
  expect(client.toJSON()['baseUrl']).toBe('https://api.clinic.example')
})

it.each([
  'https://api.clinic.example',
  'https://api.clinic.example/',
  'https://api.clinic.example:8443/base/path/',
  'http://localhost:3000',
  'http://127.0.0.1:3000',
  'http://127.8.8.8:3000',
  'http://[::1]:3000/base',
])('baseUrl may be %s', (baseUrl) => {
  expect(() => new PathologyClient({ ...good, baseUrl })).not.toThrow()
})

it('a numeric option may be 0, Infinity for no limit, and undefined for its default', () => {
  const numbers = [...NUMBERS, ...WHOLE]
  for (const value of [0, Number.POSITIVE_INFINITY, undefined]) {
    const options = Object.fromEntries(numbers.map((name) => [name, value]))
    expect(() => new PathologyClient({ ...good, ...options })).not.toThrow()
  }
})

it('a path prefix of baseUrl is kept, with one slash', async () => {
  const service = await ScriptedServer.start()
  service.on(`GET /a/b/v1/referrals/${UUID}`, { json: referral() })
  const client = clientOf(`${service.origin}/a/b/`, { authUrl: service.origin })
  await client.referrals.retrieve(UUID)
  expect(service.calls[0]?.path).toBe(`/a/b/v1/referrals/${UUID}`)
})

it('appInfo goes into the User-Agent', async () => {
  const service = await ScriptedServer.start()
  service.on(`GET /v1/referrals/${UUID}`, { json: referral() })
  const appInfo = { name: 'clinic', version: '2.0', url: 'https://clinic.example' }
  await clientOf(service.origin, { appInfo }).referrals.retrieve(UUID)
  expect(service.calls[0]?.headers['user-agent']).toMatch(
    /^pathology-sdk\/\S+ \(node \S+\) clinic\/2\.0 \(https:\/\/clinic\.example\)$/,
  )
})

it('the options of a client and their nested values are not changed', () => {
  const options = Object.freeze({ ...good, appInfo: Object.freeze({ name: 'clinic' }) })
  expect(() => new PathologyClient(options)).not.toThrow()
})

const stub = (values: Partial<Record<(typeof VARIABLES)[number], string>>) => {
  for (const name of VARIABLES) vi.stubEnv(name, values[name])
}

it('the four variables of the environment replace the options', async () => {
  const service = await ScriptedServer.start()
  service.on(`GET /v1/referrals/${UUID}`, { json: referral() })
  stub({
    PATHOLOGY_BASE_URL: service.origin,
    PATHOLOGY_AUTH_URL: service.origin,
    PATHOLOGY_CLIENT_ID: 'from-env',
    PATHOLOGY_CLIENT_SECRET: 'secret',
  })
  await using client = new PathologyClient()
  await client.referrals.retrieve(UUID)
  expect(service.tokenRequests[0]?.headers.authorization).toBe(`Basic ${btoa('from-env:secret')}`)
})

it('an option overrides its variable of the environment', async () => {
  stub({ PATHOLOGY_CLIENT_ID: 'from-env' })
  const service = await ScriptedServer.start()
  await clientOf(service.origin)
    .referrals.retrieve(UUID)
    .catch(() => undefined)
  expect(service.tokenRequests[0]?.headers.authorization).toContain(btoa('client-1:').slice(0, 10))
})

it.each([
  ['baseUrl', 'PATHOLOGY_BASE_URL'],
  ['authUrl', 'PATHOLOGY_AUTH_URL'],
  ['clientId', 'PATHOLOGY_CLIENT_ID'],
  ['clientSecret', 'PATHOLOGY_CLIENT_SECRET'],
] as const)('the error of a missing %s names its variable', (name, variable) => {
  stub({})
  expect(refusal({ ...good, [name]: undefined }).message).toBe(
    `${name} is required: pass it, or set the environment variable ${variable}`,
  )
})

it('the error of missing options names all of them', () => {
  stub({ PATHOLOGY_CLIENT_ID: 'id' })
  expect(refusal({}).message).toBe(
    'baseUrl, authUrl, clientSecret are required: pass them, or set the environment variables ' +
      'PATHOLOGY_BASE_URL, PATHOLOGY_AUTH_URL, PATHOLOGY_CLIENT_SECRET',
  )
})

it('the error of a client without options names the flag that reads a .env file', () => {
  stub({})
  expect(refusal({}).message).toMatch(/_CLIENT_SECRET; Node reads a file with --env-file=\.env$/)
})

it('null does not mean the default, so a variable does not replace a value that failed to load', () => {
  stub({ PATHOLOGY_CLIENT_SECRET: 'from-env' })
  expect(refusal({ ...good, clientSecret: null }).message).toBe(
    'clientSecret must be a string that is not empty',
  )
})

it('an empty variable of the environment has its own message', () => {
  stub({ PATHOLOGY_CLIENT_SECRET: '' })
  expect(refusal({ ...good, clientSecret: undefined }).message).toBe(
    'clientSecret must be a string that is not empty',
  )
})

it.each([
  [{ timeout: -1 }, 'timeout must be a number of milliseconds, 0 or more'],
  [{ timeout: null }, 'timeout must be a number of milliseconds, 0 or more'],
  [{ maxRetries: 1.5 }, 'maxRetries must be an integer of at least 0'],
  [{ apiVersion: '2.0.0' }, "apiVersion must be '1.0.0' or '1.1.0'"],
  [{ apiVersion: '1.1.0\r\nx: y' }, "apiVersion must be '1.0.0' or '1.1.0'"],
])('the options %j of a call are rejected: %s', async (options, message) => {
  const service = await ScriptedServer.start()
  const call = options as { timeout?: number }
  const client = clientOf(service.origin)
  for (const promise of [client.referrals.retrieve(UUID, call), client.referrals.create(order(), call)]) {
    expect(await rejection(promise)).toMatchObject({ name: 'ConfigurationError', message })
  }
  expect(service.requests).toHaveLength(0)
})
