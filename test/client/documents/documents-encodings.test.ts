import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { UUID } from '../../support/samples.js'
import type { Reply } from '../../support/scripted-server.js'
import { PDF, setUp } from './document-world.js'

/** A PDF that gzip stores in parts without compression, so that the compressed bytes contain its start mark. */
const SHORT = Buffer.from('%PDF-1.7\n%%EOF\n')

const encoded = (encoding: string, bytes: Uint8Array): Reply => ({
  bytes,
  headers: { 'content-type': 'application/pdf', 'content-encoding': encoding },
})

const TRANSPORTS = [
  ['its own connections', {}],
  ['fetch', { fetch: globalThis.fetch }],
] as const

const forms: readonly (readonly [string, (pdf: Uint8Array) => Uint8Array])[] = [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['GZIP', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['aws-chunked,gzip', gzipSync],
  ['gzip, aws-chunked', gzipSync],
]

it.each(forms.flatMap(([name, compress]) => [SHORT, PDF].map((pdf) => [name, compress, pdf] as const)))(
  'a PDF in %s is decoded',
  async (name, compress, pdf) => {
    const { client } = await setUp([encoded(name, compress(pdf))])
    expect(Buffer.from(await client.referrals.document(UUID).bytes())).toEqual(pdf)
  },
)

it.each(['gzip', 'br', 'deflate'])(
  'a PDF in %s that fetch has decoded is not decoded again, and has no known size',
  async (name) => {
    const compress = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync }[name] ?? gzipSync
    const { client } = await setUp([encoded(name, compress(PDF))], { fetch: globalThis.fetch })
    const totals = new Set<unknown>()
    const onProgress = (progress: { readonly totalBytes?: number | undefined }) =>
      totals.add(progress.totalBytes)
    expect(Buffer.from(await client.referrals.document(UUID).bytes({ onProgress }))).toEqual(PDF)
    expect([...totals]).toEqual([undefined])
  },
)

it('a compressed PDF is limited in its decoded size', async () => {
  const bomb = gzipSync(Buffer.concat([SHORT, Buffer.alloc(5_000_000)]))
  const { client, host } = await setUp([encoded('gzip', bomb)], { maxDocumentBytes: 1_000_000 })
  const error = await rejection(client.referrals.document(UUID).bytes())
  expect(error).toMatchObject({ reason: 'too-large', attempts: 1 })
  expect(host.requests).toHaveLength(1)
})

it.each([
  ['cut', gzipSync(PDF).subarray(0, -20)],
  ['damaged', Buffer.concat([gzipSync(PDF).subarray(0, -8), Buffer.alloc(8)])],
])('a compressed PDF that is %s is downloaded again', async (_, bytes) => {
  const { client, host } = await setUp([encoded('gzip', bytes), encoded('gzip', gzipSync(PDF))])
  expect(Buffer.from(await client.referrals.document(UUID).bytes())).toEqual(PDF)
  expect(host.requests).toHaveLength(2)
  host.on('GET /files/*', encoded('gzip', bytes))
  await expect(client.referrals.document(UUID).bytes()).rejects.toMatchObject({ reason: 'truncated' })
})

it.each([
  ['zstd', Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), PDF])],
  ['compress', Buffer.concat([Buffer.from([0x1f, 0x9d]), PDF])],
  ['br', Buffer.concat([Buffer.from([0xff, 0xff]), PDF])],
  ['gzip, br', brotliCompressSync(gzipSync(PDF))],
])('a PDF in %s that cannot be decoded is refused', async (name, bytes) => {
  const { client } = await setUp([encoded(name, bytes)])
  const error = await rejection(client.referrals.document(UUID).bytes())
  expect(error).toMatchObject({ name: 'InvalidResponseError', reason: 'encoding', attempts: 1 })
  expect(String(error)).toContain('report the document to the service')
})

it.each(
  TRANSPORTS.flatMap(([transport, options]) =>
    ['aws-chunked', 'utf-8', 'base64', 'binary', 'identity', 'none', 'gzip', 'br'].map(
      (name) => [name, transport, options] as const,
    ),
  ).filter(([name, transport]) => transport !== 'fetch' || !['gzip', 'br'].includes(name)),
)('a plain PDF is read when its host declares the encoding %s, over %s', async (name, _, options) => {
  const { client } = await setUp([encoded(name, PDF)], options)
  expect(Buffer.from(await client.referrals.document(UUID).bytes())).toEqual(PDF)
})

it.each([
  ['gzip', gzipSync(SHORT)],
  ['ZIP', Buffer.concat([Buffer.from('PK\u0003\u0004'), PDF])],
  ['zlib', deflateSync(SHORT, { level: 0 })],
  ['deflate', deflateRawSync(SHORT, { level: 0 })],
  ['br', brotliCompressSync(SHORT)],
  ['zstd', Buffer.concat([Buffer.from('\x28\xb5\x2f\xfd\x20\x0f\x79', 'latin1'), SHORT])],
  ['7z', Buffer.concat([Buffer.from("7z\xbc\xaf'\x1c", 'latin1'), SHORT])],
  ['HTML', Buffer.from('<html>%PDF-1.7 %%EOF')],
  ['HTML after a byte order mark', Buffer.from('\ufeff\n<html>%PDF-1.7 %%EOF')],
])('without a declared encoding, the bytes of %s are not a PDF', async (_, bytes) => {
  const { client } = await setUp([{ bytes }])
  await expect(client.referrals.document(UUID).bytes()).rejects.toMatchObject({ reason: 'not-pdf' })
})

it.each(['\ufeff', '\r\n % a comment\n', '\u001b%-12345X@PJL ENTER LANGUAGE=PDF\r\n'])(
  'a PDF may begin with text: %j',
  async (before) => {
    const bytes = Buffer.concat([Buffer.from(before), PDF])
    const { client } = await setUp([{ bytes }])
    expect(Buffer.from(await client.referrals.document(UUID).bytes())).toEqual(bytes)
  },
)

it('gzip within gzip is not a PDF', async () => {
  const { client } = await setUp([encoded('gzip', gzipSync(gzipSync(PDF)))])
  await expect(client.referrals.document(UUID).bytes()).rejects.toMatchObject({ reason: 'not-pdf' })
})

it('a document of a closed client is rejected', async () => {
  const client = clientOf('http://127.0.0.1:9')
  await client.close()
  await expect(client.referrals.document(UUID).bytes()).rejects.toMatchObject({ reason: 'closed' })
})
