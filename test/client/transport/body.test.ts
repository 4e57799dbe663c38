import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { BodyCollector, formOf } from '../../../src/client/transport/body.js'
import type { ResponseHeaders, TransportFailure } from '../../../src/client/transport/transport.js'
import { rejection } from '../../support/clients.js'
import { settled } from '../../support/settled.js'

const TEXT = '{"lastName":"Müller","notes":"café"}'
const ZIPPED = gzipSync(TEXT)

function collect(headers: ResponseHeaders = {}, maxBytes = 1_000, status = 200) {
  const failures: TransportFailure[] = []
  const request = { method: 'GET', maxBytes } as const
  return { body: new BodyCollector(status, headers, request, (failure) => failures.push(failure)), failures }
}

const zipped = (maxBytes?: number) => collect({ 'content-encoding': 'gzip' }, maxBytes)

/** The chunks of a body, each of at most `size` bytes. */
const chunks = (bytes: Uint8Array, size: number): Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, nth) =>
    bytes.subarray(nth * size, (nth + 1) * size),
  )

describe('the body of a response', () => {
  it.each([1, 2, 20, 100])('arrives in chunks of %i bytes, also within a character', async (size) => {
    const { body } = collect()
    for (const chunk of chunks(Buffer.from(TEXT), size)) body.add(chunk)
    expect(await body.text()).toBe(TEXT)
  })

  it('is empty without a chunk, and the bytes need not be a Buffer', async () => {
    expect(await collect().body.text()).toBe('')
    const { body } = collect()
    body.add(new Uint8Array(Buffer.from(`xx${TEXT}`)).subarray(2))
    expect(await body.text()).toBe(TEXT)
  })

  it('has at most maxBytes bytes, declared or received', () => {
    const declared = { 'content-length': '11' }
    expect(collect(declared, 10).failures).toMatchObject([{ reason: 'too-large', status: 200, sent: true }])
    const { body, failures } = collect(declared, 11)
    body.add(Buffer.alloc(10))
    body.add(Buffer.alloc(1))
    expect(failures).toEqual([])
    body.add(Buffer.alloc(1))
    expect(failures).toMatchObject([{ reason: 'too-large' }])
  })

  it('in another encoding is not returned', () => {
    const { body } = collect({ 'content-encoding': 'br' })
    body.add(Buffer.from(TEXT))
    expect(() => body.text()).toThrow(expect.objectContaining({ reason: 'encoding' }))
  })

  it.each<readonly [string, string | undefined]>([
    ['', 'plain'],
    ['identity', 'plain'],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    [' GZIP ', 'gzip'],
    ['br', undefined],
    ['gzip, gzip', undefined],
  ])('content-encoding %j', (encoding, form) => {
    expect(formOf(encoding)).toBe(form)
  })
})

describe('a body in gzip', () => {
  it.each([1, 3, 7, 1_000])('arrives in chunks of %i bytes', async (size) => {
    const { body, failures } = zipped()
    for (const chunk of chunks(ZIPPED, size)) body.add(chunk)
    expect(await body.text()).toBe(TEXT)
    await settled()
    expect(failures).toEqual([])
  })

  it('decodes to at most maxBytes bytes', async () => {
    const full = zipped(1_000)
    full.body.add(gzipSync('x'.repeat(1_000)))
    expect(await full.body.text()).toHaveLength(1_000)
    const over = zipped(1_000)
    over.body.add(gzipSync('x'.repeat(1_001)))
    expect(await rejection(Promise.resolve(over.body.text()))).toMatchObject({ reason: 'too-large' })
  })

  it.each<readonly [string, Uint8Array, string]>([
    ['too long', gzipSync('x'.repeat(2_000)).subarray(0, -8), 'too-large'],
    ['not gzip', Buffer.from(TEXT), 'encoding'],
  ])('that is %s is reported once, before its end', async (_, bytes, reason) => {
    const { failures, body } = zipped()
    body.add(bytes)
    await expect.poll(() => failures).toMatchObject([{ reason, status: 200, sent: true }])
    expect(await rejection(Promise.resolve(body.text()))).toMatchObject({ reason })
    expect(failures).toHaveLength(1)
  })

  it.each<readonly [string, Uint8Array, string]>([
    ['is cut', ZIPPED.subarray(0, -9), 'truncated'],
    ['has a second member', Buffer.concat([ZIPPED, ZIPPED]), 'encoding'],
    ['has zeros at its end', Buffer.concat([ZIPPED, Buffer.alloc(5)]), 'encoding'],
  ])('that %s fails at its end only', async (_, bytes, reason) => {
    const { failures, body } = zipped()
    body.add(bytes)
    expect(await rejection(Promise.resolve(body.text()))).toMatchObject({ reason, status: 200 })
    await settled()
    expect(failures).toEqual([])
  })

  it.each<readonly [string, Uint8Array]>([
    ['half of it', ZIPPED.subarray(0, 20)],
    ['unusable bytes', Buffer.from(TEXT)],
  ])('that is discarded after %s reports nothing', async (_, bytes) => {
    const { failures, body } = zipped()
    body.add(bytes)
    body.discard()
    await settled()
    expect(failures).toEqual([])
  })

  it.each<readonly [string, Uint8Array, boolean]>([
    ['not gzip', Buffer.from(TEXT.repeat(20)), true],
    ['not gzip, found at the end', Buffer.from(TEXT.repeat(20)), false],
    ['two members', Buffer.concat([ZIPPED, ZIPPED]), false],
    ['incomplete', ZIPPED.subarray(0, -9), true],
  ])(
    'of an error response that is %s is empty, because the status is sufficient',
    async (_, bytes, waits) => {
      const { body, failures } = collect({ 'content-encoding': 'gzip' }, 1_000, 401)
      for (const chunk of chunks(bytes, 100)) {
        body.add(chunk)
        if (waits) await settled()
      }
      expect(await body.text()).toBe('')
      await settled()
      expect(failures).toEqual([])
    },
  )

  it('of an error response that is not gzip has at most maxBytes bytes too', async () => {
    const { body, failures } = collect({ 'content-encoding': 'gzip' }, 1_000, 503)
    body.add(Buffer.from(TEXT))
    await settled()
    body.add(Buffer.alloc(1_000))
    expect(failures).toMatchObject([{ reason: 'too-large', status: 503 }])
  })

  it('that is discarded while its text is awaited rejects, and does not wait for ever', async () => {
    const { body, failures } = zipped()
    body.add(ZIPPED)
    const text = rejection(Promise.resolve(body.text()))
    body.discard()
    expect(await text).toMatchObject({ reason: 'truncated' })
    expect(failures).toEqual([])
  })

  it('a plain body is discarded too', () => {
    const { body } = collect()
    body.add(Buffer.from(TEXT))
    expect(() => body.discard()).not.toThrow()
  })
})
