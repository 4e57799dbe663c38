import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { encodingOf, textOf } from '../../../src/client/transport/body.js'

const TEXT = '{"lastName":"Müller","notes":"café"}'
const ZIPPED = gzipSync(TEXT)

const decoded = (bytes: Uint8Array, encoding?: string, maxBytes = 1_000, status = 200) =>
  textOf(bytes, { status, headers: { 'content-encoding': encoding } }, maxBytes)

const unzipped = (bytes: Uint8Array, maxBytes?: number, status?: number) =>
  decoded(bytes, 'gzip', maxBytes, status)

it('a body is UTF-8, may be empty, and its bytes need not be a Buffer', () => {
  expect(decoded(Buffer.from(TEXT))).toBe(TEXT)
  expect(decoded(new Uint8Array(0))).toBe('')
  expect(unzipped(new Uint8Array(0))).toBe('')
  expect(decoded(new Uint8Array(Buffer.from(`xx${TEXT}`)).subarray(2))).toBe(TEXT)
})

it('a body in another encoding is not returned', () => {
  expect(() => decoded(Buffer.from(TEXT), 'br')).toThrow(expect.objectContaining({ reason: 'encoding' }))
})

it.each([
  ['', ''],
  ['identity', ''],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  [' GZIP ', 'gzip'],
  ['br', 'br'],
  ['gzip, gzip', 'gzip, gzip'],
])('the encoding of content-encoding %j is %j', (encoding, name) => {
  expect(encodingOf({ 'content-encoding': encoding })).toBe(name)
})

it('a small body in gzip is decoded at once', () => {
  expect(unzipped(ZIPPED)).toBe(TEXT)
  expect(decoded(ZIPPED, 'X-GZIP ')).toBe(TEXT)
  expect(decoded(Buffer.from(TEXT), 'identity')).toBe(TEXT)
})

it.each([
  ['of more than 64 KiB', gzipSync(Buffer.alloc(70_000, 'x'), { level: 0 }), 70_000],
  ['with more than 1 MiB of content', gzipSync('x'.repeat(2 ** 20 + 1)), 2 ** 20 + 1],
])('a body in gzip %s is decoded in another thread', async (_, bytes, length) => {
  const text = unzipped(bytes, 3_000_000)
  expect(text).toBeInstanceOf(Promise)
  expect(await text).toHaveLength(length)
})

it('a body in gzip decodes to at most maxBytes bytes', () => {
  expect(unzipped(gzipSync('x'.repeat(1_000)))).toHaveLength(1_000)
  const over = gzipSync('x'.repeat(1_001))
  expect(() => unzipped(over)).toThrow(expect.objectContaining({ reason: 'too-large' }))
})

it('a body in gzip decodes to at most maxBytes bytes in another thread too', async () => {
  const over = unzipped(gzipSync('x'.repeat(2_000_001)), 2_000_000)
  await expect(over).rejects.toMatchObject({ reason: 'too-large', status: 200 })
})

it.each<readonly [string, Uint8Array, string]>([
  ['cut', ZIPPED.subarray(0, -9), 'truncated'],
  ['cut after its first byte', ZIPPED.subarray(0, 1), 'truncated'],
  ['damaged', Buffer.concat([ZIPPED.subarray(0, -8), Buffer.alloc(8)]), 'truncated'],
  ['not gzip', Buffer.from(TEXT), 'encoding'],
])('a body in gzip that is %s fails, and an error response keeps its status', (_, bytes, reason) => {
  expect(() => unzipped(bytes)).toThrow(expect.objectContaining({ reason, status: 200, sent: true }))
  expect(unzipped(bytes, 1_000, 401)).toBe('')
})
