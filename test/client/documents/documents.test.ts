import { expect, it } from 'vitest'
import { readPdf } from '../../../src/client/documents/pdf.js'
import { InvalidResponseError } from '../../../src/client/errors/errors.js'
import { CANARIES, expectNoCanary } from '../../support/canaries.js'
import { rejection } from '../../support/clients.js'
import { referral, result, UUID } from '../../support/samples.js'
import { type Reply, ScriptedServer } from '../../support/scripted-server.js'
import { FILE, PDF, pdf, REFERRAL, setUp } from './document-world.js'

it.each([
  ['the dispatcher', {}],
  ['fetch', { fetch: globalThis.fetch }],
] as const)(
  'a document over %s is requested at its signed address, without the token (§2.4)',
  async (_, options) => {
    const { host, client } = await setUp([pdf], options)
    await expect(client.referrals.document(UUID).bytes()).resolves.toEqual(new Uint8Array(PDF))
    expect(host.requests).toHaveLength(1)
    const [request] = host.requests
    expect(request?.target).toBe(`/files/1?sig=${CANARIES.signature}`)
    expect(request?.headers).not.toHaveProperty('authorization')
    expect(JSON.stringify(request?.headers)).not.toContain(CANARIES.accessToken)
    expect(request?.headers.accept).toBe('application/pdf')
  },
)

it('the document of a result is read as that of a referral', async () => {
  const { service, host, client } = await setUp()
  service.on(`GET /v1/results/${UUID}`, { json: result({ resultAttachment: `${host.origin}/files/9` }) })
  await expect(client.results.document(UUID).bytes()).resolves.toHaveLength(PDF.byteLength)
})

it('a document is not downloaded before a method reads it', async () => {
  const { host, client } = await setUp()
  const document = await client.referrals.document(UUID)
  document.stream()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(host.requests).toHaveLength(0)
})

it('the PDF of a record that was read needs no further request of the record', async () => {
  const { service, host, client } = await setUp()
  const known = await client.referrals.retrieve(UUID)
  await expect(client.referrals.document(known).bytes()).resolves.toHaveLength(PDF.byteLength)
  expect(service.count(REFERRAL)).toBe(1)
  expect(host.requests.map(({ path }) => path)).toEqual(['/files/1'])
})

it('an expired URL is renewed once, and never with that of an older state', async () => {
  const { service, host, client } = await setUp([{ status: 403 }, pdf])
  const known = { ...(await client.referrals.retrieve(UUID)), uuid: UUID }
  await client.referrals.document(known).bytes()
  expect(host.requests.map(({ path }) => path)).toEqual(['/files/1', '/files/2'])
  expect(service.count(REFERRAL)).toBe(2)
  const newer = { ...known, updatedAt: new Date(Date.parse(known.updatedAt) + 1).toISOString() }
  host.on(FILE, { status: 403 }, pdf)
  await expect(client.referrals.document(newer).bytes()).rejects.toMatchObject({ reason: 'no-document' })
})

it('a record without a PDF has no document, and any other value is rejected before a request', async () => {
  const { service, client } = await setUp()
  const known = referral({ referralAttachment: null })
  const error = await rejection(client.referrals.document(known))
  expect(error).toMatchObject({ reason: 'no-document', outcome: 'not-sent', attempts: 0 })
  for (const wrong of [{}, { uuid: UUID }, null, 7]) {
    const refused = await rejection(Reflect.apply(client.results.document, client.results, [wrong]))
    expect(refused).toMatchObject({ name: expect.stringMatching(/ConfigurationError|InvalidRequestError/) })
  }
  expect(service.requests).toHaveLength(0)
})

it.each([301, 302, 303, 307, 308])(
  'a document that is redirected with %i is rejected, and the other origin gets no request',
  async (status) => {
    const other = await ScriptedServer.start()
    const { host, client } = await setUp([{ status, headers: { location: `${other.origin}/files/x` } }])
    const error = await rejection(client.referrals.document(UUID).bytes())
    expect(error).toMatchObject({
      name: 'InvalidResponseError',
      reason: 'redirect',
      outcome: 'failed',
      attempts: 1,
      status,
    })
    expectNoCanary(error)
    expect(host.requests).toHaveLength(1)
    expect(other.requests).toHaveLength(0)
  },
)

// Hosts of files differ: S3 and Google return 400 ExpiredToken, and 404 for a file that a reissue has replaced (§2.4).
it.each([400, 401, 403, 404, 410])(
  'after %i the record is read once more for a new address',
  async (status) => {
    const { service, host, client } = await setUp([{ status }, pdf])
    await client.referrals.document(UUID).bytes()
    expect(service.count(REFERRAL)).toBe(2)
    expect(host.requests.map(({ path }) => path)).toEqual(['/files/1', '/files/2'])
  },
)

it.each([
  [403, 'PermissionError'],
  [404, 'NotFoundError'],
])('%i for the new address too is an error, after two requests', async (status, name) => {
  const { service, host, client } = await setUp([{ status, text: `<Error>${CANARIES.signature}</Error>` }])
  const error = await rejection(client.referrals.document(UUID).bytes())
  expect(error).toMatchObject({ name, status, outcome: 'failed', attempts: 2 })
  expectNoCanary(error)
  expect(service.count(REFERRAL)).toBe(2)
  expect(host.requests).toHaveLength(2)
})

