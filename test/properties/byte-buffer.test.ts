import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ByteBuffer } from '../../src/common/byte-buffer.js'

const chunk = fc.oneof(
  fc.uint8Array({ maxLength: 3_000 }),
  fc.uint8Array({ minLength: 4_000, maxLength: 5_000 }),
)
const chunks = fc.array(chunk, { maxLength: 12 })
const declared = fc.option(fc.double(), { nil: undefined })

function collected(list: readonly Uint8Array[], limit: number, length?: number): ByteBuffer {
  const buffer = new ByteBuffer(limit, length)
  for (const chunk of list) buffer.add(chunk)
  return buffer
}

it('a byte buffer contains its chunks one after another, whatever length was declared (property)', () => {
  fc.assert(
    fc.property(chunks, declared, (list, length) => {
      const whole = Buffer.concat(list)
      expect(Buffer.from(collected(list, whole.byteLength, length).bytes).equals(whole)).toBe(true)
    }),
  )
})

it('a byte buffer rejects the chunk that exceeds the limit, and never takes more memory than the limit', () => {
  fc.assert(
    fc.property(chunks, fc.nat(20_000), declared, (list, limit, length) => {
      const buffer = new ByteBuffer(limit, length)
      let size = 0
      for (const chunk of list) {
        const fits = size + chunk.byteLength <= limit
        expect(buffer.add(chunk)).toBe(fits)
        if (fits) size += chunk.byteLength
      }
      expect(buffer.bytes.byteLength).toBe(size)
      const single = list.some((chunk) => chunk.buffer === buffer.bytes.buffer)
      if (!single) expect(buffer.bytes.buffer.byteLength).toBeLessThanOrEqual(limit)
    }),
  )
})

it('a byte buffer does not change the chunks', () => {
  fc.assert(
    fc.property(chunks, (list) => {
      const before = list.map((chunk) => Buffer.from(chunk))
      collected(list, Number.POSITIVE_INFINITY)
      expect(list.every((chunk, index) => before[index]?.equals(chunk))).toBe(true)
    }),
  )
})

it('a byte buffer takes little more memory than its bytes, with any declared length and any chunks', () => {
  const list = Array.from({ length: 64 }, (_, index) => new Uint8Array(index % 2 === 0 ? 4_096 : 1))
  const before = process.memoryUsage().arrayBuffers
  const buffers = Array.from({ length: 100 }, () => collected(list, Number.POSITIVE_INFINITY, 2 ** 40))
  const taken = process.memoryUsage().arrayBuffers - before
  expect(buffers).toHaveLength(100)
  expect(taken / buffers.length).toBeLessThan(80 * 1024)
})
