import { type ClientOptions, ConfigurationError, PathologyClient } from 'pathology-sdk'
import { Agent } from 'undici'
import { describe, expect, it, vi } from 'vitest'
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
const COUNTS = ['maxSockets'] as const
const NUMBERS = ['timeout', 'orderRecoveryTimeout'] as const

const CHECKS: readonly (readonly [options: Record<string, unknown>, message: string])[] = [
  [{ timeOut: 5 }, 'timeOut is not an option of PathologyClient; did you mean timeout?'],
  [{ timout: 5 }, 'timout is not an option of PathologyClient; did you mean timeout?'],
  [{ retries: 5 }, 'retries is not an option of PathologyClient'],
  [
    { __proto__: null, apiversion: '1.1.0' },
    'apiversion is not an option of PathologyClient; did you mean apiVersion?',
  ],
  ...(['baseUrl', 'authUrl'] as const).flatMap((name) => {
    const ending = name === 'baseUrl' ? '/v1' : '/oauth/token'
    const cases: [string | number | null, string][] = [
      ['api.clinic.example', `${name} must be a URL such as https://api.example.com`],
      [
        'http://api.clinic.example',
        `${name} must use https; plain http is permitted only for loopback addresses`,
      ],
      [
        'http://127.0.0.1.evil.example',
        `${name} must use https; plain http is permitted only for loopback addresses`,
      ],
      [
        'http://localhost.evil.example',
        `${name} must use https; plain http is permitted only for loopback addresses`,
      ],
      [
        'ftp://api.clinic.example',
        `${name} must use https; plain http is permitted only for loopback addresses`,
      ],
      ['javascript:alert(1)', `${name} must use https; plain http is permitted only for loopback addresses`],
      ['https://me:pass@api.clinic.example', `${name} must not contain credentials`],
      ['https://api.clinic.example?x=1', `${name} must not contain a query or a fragment`],
      ['https://api.clinic.example#x', `${name} must not contain a query or a fragment`],
      [`https://api.clinic.example/base${ending}`, `${name} must not end with ${ending}; the client adds it`],
      [
        `https://api.clinic.example/base${ending}//`,
        `${name} must not end with ${ending}; the client adds it`,
      ],
      ...[
        ' https://api.clinic.example',
        'https://api.clinic.example\n',
        'https://api.\tclinic.example/a b',
      ].map((value): [string, string] => [
        value,
        `${name} contains white space; check that it was copied without a line break`,
      ]),
      ['', `${name} must be a string that is not empty`],
      [' ', `${name} must be a string that is not empty`],
      [7, `${name} must be a string that is not empty`],
      [null, `${name} must be a string that is not empty`],
    ]
    return cases.map(([value, message]): [Record<string, unknown>, string] => [{ [name]: value }, message])
  }),
  ...(['clientId', 'clientSecret'] as const).flatMap((name): [Record<string, unknown>, string][] => [
    [{ [name]: '' }, `${name} must be a string that is not empty`],
    [{ [name]: 7 }, `${name} must be a string that is not empty`],
    [
      { [name]: 'x\n' },
      `${name} begins or ends with white space; check that it was copied without a line break`,
    ],
    [
      { [name]: ' x' },
      `${name} begins or ends with white space; check that it was copied without a line break`,
    ],
  ]),
  [
    { clientId: 'a:b' },
    "clientId contains a colon, which a Basic header does not permit: set clientAuthentication to 'body'",
  ],
  [{ clientAuthentication: 'header' }, "clientAuthentication must be 'basic' or 'body'"],
  [{ responseValidation: 'loose' }, "responseValidation must be 'warn' or 'strict' or 'off'"],
  [{ responseValidation: null }, "responseValidation must be 'warn' or 'strict' or 'off'"],
  [{ apiVersion: '1.1' }, "apiVersion must be '1.0.0' or '1.1.0'"],
  [{ apiVersion: '1.1.0\r\nx: y' }, "apiVersion must be '1.0.0' or '1.1.0'"],
  [{ apiVersion: null }, "apiVersion must be '1.0.0' or '1.1.0'"],
  ...NUMBERS.flatMap((name): [Record<string, unknown>, string][] =>
    [-1, Number.NaN, '5', null, {}].map((value) => [
      { [name]: value },
      `${name} must be a number of milliseconds, 0 or more`,
    ]),
  ),
  ...WHOLE.flatMap((name): [Record<string, unknown>, string][] => [
    ...[-1, Number.NaN, '5', null].map((value): [Record<string, unknown>, string] => [
      { [name]: value },
      `${name} must be an integer of at least 0`,
    ]),
    [{ [name]: 1.5 }, `${name} must be an integer of at least 0`],
  ]),
  ...COUNTS.flatMap((name): [Record<string, unknown>, string][] => [
    [{ [name]: 0 }, `${name} must be an integer of at least 1`],
    [{ [name]: 1.5 }, `${name} must be an integer of at least 1`],
  ]),
  ...[null, 'clinic'].map((appInfo): [Record<string, unknown>, string] => [
    { appInfo },
    'appInfo must be an object',
  ]),
  [{ appInfo: { name: '' } }, 'appInfo.name must be a non-empty string of printable ASCII'],
  [{ appInfo: {} }, 'appInfo.name must be a non-empty string of printable ASCII'],
  [{ appInfo: { name: 'a\r\nx: y' } }, 'appInfo.name must be a non-empty string of printable ASCII'],
  [{ appInfo: { name: 'a', version: 'é' } }, 'appInfo.version must be a non-empty string of printable ASCII'],
  [{ appInfo: { name: 'a', url: 7 } }, 'appInfo.url must be a non-empty string of printable ASCII'],
  [{ fetch: globalThis.fetch, dispatcher: new Agent() }, 'pass either dispatcher or fetch, not both'],
]