it('a document that is read again a week later gets a new address by itself', async () => {
  const { host, client } = await setUp([pdf, { status: 403 }, pdf])
  const document = await client.referrals.document(UUID)
  await document.bytes()
  await document.bytes()
  expect(host.requests.map(({ path }) => path)).toEqual(['/files/1', '/files/1', '/files/2'])
})

it.each([
  ['CREATED', 'its status is CREATED'],
  ['Alex Example', 'its status is unknown to this version of pathology-sdk'],
  ['x'.repeat(99), 'its status is unknown to this version of pathology-sdk'],
  [7, 'its status is unknown'],
  [null, 'its status is unknown'],
])(
  'a record with the status %j that has no document: the error repeats only a known status',
  async (status, words) => {
    const { service, client } = await setUp()
    service.on(REFERRAL, { json: referral({ status: status as string, referralAttachment: null }) })
    const error = await rejection(client.referrals.document(UUID).bytes())
    expect(error).toMatchObject({
      name: 'InvalidResponseError',
      reason: 'no-document',
      outcome: 'failed',
      attempts: 1,
    })
    const next = '; try again when the record has a PDF'
    expect(String(error)).toMatch(new RegExp(`: no PDF is available \\(${words}\\)${next}$`))
  },
)

it.each([
  ['a reset before the response', { reset: 'before' }],
  ['a reset in the body', { bytes: PDF, reset: 'in-body' }],
  ['503', { status: 503 }],
  ['429', { status: 429, headers: { 'retry-after': '2' } }],
  [
    'a body shorter than declared',
    { bytes: PDF, headers: { 'content-length': '50000', connection: 'close' } },
  ],
] as const)('a download starts again after %s', async (_, first: Reply) => {
  const { host, client } = await setUp([first, pdf])
  await expect(client.referrals.document(UUID).bytes()).resolves.toEqual(new Uint8Array(PDF))
  expect(host.requests).toHaveLength(2)
})

it('a download that is reset each time is truncated, with the number of attempts', async () => {
  const { host, client } = await setUp([{ bytes: PDF, reset: 'in-body' }])
  const error = await rejection(client.referrals.document(UUID).bytes())
  expect(error).toMatchObject({ reason: 'truncated', outcome: 'failed', attempts: 3 })
  expect(host.requests).toHaveLength(3)
  expectNoCanary(error)
})

it('the signed address in the error of a fetch function is not shown', async () => {
  const { client } = await setUp([pdf], {
    maxRetries: 0,
    fetch: async (input, init) => {
      if (input.includes('/files/')) throw new Error(`request to ${input} failed, reason: socket hang up`)
      return globalThis.fetch(input, init)
    },
  })
  const error = await rejection(client.referrals.document(UUID).bytes())
  expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'failed', attempts: 1 })
  expectNoCanary(error)
})

it.each([
  ['by its content-length', pdf],
  ['as it comes', { ...pdf, chunked: true }],
] as const)('a document larger than maxDocumentBytes is rejected %s', async (_, file) => {
  const { client, host } = await setUp([file], { maxDocumentBytes: 10_000 })
  const error = await rejection(client.referrals.document(UUID).bytes())
  expect(error).toMatchObject({ name: 'InvalidResponseError', reason: 'too-large', outcome: 'failed' })
  expect(String(error)).toMatch(/; increase maxDocumentBytes$/)
  expect(host.requests).toHaveLength(1)
})

it.each([
  ['HTML', '<html><body>Please log in</body></html>'],
  ['nothing', ''],
  ['half a mark', '%PDF'],
])('%s is not a PDF', async (_, text) => {
  const { client } = await setUp([{ text }])
  await expect(client.referrals.document(UUID).bytes()).rejects.toMatchObject({ reason: 'not-pdf' })
})

it.each([1, 5_000])('the start mark lies within 1,024 bytes, also in chunks of %i bytes', async (size) => {
  const body = (before: number): Buffer => Buffer.from(`${' '.repeat(before)}%PDF-1.7${' '.repeat(10)}`)
  const read = async (before: number): Promise<number> => {
    const chunks = (async function* () {
      for (let at = 0; at < body(before).length; at += size) yield body(before).subarray(at, at + size)
    })()
    const headers = { 'transfer-encoding': 'chunked' }
    const response = { status: 200, headers, body: chunks, discard: () => undefined }
    const fail = (reason: string) =>
      new InvalidResponseError(reason, { reason: 'not-pdf', outcome: 'failed', attempts: 1 })
    let bytes = 0
    for await (const chunk of readPdf(response, { limit: 5_000, fail })) bytes += chunk.byteLength
    return bytes
  }
  expect(await read(1_019)).toBe(body(1_019).length)
  await expect(read(1_020)).rejects.toThrow('not-pdf')
})

it('onProgress gets the bytes and the total size', async () => {
  const { client } = await setUp()
  const seen: { bytes: number; totalBytes: number | undefined }[] = []
  const document = await client.referrals.document(UUID)
  await document.bytes({
    onProgress: (progress) => seen.push(progress),
  })
  expect(seen.at(-1)).toEqual({ bytes: PDF.byteLength, totalBytes: PDF.byteLength })
})
