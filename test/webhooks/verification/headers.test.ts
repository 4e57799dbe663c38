import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import {
  deliveryTime,
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
} from 'pathology-sdk/webhooks'
import { expect, it, onTestFinished, vi } from 'vitest'
import { listening } from '../support.js'
import { ISSUED_VECTOR, SECRET } from './vectors.js'

const { body, signature } = ISSUED_VECTOR
const NAME = 'x-svc-hmac-sha256'

const shapes: readonly (readonly [title: string, headers: WebhookHeaders])[] = [
  ['Headers', new Headers({ [NAME]: signature })],
  ['a record in lower case', { host: 'example.org', [NAME]: signature }],
  ['a record in any case', { 'X-SVC-Hmac-SHA256': signature }],
  ['a record of lists', { [NAME]: [signature] }],
  ['a record with holes', { accept: undefined, [NAME]: signature }],
  ['a record without a prototype', Object.assign(Object.create(null), { [NAME]: signature })],
  ['a record with a header named get', { get: 'x', [NAME]: signature }],
  ['a Map', new Map([['X-Svc-Hmac-Sha256', signature]])],
  [
    'pairs',
    [
      ['accept', '*/*'],
      ['X-Svc-Hmac-Sha256', signature],
    ],
  ],
  ["Node's raw headers", ['Host', 'example.org', 'X-Svc-Hmac-Sha256', signature]],
  ["Node's raw headers with the name for a value", ['X-Note', NAME, NAME, signature]],
  ["the header's only value in a list", [signature]],
  [
    'a record with nothing under the name in capitals',
    { [NAME.toUpperCase()]: undefined, [NAME]: signature },
  ],
  ['a record that has a list of headers too', { [NAME]: signature, headers: ['host'] }],
]

const doubled: readonly (readonly [title: string, headers: WebhookHeaders])[] = [
  [
    'Headers',
    new Headers([
      [NAME, signature],
      [NAME, signature],
    ]),
  ],
  ['a record of lists', { [NAME]: [signature, signature] }],
  ['a record in two cases', { [NAME]: signature, [NAME.toUpperCase()]: signature }],
  [
    'a Map in two cases',
    new Map([
      [NAME, signature],
      [NAME.toUpperCase(), signature],
    ]),
  ],
  [
    'pairs',
    [
      [NAME, signature],
      [NAME, signature],
    ],
  ],
  ["Node's raw headers", [NAME, signature, NAME, signature]],
  ['a joined value', { [NAME]: `${signature}, ${signature}` }],
  ['a valid value joined to an invalid one', { [NAME]: `${signature}, 00` }],
]

it.each(shapes)('the signature is read from %s (§6)', async (_title, headers) => {
  await expect(verifyWebhook(body, headers, SECRET)).resolves.toMatchObject({
    eventName: 'referral.issued',
  })
})

it.each(doubled)('a signature that is twice in %s is rejected (§6)', async (_title, headers) => {
  await expect(verifyWebhook(body, headers, SECRET)).rejects.toMatchObject({
    reason: 'signature-ambiguous',
  })
})

it.each<[string, WebhookHeaders]>([
  ['Headers', new Headers({ host: 'example.org' })],
  ['a Map', new Map([['host', 'example.org']])],
  ['pairs', [['host', 'example.org']]],
  ['a record with a header named headers', { headers: 'host' }],
  ['a record with nothing under its name', { [NAME]: undefined }],
  ['an empty list', []],
  ['nothing at all', null],
])('a signature is missing in %s that lack it (§6)', async (_title, headers) => {
  await expect(verifyWebhook(body, headers, SECRET)).rejects.toMatchObject({ reason: 'signature-missing' })
})