describe('options: each check with its message', () => {
  it.each(CHECKS)('%j', (change, message) => {
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
  ])('%s of another kind is rejected, and the error names it', (name, value) => {
    expect(refusal({ ...good, [name]: value }).message).toContain(name)
  })

  it.each([null, 'https://api.clinic.example', 7, []])('options %j are rejected', (options) => {
    expect(refusal(options)).toBeInstanceOf(ConfigurationError)
  })
})

describe('options: accepted values', () => {
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
  ])('baseUrl %s', (baseUrl) => {
    expect(() => new PathologyClient({ ...good, baseUrl })).not.toThrow()
  })

  it('0 means zero, Infinity means no limit, undefined means the default', () => {
    const numbers = [...NUMBERS, ...WHOLE]
    for (const value of [0, Number.POSITIVE_INFINITY, undefined]) {
      const options = Object.fromEntries(numbers.map((name) => [name, value]))
      expect(() => new PathologyClient({ ...good, ...options })).not.toThrow()
    }
  })

  it('a path prefix is kept, with one slash', async () => {
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

  it('the options and their nested values are not changed', () => {
    const options = Object.freeze({ ...good, appInfo: Object.freeze({ name: 'clinic' }) })
    expect(() => new PathologyClient(options)).not.toThrow()
  })
})

describe('options: from the environment', () => {
  const stub = (values: Partial<Record<(typeof VARIABLES)[number], string>>) => {
    for (const name of VARIABLES) vi.stubEnv(name, values[name])
  }

  it('all four variables', async () => {
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

  it('an option overrides its variable', async () => {
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
  ] as const)('%s missing: the error names its variable', (name, variable) => {
    stub({})
    expect(refusal({ ...good, [name]: undefined }).message).toBe(
      `${name} is required: pass it, or set the environment variable ${variable}`,
    )
  })

  it('all missing values are named at once', () => {
    stub({ PATHOLOGY_CLIENT_ID: 'id' })
    expect(refusal({}).message).toBe(
      'baseUrl, authUrl, clientSecret are required: pass them, or set the environment variables ' +
        'PATHOLOGY_BASE_URL, PATHOLOGY_AUTH_URL, PATHOLOGY_CLIENT_SECRET',
    )
  })

  it('everything is missing: the error names the flag that reads a .env file', () => {
    stub({})
    expect(refusal({}).message).toMatch(/_CLIENT_SECRET; Node reads a file with --env-file=\.env$/)
  })

  it('null does not mean the default: the variable does not replace a value that failed to load', () => {
    stub({ PATHOLOGY_CLIENT_SECRET: 'from-env' })
    expect(refusal({ ...good, clientSecret: null }).message).toBe(
      'clientSecret must be a string that is not empty',
    )
  })

  it('an empty variable has its own message', () => {
    stub({ PATHOLOGY_CLIENT_SECRET: '' })
    expect(refusal({ ...good, clientSecret: undefined }).message).toBe(
      'clientSecret must be a string that is not empty',
    )
  })
})

describe('options of a call', () => {
  it.each([
    [{ timeout: -1 }, 'timeout must be a number of milliseconds, 0 or more'],
    [{ timeout: Number.NaN }, 'timeout must be a number of milliseconds, 0 or more'],
    [{ timeout: null }, 'timeout must be a number of milliseconds, 0 or more'],
    [{ timeout: '5' }, 'timeout must be a number of milliseconds, 0 or more'],
    [{ maxRetries: -1 }, 'maxRetries must be an integer of at least 0'],
    [{ maxRetries: 1.5 }, 'maxRetries must be an integer of at least 0'],
    [{ apiVersion: '2.0.0' }, "apiVersion must be '1.0.0' or '1.1.0'"],
  ])('%j', async (options, message) => {
    const service = await ScriptedServer.start()
    const call = options as { timeout?: number }
    const client = clientOf(service.origin)
    for (const promise of [client.referrals.retrieve(UUID, call), client.referrals.create(order(), call)]) {
      expect(await rejection(promise)).toMatchObject({ name: 'ConfigurationError', message })
    }
    expect(service.requests).toHaveLength(0)
  })
})
