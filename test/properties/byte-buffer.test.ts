import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteBuffer } from '../../src/common/byte-buffer.js'

const chunks = fc.array(fc.uint8Array({ maxLength: 3_000 }), { maxLength: 12 })
const declared = fc.option(fc.double(), { nil: undefined })

function collected(list: readonly Uint8Array[], limit: number, length?: number): ByteBuffer {
  const buffer = new ByteBuffer(limit, length)
  for (const chunk of list) buffer.add(chunk)
  return buffer
}

describe('the buffer of a body', () => {
  it('holds the chunks one after another, whatever length was declared', () => {
    fc.assert(
      fc.property(chunks, declared, (list, length) => {
        const whole = Buffer.concat(list)
        expect(Buffer.from(collected(list, whole.byteLength, length).bytes).equals(whole)).toBe(true)
      }),
    )
  })

  it('refuses the chunk that exceeds the limit, and never takes more memory than the limit', () => {
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

  it('changes none of the chunks', () => {
    fc.assert(
      fc.property(chunks, (list) => {
        const before = list.map((chunk) => Buffer.from(chunk))
        collected(list, Number.POSITIVE_INFINITY)
        expect(list.every((chunk, index) => before[index]?.equals(chunk))).toBe(true)
      }),
    )
  })

  it('takes no more than 256 KiB for a length that is declared and does not arrive', () => {
    const two = [new Uint8Array(1), new Uint8Array(1)]
    const { buffer } = collected(two, Number.POSITIVE_INFINITY, 2 ** 40).bytes
    expect(buffer.byteLength).toBe(256 * 1024)
  })
})
