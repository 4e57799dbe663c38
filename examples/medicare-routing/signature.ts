import { crc32, deflateSync } from 'node:zlib'

const SIZE = { width: 120, height: 40 }

/** Draws a black wave on white as a PNG, in place of a scanned signature. */
export function drawnSignature(): Uint8Array {
  const rows = Array.from({ length: SIZE.height }, (_, y) =>
    Buffer.from([0, ...Array.from({ length: SIZE.width }, (_, x) => (isInk(x, y) ? 0 : 255))]),
  )
  const header = Buffer.alloc(13)
  header.writeUInt32BE(SIZE.width, 0)
  header.writeUInt32BE(SIZE.height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  const mark = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.concat(rows)))]
  return Buffer.concat([mark, ...parts, chunk('IEND', Buffer.alloc(0))])
}

function isInk(x: number, y: number): boolean {
  const line = SIZE.height / 2 + Math.sin(x / 6) * (SIZE.height / 3) * (1 - x / SIZE.width)
  return Math.abs(y - line) < 1.5
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}
