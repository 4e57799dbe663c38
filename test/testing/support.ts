import { connect, type Socket } from 'node:net'

import { FakePathologyService, type FakeStartOptions } from 'pathology-sdk/testing'
import { onTestFinished } from 'vitest'

/** Time of these fakes until a test advances their clock. */
export const NOW = '2026-03-02T09:00:00.000Z'

/** A started fake with a stopped clock. It is closed when the test ends. */
export async function startFake(options: FakeStartOptions = {}): Promise<FakePathologyService> {
  const fake = await FakePathologyService.start({ startTime: NOW, ...options })
  onTestFinished(() => fake.close())
  return fake
}

/** A fake without sockets, with a stopped clock. It is closed when the test ends. */
export function createFake(options: FakeStartOptions = {}): FakePathologyService {
  const fake = new FakePathologyService({ startTime: NOW, ...options })
  onTestFinished(() => fake.close())
  return fake
}

/** Headers of an authenticated request. */
export async function authorised(
  fake: FakePathologyService,
  version = '1.1.0',
): Promise<Record<string, string>> {
  const { access_token } = await fake.tokens.issue()
  return { authorization: `Bearer ${access_token}`, accept: `application/vnd.svc.v${version}+json` }
}

/** Status and JSON of a response. */
export async function read(response: Response): Promise<{ status: number; body: Record<string, unknown> }> {
  return { status: response.status, body: record(await response.json()) }
}

/** A value as an object, or a failed test. */
export function record(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`no object: ${String(value)}`)
  return { ...value }
}

/** A value as a list of objects, or a failed test. */
export function records(value: unknown): Record<string, unknown>[] {
  if (!Array.isArray(value)) throw new Error(`no list: ${String(value)}`)
  return value.map(record)
}

export const ORDER = {
  firstName: 'Ada',
  lastName: 'Byron',
  email: 'ada@patients.example',
  phone: '0491570156',
  address: {
    addressLine1: '1 Example Street',
    city: 'Sydney',
    state: 'NSW',
    postCode: '2000',
    country: 'Australia',
  },
  dob: '1980-01-31',
  gender: 'female',
  referenceNumber: 'ORDER-1',
  tests: ['lipid-panel'],
} as const

/** Places an order. Returns the response's status and body. */
export async function placeOrder(
  fake: FakePathologyService,
  headers: Record<string, string>,
  order: Readonly<Record<string, unknown>> = ORDER,
): Promise<{ status: number; body: unknown }> {
  const response = await fake.fetch(`${fake.baseUrl}/v1/referrals`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(order),
  })
  return { status: response.status, body: await response.json() }
}

/** Places an order over the API; the first referral's UUID. */
export async function orderOverApi(
  fake: FakePathologyService,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const { body } = await placeOrder(fake, await authorised(fake), { ...ORDER, ...fields })
  return String(records(body)[0]?.['uuid'])
}

/** Bytes received over a socket, and the end of the connection. */
export interface RawResponse {
  readonly text: string
  /** `open` when the connection was quiet, and did not end. */
  readonly end: 'closed' | 'reset' | 'open'
}

/**
 * Sends one request over a plain socket as raw bytes.
 * @param quietMs - Time without a byte, after the first one, until the connection counts as open.
 * @param firstMs - The same time before the first byte.
 */
export function rawRequest(
  url: string,
  path: string,
  headers: Record<string, string>,
  quietMs = 2_000,
  firstMs = 2_000,
): Promise<RawResponse> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket: Socket = connect(Number(port), hostname)
    let text = ''
    const finish = (end: RawResponse['end']): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ text, end })
    }
    let timer = setTimeout(() => finish('open'), firstMs)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      clearTimeout(timer)
      timer = setTimeout(() => finish('open'), quietMs)
    })
    socket.on('error', () => finish('reset'))
    socket.on('end', () => finish('closed'))
    const lines = Object.entries({ host: `${hostname}:${port}`, ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    )
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  })
}
