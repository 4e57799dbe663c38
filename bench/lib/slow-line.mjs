import { once } from 'node:events'
import { connect, createServer } from 'node:net'

const BITS_PER_SECOND = 2_000_000
const ROUND_TRIP_MS = 200
const PIECE_BYTES = 4_096

/**
 * Starts a TCP proxy on loopback that is as slow as a clinic's line. All connections together receive 2 Mbit/s from the
 * server, and a round trip takes 200 ms.
 * @param {string} base URL of the server
 */
export async function startSlowLine(base) {
  const { port } = new URL(base)
  let freeAt = 0
  /** Returns the milliseconds until a chunk has passed the line. @param {number} bytes */
  const passed = (bytes) => {
    freeAt = Math.max(freeAt, performance.now()) + (bytes * 8_000) / BITS_PER_SECOND
    return freeAt - performance.now()
  }
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect(Number(port), '127.0.0.1')
    // A connection is open after one round trip.
    const open = new Promise((resolve) => setTimeout(resolve, ROUND_TRIP_MS))
    near.on('data', (bytes) => {
      open.then(() => setTimeout(() => far.write(bytes), ROUND_TRIP_MS / 2)).catch(() => undefined)
    })
    far.on('data', (bytes) => {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        const piece = bytes.subarray(at, at + PIECE_BYTES)
        setTimeout(() => near.write(piece), passed(piece.length) + ROUND_TRIP_MS / 2)
      }
    })
    for (const socket of [near, far]) {
      socket.on('error', () => undefined)
      socket.once('close', () => {
        near.destroy()
        far.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { base: `http://127.0.0.1:${address.port}`, stop: () => server.close() }
}
