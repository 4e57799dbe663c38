import { randomBytes } from 'node:crypto'
import { deflateSync, gzipSync } from 'node:zlib'
import type { ClientOptions } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { rejection } from '../support/clients.js'
import { UUID } from '../support/samples.js'
import { bytes, head, type WireScript } from './raw-server.js'
import { REFERRAL, setUp } from './transport-faults.js'

const PAGE = JSON.stringify({ referrals: [REFERRAL], cursor: { count: 20, resultCount: 1 } })
const ZIPPED = gzipSync(PAGE)

/** A page of a list that arrives in gzip. */
const page = (body: Buffer, encoding = 'gzip', ...lines: string[]): WireScript =>
  bytes(
    `${head(200, `content-length: ${body.byteLength}`, `content-encoding: ${encoding}`, ...lines)}${body.toString('latin1')}`,
    'keep',
  )

/** Sends the head and some bytes, and then nothing. */
const stalled = (body: Buffer): WireScript =>
  bytes(`${head(200, 'content-encoding: gzip', 'content-length: 5000000')}${body.toString('latin1')}`, 'keep')

const bomb = gzipSync(Buffer.alloc(20_000_000, ' '))

const list = (options: ClientOptions, ...scripts: WireScript[]) =>
  setUp(scripts, { maxRetries: 0, ...options }).then(({ client, raw }) => ({
    raw,
    client,
    records: () => client.referrals.list().toArray({ limit: 10 }),
  }))

const TRANSPORTS: readonly (readonly [name: string, options: ClientOptions])[] = [
  ['its own connections', {}],
  ['fetch', { fetch: globalThis.fetch }],
]

describe.each(TRANSPORTS)('lists in gzip, over %s', (name, options) => {
  it(`lists are requested in gzip, and everything else without, over ${name}`, async () => {
    const { client, raw, records } = await list(options, page(ZIPPED))
    await expect(records()).resolves.toEqual([REFERRAL])
    await client.referrals.retrieve(UUID)
    expect(raw.requests.map((request) => /accept-encoding: (.*)\r/i.exec(request)?.[1])).toEqual([
      'gzip',
      'identity',
    ])
  })

  // fetch ignores a missing end of gzip when its content is complete.
  const lengths = [1, 10, 18, ZIPPED.byteLength - 40, ...(name === 'fetch' ? [] : [ZIPPED.byteLength - 1])]

  it.each(lengths)(
    `gzip of which only the first %i bytes arrive is truncated, over ${name}`,
    async (length) => {
      const { records } = await list(options, page(ZIPPED.subarray(0, length)))
      const error = await rejection(records())
      expect(error).toMatchObject({ name: 'InvalidResponseError', attempts: 1, outcome: 'failed' })
      expect(error).toMatchObject({ reason: expect.stringMatching(/^(truncated|empty)$/) })
    },
  )

  it(`a page whose connection is closed in the middle of gzip is read again, over ${name}`, async () => {
    const half = ZIPPED.subarray(0, ZIPPED.byteLength / 2)
    const closing = bytes(
      `${head(200, 'content-encoding: gzip', `content-length: ${ZIPPED.byteLength}`)}${half.toString('latin1')}`,
    )
    const { records, raw } = await list({ ...options, maxRetries: 1 }, closing, page(ZIPPED))
    await expect(records()).resolves.toEqual([REFERRAL])
    expect(raw.requests).toHaveLength(2)
  })

  it(`a page that decodes to more than maxResponseBytes is rejected, over ${name}`, async () => {
    const { records } = await list({ ...options, maxResponseBytes: 1_000_000 }, page(bomb))
    await expect(rejection(records())).resolves.toMatchObject({ reason: 'too-large', attempts: 1 })
  })

  // The fetch of Node 20 waits for ever after damaged gzip of a large page.
  const pages = [
    ['small', PAGE],
    ['large', JSON.stringify({ referrals: [REFERRAL], noise: randomBytes(200_000).toString('base64') })],
  ] as const

  it.each(name === 'fetch' ? pages.slice(0, 1) : pages)(
    `damaged gzip of a %s page is truncated, and the page is read again, over ${name}`,
    async (_, text) => {
      const zipped = gzipSync(text)
      const damaged = Buffer.concat([zipped.subarray(0, -8), Buffer.alloc(8)])
      const { records, raw } = await list({ ...options, maxRetries: 1 }, page(damaged), page(zipped))
      await expect(records()).resolves.toEqual([REFERRAL])
      expect(raw.requests).toHaveLength(2)
      const other = await list(options, page(damaged))
      await expect(rejection(other.records())).resolves.toMatchObject({
        reason: 'truncated',
        retryable: true,
      })
    },
  )

  it(`pages that were compressed to less than a hundredth are read, over ${name}`, async () => {
    const many = Array.from({ length: 5_000 }, (_, nth) => ({
      ...REFERRAL,
      uuid: `${UUID.slice(0, -4)}${1_000 + nth}`,
    }))
    const text = JSON.stringify({ referrals: many, cursor: { count: 5_000, resultCount: 5_000 } })
    expect(text.length / gzipSync(text).byteLength).toBeGreaterThan(40)
    const { client } = await list(options, page(gzipSync(text)))
    const first = await client.referrals.list().firstPage()
    expect(first.items).toHaveLength(5_000)
  })

  it.each(['deflate', 'br', 'gzip, gzip', 'gzip, br', 'zstd'])(
    `a page with content-encoding %s is rejected, over ${name}`,
    async (encoding) => {
      const { records } = await list(
        options,
        page(encoding === 'deflate' ? deflateSync(PAGE) : ZIPPED, encoding),
      )
      await expect(rejection(records())).resolves.toMatchObject({
        name: 'InvalidResponseError',
        reason: expect.stringMatching(name === 'fetch' ? /^(encoding|truncated)$/ : /^encoding$/),
      })
    },
  )
})

describe("gzip on the client's own connections", () => {
  it('text that is declared as gzip is rejected', async () => {
    const { records } = await list({}, page(Buffer.from(PAGE)))
    await expect(rejection(records())).resolves.toMatchObject({ reason: 'encoding', attempts: 1 })
  })

  it('the received bytes of a page in gzip are limited too', async () => {
    const noise = Buffer.from(Array.from({ length: 40_000 }, (_, nth) => (nth * 7_919) % 251))
    const { records } = await list({ maxResponseBytes: 1_000 }, stalled(gzipSync(noise, { level: 0 })))
    await expect(rejection(records())).resolves.toMatchObject({ reason: 'too-large' })
  })

  it('an abort during a page in gzip rejects at once', async () => {
    const abort = new AbortController()
    const { client, raw } = await list({}, (socket, request) => {
      stalled(bomb.subarray(0, 10_000))(socket, request)
      setTimeout(() => abort.abort(new Error('enough')), 50)
    })
    const error = await rejection(client.referrals.list({}, { signal: abort.signal }).firstPage())
    expect(error).toMatchObject({ message: 'enough' })
    await expect.poll(() => raw.sockets.size).toBe(0)
  })
})