it.each([
  ['null under its name', { [NAME]: null }, 'signature-missing'],
  [
    'pairs of which one has no name',
    [
      [null, 'x'],
      [NAME, signature],
    ],
    'accepted',
  ],
  ['pairs among other things', [[NAME, signature], 'x'], 'signature-ambiguous'],
  ['the function that reads them', (): string => signature, 'headers-unreadable'],
])('headers of plain JavaScript are judged: %s: %s', async (_title, headers, verdict) => {
  const outcome = await verifyWebhook(body, headers as WebhookHeaders, SECRET).then(
    () => 'accepted',
    (error: unknown) => error instanceof WebhookVerificationError && error.reason,
  )
  expect(outcome).toBe(verdict)
})

it('an inherited property of a record is no signature', async () => {
  const headers: Record<string, string> = Object.create({ [NAME]: signature })
  await expect(verifyWebhook(body, headers, SECRET)).rejects.toMatchObject({ reason: 'signature-missing' })
})

it.each([
  ['once', [NAME, signature], 'accepted'],
  ['twice', [NAME, signature, NAME, signature], 'signature-ambiguous'],
  ['twice in different case', [NAME, signature, 'X-Svc-Hmac-Sha256', signature], 'signature-ambiguous'],
  ['not at all', [], 'signature-missing'],
])(
  'the headers of a node:http server are judged when the signature is sent %s (§6)',
  async (_title, rawHeaders, verdict) => {
    const seen: { headers: IncomingHttpHeaders; distinct: WebhookHeaders; raw: readonly string[] }[] = []
    const server = createServer((incoming, response) => {
      seen.push({ headers: incoming.headers, distinct: incoming.headersDistinct, raw: incoming.rawHeaders })
      response.end()
    })
    const origin = await listening(server)
    await new Promise((resolve, reject) => {
      request(origin, { method: 'POST', headers: ['Host', 'localhost', ...rawHeaders] }, (response) => {
        response.resume().on('end', resolve)
      })
        .on('error', reject)
        .end()
    })
    const [received] = seen
    for (const headers of [received?.headers, received?.distinct, received?.raw]) {
      const outcome = await verifyWebhook(body, headers, SECRET).then(
        () => 'accepted',
        (error: unknown) => error instanceof WebhookVerificationError && error.reason,
      )
      expect(outcome).toBe(verdict)
    }
  },
)

it.each([
  ['2026-03-09T22:14:05.123Z', '2026-03-09T22:14:05.123Z'],
  ['2026-03-10T09:14:05+11:00', '2026-03-09T22:14:05.000Z'],
  ['2026-03-09T22:14Z', '2026-03-09T22:14:00.000Z'],
  ['2026-03-09T22:14:05', '2026-03-09T22:14:05.000Z'],
  ['2026-03-10T09:14:05+1100', '2026-03-09T22:14:05.000Z'],
  ['1773094445', '2026-03-09T22:14:05.000Z'],
  ['1773094445123', '2026-03-09T22:14:05.123Z'],
])('deliveryTime reads %s (§6)', (text, expected) => {
  vi.stubEnv('TZ', 'Australia/Sydney')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(deliveryTime({ 'X-Svc-Delivery-Time': text })?.toISOString()).toBe(expected)
  expect(deliveryTime(new Headers({ 'x-svc-delivery-time': text }))?.toISOString()).toBe(expected)
})

it.each([
  '',
  'soon',
  '-5',
  '2026-13-45T99:99:99Z',
  '2026-02-30T10:00:00Z',
  '2026-03-09',
  '12',
  '1e12',
  '17730944451230000',
  '+002026-03-09T22:14:05Z',
  '2026-03-09T22:14:05Z (sent)',
  '-1773094445',
  '1773094445.5',
])('deliveryTime returns undefined for %j', (text) => {
  expect(deliveryTime({ 'x-svc-delivery-time': text })).toBeUndefined()
})

it('deliveryTime is undefined without its header', () => {
  expect(deliveryTime({})).toBeUndefined()
  expect(deliveryTime(undefined)).toBeUndefined()
})

it.each([7, { 'x-svc-delivery-time': 1_773_094_445 }])(
  'deliveryTime is undefined for headers that are not readable: %j',
  (headers) => {
    expect(deliveryTime(headers as unknown as WebhookHeaders)).toBeUndefined()
  },
)
