import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { encodeSignature, type SignatureOptions } from '../../src/contract/signature-image.js'

const MAGIC = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const PREFIX = 'data:image/png;base64,'

const pngOf = (rest: Iterable<number>): Uint8Array => Uint8Array.from([...MAGIC, ...rest])
const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const png = pngOf([0, 0, 0, 13, 73, 72, 68, 82])
const base64 = base64Of(png)
const anyPng = fc.uint8Array({ maxLength: 200 }).map(pngOf)

it('bytes, base64 and a data URI of one signature have the same text and size (§4.4)', () => {
  fc.assert(
    fc.property(anyPng, (bytes) => {
      const text = Buffer.from(bytes).toString('base64')
      const expected = {
        valid: true,
        encodedSignature: `${PREFIX}${text}`,
        byteLength: bytes.length,
      }
      expect(encodeSignature(bytes)).toEqual(expected)
      expect(encodeSignature(Uint8Array.from(bytes).buffer)).toEqual(expected)
      expect(encodeSignature(text)).toEqual(expected)
      expect(encodeSignature(`${PREFIX}${text}`)).toEqual(expected)
    }),
  )
})

it('an encoded signature has the requested form, and is accepted again (§2.10)', () => {
  const bare = encodeSignature(png, { form: 'base64' })
  expect(bare).toEqual({ valid: true, encodedSignature: base64, byteLength: png.length })
  const encoded = encodeSignature(png, { form: 'data-uri' })
  expect(encoded.valid && encodeSignature(encoded.encodedSignature)).toEqual(encoded)
})

it('only the bytes of a view are read as a signature, and none is changed (§4.4)', () => {
  const around = Uint8Array.from([1, 2, 3, ...png, 4, 5])
  const before = around.slice()
  const view = around.subarray(3, 3 + png.length)
  const expected = {
    valid: true,
    encodedSignature: `${PREFIX}${base64}`,
    byteLength: png.length,
  }
  expect(encodeSignature(view)).toEqual(expected)
  expect(encodeSignature(Buffer.from(png))).toEqual(expected)
  expect(around).toEqual(before)
})

it('a signature larger than one chunk is encoded (§4.4)', () => {
  for (const size of [12_279, 12_280, 12_281, 400_000]) {
    const bytes = pngOf(Array.from({ length: size }, (_, place) => (place * 31) % 256))
    const expected = {
      valid: true,
      encodedSignature: base64Of(bytes),
      byteLength: bytes.length,
    }
    expect(encodeSignature(bytes, { form: 'base64' })).toEqual(expected)
  }
})

it('encodeSignature accepts options that are null (§4.4)', () => {
  const options: SignatureOptions = JSON.parse('null')
  expect(encodeSignature(png, options)).toMatchObject({ valid: true, byteLength: png.length })
})

it('a signature may be a buffer of another realm (§4.4)', () => {
  const foreign: ArrayBuffer = runInNewContext(`Uint8Array.from(${JSON.stringify([...png])}).buffer`)
  expect(foreign).not.toBeInstanceOf(ArrayBuffer)
  expect(encodeSignature(foreign)).toMatchObject({ valid: true, byteLength: png.length })
  expect(encodeSignature(new Uint8Array(foreign))).toMatchObject({ valid: true })
})

it.each([
  ['an empty string', '', 'empty'],
  ['no bytes', new Uint8Array(), 'empty'],
  ['an empty buffer', new ArrayBuffer(0), 'empty'],
  ['a data URI without data', PREFIX, 'empty'],
  ['a data URI of another image', 'data:image/jpeg;base64,/9j/4AAQ', 'invalid-data-uri'],
  ['a data URI that is not base64', `data:image/png,${base64}`, 'invalid-data-uri'],
  ['a data URI with a parameter', `data:image/png;name=a;base64,${base64}`, 'invalid-data-uri'],
  ['a file name', 'signature.png', 'invalid-base64'],
  ['a missing pad', base64Of(pngOf([1, 2])).replace(/=+$/, ''), 'invalid-base64'],
  ['too much padding', `${base64}====`, 'invalid-base64'],
  ['padding inside', `${base64Of(pngOf([1, 2]))}${base64}`, 'invalid-base64'],
  ['a line break', `${base64}\n`, 'invalid-base64'],
  ['wrapped lines', `${base64.slice(0, 8)}\r\n\r\n${base64.slice(8)}`, 'invalid-base64'],
  ['the URL alphabet', `${base64Of(pngOf([0, 0, 0, 0])).slice(0, 12)}-_-_`, 'invalid-base64'],
  ['junk in the last four', `${base64}AA!=`, 'invalid-base64'],
  ['stray bits under two pads', 'iVBORw0KGgoAAB==', 'invalid-base64'],
  ['stray bits under one pad', 'iVBORw0KGgp=', 'invalid-base64'],
  ['a JPEG', Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 74, 70, 73, 70]), 'not-png'],
  ['only part of the PNG signature', Uint8Array.from(MAGIC.slice(0, 7)), 'not-png'],
  ['PNG in the text of the data', Buffer.from(`  ${base64}`), 'not-png'],
])('%s is not a signature (§4.4)', (_, input, reason) => {
  expect(encodeSignature(input)).toEqual({
    valid: false,
    reason,
    message: expect.stringMatching(/^Signature /),
  })
})

it('encodeSignature checks only the first bytes of a PNG: the service checks the rest (§4.4)', () => {
  expect(encodeSignature(Uint8Array.from(MAGIC))).toMatchObject({ valid: true, byteLength: 8 })
  expect(encodeSignature('DATA:image/PNG;base64,iVBORw0KGgo=')).toEqual(encodeSignature('iVBORw0KGgo='))
})

it('a signature that is not an image is an issue, and no error (§4.4)', () => {
  const others: readonly unknown[] = [undefined, null, 7, {}, [137, 80, 78, 71], new Blob([png])]
  for (const input of others) {
    // @ts-expect-error plain JavaScript callers can pass anything
    expect(encodeSignature(input)).toMatchObject({ reason: 'unsupported-input' })
  }
  const sent = png.slice()
  structuredClone(sent, { transfer: [sent.buffer] })
  expect(encodeSignature(sent)).toMatchObject({ reason: 'empty' })
  expect(encodeSignature(sent.buffer)).toMatchObject({ reason: 'empty' })
})

it('the decoded bytes of a signature are compared with maxBytes, also when it is 0 (§8)', () => {
  fc.assert(
    fc.property(anyPng, fc.boolean(), (bytes, asText) => {
      const input = asText ? base64Of(bytes) : bytes
      expect(encodeSignature(input, { maxBytes: bytes.length })).toMatchObject({ valid: true })
      expect(encodeSignature(input, { maxBytes: bytes.length - 1 })).toMatchObject({
        reason: 'too-large',
      })
    }),
  )
  expect(encodeSignature(png, { maxBytes: 0 })).toMatchObject({ reason: 'too-large' })
  expect(encodeSignature(png, { maxBytes: Number.NaN })).toMatchObject({ reason: 'too-large' })
  expect(encodeSignature(png, { maxBytes: undefined })).toMatchObject({ valid: true })
})

it('the first eight bytes decide whether a signature is a PNG (§4.4)', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), anyPng, (noise, image) => {
      const bytes = Uint8Array.from([...image.subarray(0, noise.length % 12), ...noise])
      const isPng = MAGIC.every((byte, place) => bytes[place] === byte)
      expect(encodeSignature(bytes).valid).toBe(isPng)
      expect(encodeSignature(base64Of(bytes)).valid).toBe(isPng)
    }),
  )
})
