import { type ClientOptions, type FetchLike, PathologyClient } from 'pathology-sdk'
import { expect, it, onTestFinished } from 'vitest'
import { clientOf, fetchOf, rejection } from '../../support/clients.js'
import { callMethod, EVERY_METHOD, type MethodCall } from '../../support/every-method.js'
import {
  order,
  PRICE,
  page,
  provider,
  referral,
  result,
  UUID,
  WEBHOOK_ID,
  webhook,
} from '../../support/samples.js'
import { type Reply, ScriptedServer, type SeenRequest, token } from '../../support/scripted-server.js'
import { PDF } from '../documents/document-world.js'

const NUMBER = '2426621B'

/** Changes every value in an argument that can be changed. */
function mutate(value: unknown): void {
  if (typeof value !== 'object' || value === null || value instanceof AbortSignal) return
  if (value instanceof Date) return void value.setTime(9e11)
  if (value instanceof ArrayBuffer) return void new Uint8Array(value).fill(7)
  if (value instanceof Uint8Array) return void value.fill(7)
  for (const [name, part] of Object.entries(value)) {
    mutate(part)
    if (typeof part !== 'object') Reflect.set(value, name, 'changed')
    else if (part instanceof AbortSignal) Reflect.set(value, name, AbortSignal.abort())
  }
  if (Array.isArray(value)) value.push('added')
  else Object.assign(value, { added: 'added', 'x-added': 'added' })
}

/** A service that responds to everything, has lists of two pages, and loses the responses to changes. */
async function setUp(hold?: Promise<unknown>, options: ClientOptions = {}) {
  const service = await ScriptedServer.start()
  const files = await ScriptedServer.start()
  service.on('POST /oauth/token', async (request, nth) => {
    await hold
    return token(request, nth)
  })
  const url = (nth: number): string => `${files.origin}/files/${nth}`
  const one = (nth: number) =>
    referral({ uuid: UUID, referralAttachment: url(nth), status: nth > 2 ? 'COMPLETE' : 'ISSUED' })
  const pages =
    (key: string, record: object) =>
    (_: SeenRequest, nth: number): Reply => ({
      json: nth % 2 === 1 ? page(key, [record, record], 'next') : page(key, [record]),
    })
  const replies: Readonly<Record<string, Parameters<ScriptedServer['on']>[1]>> = {
    'GET /v1/referrals': pages('referrals', referral()),
    'POST /v1/referrals': { json: [referral(), referral({ medicare: true })] },
    'GET /v1/referrals/*': (_, nth) => ({ json: one(nth) }),
    'PATCH /v1/referrals/*': (_, nth) => (nth === 1 ? { reset: 'before' } : { json: referral() }),
    'DELETE /v1/referrals/*': { json: referral() },
    'PUT /v1/referrals/*': { json: referral() },
    'GET /v1/results': pages('results', result()),
    'GET /v1/results/*': (_, nth) => ({ json: result({ resultAttachment: url(nth) }) }),
    'GET /v1/tests': pages('tests', { uuid: UUID, id: 'one' }),
    'GET /v1/biomarkers': pages('biomarkers', { uuid: UUID, id: 'one' }),
    'GET /v1/bundles': pages('bundles', { uuid: UUID, id: 'one' }),
    'POST /v1/calculate': { json: { calculatePrice: PRICE } },
    'GET /v1/providers': pages('providers', provider()),
    'POST /v1/providers': { json: provider() },
    'GET /v1/providers/*': { json: provider() },
    'PUT /v1/providers/*': { json: provider() },
    'DELETE /v1/providers/*': { json: { object: 'provider', providerNumber: NUMBER, deleted: true } },
    [`POST /v1/providers/${NUMBER}/routing`]: { json: { connections: [] } },
    'GET /v1/vendors': pages('vendors', { uuid: UUID, id: 'one' }),
    'GET /v1/collection-centres': pages('collectionCentres', { uuid: UUID, id: 'one' }),
    'GET /v1/collection-centres/*': { json: {} },
    'POST /v1/webhooks': (_, nth) => (nth === 1 ? { reset: 'before' } : { json: webhook() }),
    'GET /v1/webhooks': { json: page('webhooks', [webhook()]) },
    'GET /v1/webhooks/*': { json: webhook() },
    'PATCH /v1/webhooks/*': { json: webhook() },
    'DELETE /v1/webhooks/*': { json: { object: 'webhook', id: WEBHOOK_ID, deleted: true } },
    'GET /v1/webhook-events': { json: { events: [] } },
  }
  for (const [route, reply] of Object.entries(replies)) service.on(route, reply)
  files.on('GET /files/*', { status: 403 }, { bytes: PDF })
  const client = clientOf(service.origin, { responseValidation: 'off', ...options })
  return { service, client }
}

