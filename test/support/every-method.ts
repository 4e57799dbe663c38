import type { PathologyClient } from 'pathology-sdk'
import { medicareOrder, order, UUID, WEBHOOK_ID } from './samples.js'

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])
const NUMBER = '2426621B'
const SUBSCRIPTION = { url: 'https://hooks.example.com/in', events: ['referral.issued', 'result.complete'] }

/** Options of a call; a test can change each of them. */
const call = () => ({
  headers: { 'x-clinic': 'south' },
  timeout: 50_000,
  maxRetries: 1,
  apiVersion: '1.1.0',
  signal: new AbortController().signal,
})

const withMetadata = () => ({ metadata: { clinic: { name: 'south', rooms: [1, 2] }, seen: new Date(0) } })

/** A method, and new arguments for it each time. Methods without arguments have only options. */
export type MethodCall = readonly [name: string, args: () => unknown[]]

/** Every method that sends a request. Each has the header `x-clinic`. */
export const EVERY_METHOD: readonly MethodCall[] = [
  [
    'referrals.create',
    () => [medicareOrder(withMetadata()), { ...call(), orderKey: 'key-1', since: new Date(0) }],
  ],
  ['referrals.validate', () => [order(withMetadata()), call()]],
  ['referrals.retrieve', () => [UUID, call()]],
  ['referrals.list', () => [{ sort: 'desc', count: 2 }, call()]],
  [
    'referrals.update',
    () => [UUID, { ...withMetadata(), phone: '0400 111 222', address: order().address }, call()],
  ],
  ['referrals.delete', () => [UUID, call()]],
  ['referrals.generateResults', () => [UUID, { ...call(), partial: true }]],
  ['referrals.findByReferenceNumber', () => ['ref-77', { ...call(), since: new Date(0) }]],
  ['referrals.findByOrderKey', () => ['key-1', { ...call(), since: new Date(0) }]],
  ['referrals.waitFor', () => [UUID, { ...call(), status: ['COMPLETE'], interval: 10 }]],
  ['referrals.document', () => [UUID, call()]],
  ['results.retrieve', () => [UUID, call()]],
  ['results.list', () => [{ sort: 'asc', count: 2 }, call()]],
  ['results.document', () => [UUID, call()]],
  ['tests.list', () => [{ include: ['biomarkers'] }, call()]],
  ['biomarkers.list', () => [{ cursor: undefined }, call()]],
  ['bundles.list', () => [{ includeUnlisted: true }, call()]],
  ['prices.calculate', () => [{ tests: ['fbc', 'tsh'], bundleId: 'b' }, call()]],
  [
    'providers.save',
    () => [
      { providerNumber: NUMBER, name: 'A', address: 'B', encodedSignature: new Uint8Array(PNG) },
      call(),
    ],
  ],
  ['providers.list', () => [{ count: 2 }, call()]],
  ['providers.retrieve', () => [NUMBER, call()]],
  ['providers.update', () => [NUMBER, { name: 'A', encodedSignature: new Uint8Array(PNG).buffer }, call()]],
  ['providers.retire', () => [NUMBER, call()]],
  [
    'providers.requestRouting',
    () => [
      NUMBER,
      { vendorIds: ['a', 'b'], attestation: { attestedBy: 'C', doctorSignedAt: new Date(0) } },
      call(),
    ],
  ],
  ['vendors.list', () => [{ cursor: undefined }, call()]],
  ['centres.list', () => [{ states: ['TAS', 'WA'], changedSince: new Date(0), count: 2 }, call()]],
  ['centres.nearest', () => [{ lat: -42, lng: 147, vendors: ['a'] }, call()]],
  ['centres.retrieve', () => [UUID, call()]],
  ['centres.changes', () => [{ since: new Date(0) }, call()]],
  ['webhooks.create', () => [structuredClone(SUBSCRIPTION), call()]],
  ['webhooks.retrieve', () => [WEBHOOK_ID, call()]],
  ['webhooks.list', () => [{ count: 2 }, call()]],
  ['webhooks.update', () => [WEBHOOK_ID, structuredClone(SUBSCRIPTION), call()]],
  ['webhooks.delete', () => [WEBHOOK_ID, call()]],
  ['webhooks.eventNames', () => [call()]],
]

/** Calls a method, and reads its list or its document to the end. */
export function callMethod(
  client: PathologyClient,
  name: string,
  args: readonly unknown[],
): Promise<unknown> {
  const [resource = '', method = ''] = name.split('.')
  const owner: unknown = Reflect.get(client, resource)
  const called: unknown = Reflect.apply(Reflect.get(Object(owner), method), owner, args)
  if (name.endsWith('.document')) return (called as { bytes: () => Promise<unknown> }).bytes()
  return Symbol.asyncIterator in Object(called)
    ? drained(called as AsyncIterable<unknown>)
    : Promise.resolve(called)
}

async function drained(list: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = []
  for await (const item of list) all.push(item)
  return all
}
