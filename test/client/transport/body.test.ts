import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { BodyCollector, encodingOf } from '../../../src/client/transport/body.js'
import type { ResponseHeaders } from '../../../src/client/transport/transport.js'

const TEXT = '{"lastName":"Müller","notes":"café"}'
const ZIPPED = gzipSync(TEXT)

const collect = (headers: ResponseHeaders = {}, maxBytes = 1_000, status = 200): BodyCollector =>
  new BodyCollector(status, headers, { method: 'GET', maxBytes })

const zipped = (maxBytes?: number, status?: number): BodyCollector =>
  collect({ 'content-encoding': 'gzip' }, maxBytes, status)

/** The chunks of a body, each of at most `size` bytes. */
const chunks = (bytes: Uint8Array, size: number): Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, nth) =>
    bytes.subarray(nth * size, (nth + 1) * size),
  )

it.each([1, 2, 20, 100])('a body arrives in chunks of %i bytes, also within a character', (size) => {
  const body = collect()
  for (const chunk of chunks(Buffer.from(TEXT), size)) body.add(chunk)
  expect(body.text()).toBe(TEXT)
})

it('a body is empty without a chunk, and its bytes need not be a Buffer', () => {
  expect(collect().text()).toBe('')
  expect(zipped().text()).toBe('')
  const body = collect()
  body.add(new Uint8Array(Buffer.from(`xx${TEXT}`)).subarray(2))
  expect(body.text()).toBe(TEXT)
})

it('a body has at most maxBytes bytes, declared or received', () => {
  const declared = { 'content-length': '11' }
  expect(collect(declared, 10).isTooLarge).toBe(true)
  const body = collect(declared, 11)
  expect(body.isTooLarge).toBe(false)
  const added = [10, 1, 1].map((size) => body.add(Buffer.alloc(size)))
  expect(added).toEqual([true, true, false])
})

it('a body in another encoding is not returned', () => {
  const body = collect({ 'content-encoding': 'br' })
  body.add(Buffer.from(TEXT))
  expect(() => body.text()).toThrow(expect.objectContaining({ reason: 'encoding' }))
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

it.each([1, 3, 7, 1_000])('a body in gzip arrives in chunks of %i bytes, and is decoded at once', (size) => {
  const body = zipped()
  for (const chunk of chunks(ZIPPED, size)) body.add(chunk)
  expect(body.text()).toBe(TEXT)
})

it.each([
  ['of more than 64 KiB', gzipSync(Buffer.alloc(70_000, 'x'), { level: 0 }), 70_000],
  ['with more than 1 MiB of content', gzipSync('x'.repeat(2 ** 20 + 1)), 2 ** 20 + 1],
])('a body in gzip %s is decoded in another thread', async (_, bytes, length) => {
  const body = zipped(3_000_000)
  body.add(bytes)
  const text = body.text()
  expect(text).toBeInstanceOf(Promise)
  expect(await text).toHaveLength(length)
})

it('a body in gzip decodes to at most maxBytes bytes', () => {
  const full = zipped(1_000)
  full.add(gzipSync('x'.repeat(1_000)))
  expect(full.text()).toHaveLength(1_000)
  const over = zipped(1_000)
  over.add(gzipSync('x'.repeat(1_001)))
  expect(() => over.text()).toThrow(expect.objectContaining({ reason: 'too-large' }))
})

it('a body in gzip decodes to at most maxBytes bytes in another thread too', async () => {
  const over = zipped(2_000_000)
  over.add(gzipSync('x'.repeat(2_000_001)))
  await expect(over.text()).rejects.toMatchObject({ reason: 'too-large', status: 200 })
})

it.each<readonly [string, Uint8Array, string]>([
  ['cut', ZIPPED.subarray(0, -9), 'truncated'],
  ['cut after its first byte', ZIPPED.subarray(0, 1), 'truncated'],
  ['damaged', Buffer.concat([ZIPPED.subarray(0, -8), Buffer.alloc(8)]), 'truncated'],
  ['not gzip', Buffer.from(TEXT), 'encoding'],
])('a body in gzip that is %s fails, and an error response keeps its status', (_, bytes, reason) => {
  const body = zipped()
  body.add(bytes)
  expect(() => body.text()).toThrow(expect.objectContaining({ reason, status: 200, sent: true }))
  const refusal = zipped(1_000, 401)
  refusal.add(bytes)
  expect(refusal.text()).toBe('')
})