/** Parts of a request that depend on the caller's input. */
function seen({ method, target, body, headers }: SeenRequest) {
  return {
    method,
    target,
    body,
    clinic: headers['x-clinic'],
    added: headers['x-added'],
    accept: headers.accept,
  }
}

async function requestsOf([name, args]: MethodCall, change: (args: unknown[]) => void): Promise<unknown[]> {
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const { service, client } = await setUp(held)
  const given = args()
  const running = callMethod(client, name, given)
  running.catch(() => undefined)
  change(given)
  setImmediate(release)
  await running
  return service.calls.map(seen)
}

it('every method is in the table of inputs that are changed after the call', async () => {
  const client = clientOf('https://api.clinic.example')
  const names = Object.entries(client).flatMap(([resource, methods]) =>
    Object.getOwnPropertyNames(Reflect.getPrototypeOf(methods))
      .filter((method) => method !== 'constructor')
      .map((method) => `${resource}.${method}`),
  )
  // These two methods send no request.
  const known = new Set([
    ...EVERY_METHOD.map(([name]) => name),
    'referrals.orderKeyOf',
    'referrals.recordOrder',
  ])
  expect(new Set(names)).toEqual(known)
})

it.each(EVERY_METHOD)('the requests of %s are those of its input at the time of the call', async (...row) => {
  const expected = await requestsOf(row, () => undefined)
  expect(await requestsOf(row, (args) => args.forEach(mutate))).toEqual(expected)
  if (row[0] !== 'referrals.validate') expect(expected.length).toBeGreaterThan(0)
})

it('a filter that is changed between two pages does not change the second page', async () => {
  const { service, client } = await setUp()
  const filters = { states: ['TAS'] as 'TAS'[], count: 2 }
  const options = { headers: { 'x-clinic': 'south' } }
  for await (const _ of client.centres.list(filters, options).pages()) {
    mutate(filters)
    mutate(options)
  }
  expect(service.calls.map(({ target }) => target)).toEqual([
    '/v1/collection-centres?states=TAS&count=2',
    '/v1/collection-centres?states=TAS&count=2&cursor=next',
  ])
  expect(service.calls.map(({ headers }) => headers['x-clinic'])).toEqual(['south', 'south'])
})

it('options of a download: the signal that was passed ends it, one that is set later does not', async () => {
  const { client } = await setUp()
  const options = { signal: new AbortController().signal }
  const download = client.referrals.document(UUID).bytes(options)
  options.signal = AbortSignal.abort()
  await expect(download).resolves.toHaveLength(PDF.byteLength)
})

it('recover() looks the order up with the options of the order', async () => {
  const { service, client } = await setUp(undefined, { orderRecoveryTimeout: 0 })
  service.on('POST /v1/referrals', { reset: 'before' })
  const options = { headers: { 'x-clinic': 'south' } }
  const placing = rejection(client.referrals.create(order(), options))
  mutate(options)
  const error = (await placing) as { recover: () => Promise<unknown> }
  await error.recover()
  expect(new Set(service.calls.map(({ headers }) => headers['x-clinic']))).toEqual(new Set(['south']))
})

it('options of the client: changes after the construction have no effect', async () => {
  const seen: [url: string, headers: Headers][] = []
  const service = fetchOf(() => referral({ uuid: UUID, referralAttachment: 'https://store.internal/a.pdf' }))
  const fetch: FetchLike = async (url, init) => {
    seen.push([url, new Headers(init?.headers)])
    return service(url, init)
  }
  const options = {
    baseUrl: 'https://api.clinic.example',
    authUrl: 'https://auth.clinic.example',
    clientId: 'client-1',
    clientSecret: 'first-secret',
    documentHosts: ['files.clinic.example'],
    appInfo: { name: 'clinic', version: '1.0' },
    fetch,
  }
  const client = new PathologyClient(options)
  onTestFinished(() => client.close())
  options.documentHosts.push('store.internal')
  options.appInfo.name = 'changed'
  for (const name of ['baseUrl', 'authUrl', 'clientId', 'clientSecret', 'fetch'])
    Reflect.set(options, name, 'https://changed.example')
  const refused = await rejection(client.referrals.document(UUID).bytes())
  expect(refused).toMatchObject({ message: expect.stringContaining('documentHosts') })
  const basic = `Basic ${Buffer.from('client-1:first-secret').toString('base64')}`
  expect(seen.map(([url]) => url)).not.toContain('https://store.internal/a.pdf')
  expect(seen.map(([url]) => new URL(url).hostname)).not.toContain('changed.example')
  expect(seen[0]?.[1].get('authorization')).toBe(basic)
  expect(seen[1]?.[1].get('user-agent')).toContain('clinic/1.0')
})
