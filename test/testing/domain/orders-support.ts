import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'

import { type ClockStep, type FakeOptions, FakePathologyService } from 'pathology-sdk/testing'
import { onTestFinished } from 'vitest'

import { RESPONSE_SCHEMAS } from '../../../src/contract/schemas/index.js'
import type { Referral, Result, Webhook } from '../../../src/contract/types.js'

/** Time of the stopped clock of these tests. */
export const START = '2026-03-02T01:00:00.000Z'

export interface TestResponse {
  readonly status: number
  readonly body: unknown
}

export interface CallSettings {
  readonly body?: unknown
  /** `null` sends no Accept header. */
  readonly version?: '1.0.0' | '1.1.0' | null
}

/** A fake of a test, over real HTTP; it ends with the test. */
export async function startFake(given: FakeOptions = {}) {
  const options = {
    startTime: START,
    seedReferrals: 0,
    allowLoopbackWebhooks: true,
    centreCount: 0,
    // Longer than any of these tests advances the clock.
    accessTokenSeconds: 365 * 86_400,
    ...given,
  }
  const service = await FakePathologyService.start(options)
  onTestFinished(() => service.close())
  const token = await accessToken(service.authUrl)
  const call = (method: string, path: string, callSettings: CallSettings = {}): Promise<TestResponse> =>
    request(`${service.baseUrl}${path}`, method, token, callSettings)
  return {
    call,
    advance: (step: ClockStep): Promise<void> => service.clock.advance(step),
    /** Runs everything that is due now, including deliveries. */
    settle: (): Promise<void> => service.clock.advance({ milliseconds: 0 }),
    now: (): number => service.clock.now(),
    service,
    referrals: service.referrals,
    results: service.results,
    webhooks: service.webhooks,
    get deliveries() {
      return service.deliveries
    },
    /** Places an order and returns its referrals, whatever the shape of the response. */
    async order(changes: Record<string, unknown> = {}, version: CallSettings['version'] = '1.1.0') {
      const answer = await call('POST', '/v1/referrals', { body: order(changes), version })
      return Array.isArray(answer.body) ? answer.body.map(toReferral) : [toReferral(answer.body)]
    },
    async orderOne(changes: Record<string, unknown> = {}): Promise<Referral> {
      const answer = await call('POST', '/v1/referrals', { body: order(changes), version: '1.0.0' })
      return toReferral(answer.body)
    },
    referral: async (uuid: string): Promise<Referral> =>
      toReferral((await call('GET', `/v1/referrals/${uuid}`)).body),
    result: async (uuid: string | null): Promise<Result> =>
      RESPONSE_SCHEMAS.Result.parse((await call('GET', `/v1/results/${uuid}`)).body),
    async subscribe(url: string, events: readonly string[], active = true): Promise<Webhook> {
      const answer = await call('POST', '/v1/webhooks', { body: { url, events, active } })
      return RESPONSE_SCHEMAS.Webhook.parse(answer.body)
    },
  }
}

export type TestFake = Awaited<ReturnType<typeof startFake>>

async function accessToken(authUrl: string): Promise<string> {
  const response = await fetch(`${authUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'fake-client-id',
      client_secret: 'fake-client-secret',
    }),
  })
  return String(fieldOf(await response.json(), 'access_token'))
}

async function request(
  url: string,
  method: string,
  token: string,
  { body, version = '1.1.0' }: CallSettings,
): Promise<TestResponse> {
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(version === null ? {} : { accept: `application/vnd.svc.v${version}+json` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer: unknown = await response.json()
  return { status: response.status, body: answer }
}

export function toReferral(body: unknown): Referral {
  return RESPONSE_SCHEMAS.Referral.strict().parse(body)
}

/** A field of a JSON object; `undefined` without one. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** The objects of a list in a JSON object. */
export function listOf(value: unknown, name: string): readonly unknown[] {
  const list = fieldOf(value, name)
  return Array.isArray(list) ? list : []
}

/** A valid order of one blood test, with changes; `undefined` omits a field. */
export function order(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    firstName: 'Wirra',
    lastName: 'Testlake',
    email: 'wirra@patients.example',
    phone: '0491 570 006',
    address: {
      addressLine1: '1 Wattle Street',
      city: 'Darwin',
      state: 'NT',
      postCode: '0800',
      country: 'Australia',
    },
    dob: '1980-02-29',
    gender: 'female',
    referenceNumber: 'REF-1',
    tests: ['full-blood-count'],
    ...changes,
  }
}

/** The fields of a Medicare order: a registered doctor with a signature. */
export const MEDICARE = {
  medicareTests: ['lipid-panel'],
  orderingPractitioner: {
    name: 'Dr Amelia Hartono',
    address: 'Suite 4, 120 Collins Street, Melbourne VIC 3000',
    providerNumber: '5731046F',
  },
  medicareCardNumber: '29518731251',
} as const

export interface Delivered {
  readonly headers: IncomingHttpHeaders
  readonly raw: string
  readonly json: unknown
}

/** A webhook receiver on loopback; it ends with the test. `responses` are the statuses to give, then 200. */
export async function startReceiver(answers: (number | 'hang' | 'reset')[] = []) {
  const received: Delivered[] = []
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const raw = Buffer.concat(chunks).toString('utf8')
      received.push({ headers: incoming.headers, raw, json: JSON.parse(raw) })
      const answer = answers.shift() ?? 200
      if (answer === 'hang') return
      if (answer === 'reset') incoming.socket.destroy()
      else response.writeHead(answer).end()
    })
  })
  const url = await listening(server)
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    url: `${url}/hooks`,
    received,
    /** Names of the events received, in order. */
    names: (): unknown[] => received.map(({ json }) => fieldOf(json, 'eventName')),
  }
}

function listening(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(`http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`)
    })
  })
}
