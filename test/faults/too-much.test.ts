import { gzipSync } from 'node:zlib'
import { PathologyError } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { rejection } from '../support/clients.js'
import { UUID } from '../support/samples.js'
import { bytes, head, type WireScript } from './raw-server.js'
import { JSON_TEXT, REFERRAL, setUp } from './transport-faults.js'

describe('responses that are too large', () => {
  const endless =
    (status: number, ...lines: string[]): WireScript =>
    (socket) => {
      socket.write(head(status, ...lines))
      const piece = Buffer.alloc(16_384, ' ')
      const more = (): void => {
        while (!socket.destroyed && socket.write(piece));
      }
      socket.on('drain', more)
      more()
    }

  it('a response body that does not end is cut off at the limit, and its socket is closed', async () => {
    const { client, raw } = await setUp([endless(200, 'connection: close')], { maxResponseBytes: 100_000 })
    const error = await rejection(client.referrals.retrieve(UUID))
    expect(error).toMatchObject({
      name: 'InvalidResponseError',
      reason: 'too-large',
      outcome: 'failed',
      attempts: 1,
    })
    expect(raw.requests).toHaveLength(1)
    await expect.poll(() => raw.sockets.size).toBe(0)
  })

  it('a response body whose declared length exceeds the limit is not read', async () => {
    const { client, raw } = await setUp([endless(200, 'content-length: 999999999')])
    const error = await rejection(client.referrals.retrieve(UUID))
    expect(error).toMatchObject({ reason: 'too-large', attempts: 1 })
    await expect.poll(() => raw.sockets.size).toBe(0)
  })

  it('an error body that does not end is cut off too', async () => {
    const { client } = await setUp([endless(500, 'connection: close')], { maxResponseBytes: 100_000 })
    const error = await rejection(client.referrals.retrieve(UUID))
    expect(error).toBeInstanceOf(PathologyError)
    expect(error).toMatchObject({ reason: 'too-large' })
  })

  const zipped = (content: Buffer, encoding: string): WireScript => {
    const body = gzipSync(content)
    return bytes(
      `${head(200, `content-length: ${body.byteLength}`, `content-encoding: ${encoding}`)}${body.toString('latin1')}`,
      'keep',
    )
  }

  const bomb = zipped(Buffer.alloc(100_000_000, ' '), 'gzip')

  it.each([
    ['the dispatcher', {}],
    ['fetch', { fetch: globalThis.fetch }],
  ] as const)('100 MB in 100 KB of gzip are rejected at the limit, over %s', async (_, options) => {
    const { client } = await setUp([bomb], options)
    const before = process.memoryUsage().arrayBuffers
    const error = await rejection(client.referrals.retrieve(UUID))
    expect(error).toMatchObject({ name: 'InvalidResponseError', reason: 'too-large', attempts: 1 })
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50_000_000)
  })

  it('gzip that was not requested is read', async () => {
    const { client, raw } = await setUp([zipped(Buffer.from(JSON_TEXT), 'gzip')])
    await expect(client.referrals.retrieve(UUID)).resolves.toEqual(REFERRAL)
    expect(raw.requests[0]).toMatch(/accept-encoding: identity/i)
  })
})
