import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { ClientOptions } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { RawServer } from '../../faults/raw-server.js'
import { clientOf, rejection } from '../../support/clients.js'
import { referral, UUID } from '../../support/samples.js'
import { ScriptedServer } from '../../support/scripted-server.js'

const WHOLE = `%PDF-1.7\n${'0 0 obj '.repeat(400)}\nstartxref\n9\n%%EOF\n`
const HALF = WHOLE.slice(0, WHOLE.length / 2)
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/pdf\r\n'

/** A host that sends these bodies without a length: the end of the connection ends the body. */
async function setUp(bodies: readonly string[], options: ClientOptions = {}, head = HEAD) {
  const host = await RawServer.start(
    ...bodies.map((body) => (socket: { end(text: string): unknown }) => {
      socket.end(`${head}connection: close\r\n\r\n${body}`)
    }),
  )
  const server = await ScriptedServer.start()
  server.on(`GET /v1/referrals/${UUID}`, {
    json: referral({ referralAttachment: `${host.origin}/a.pdf?signature=x` }),
  })
  const document = await clientOf(server.origin, options).referrals.document(UUID)
  return { host, document }
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

describe.each<[string, ClientOptions]>([
  ['over undici', {}],
  ['over fetch', { fetch: globalThis.fetch }],
])('a document without a length, which ends with its connection, %s (§2.4)', (_, options) => {
  it('complete: it ends with the end mark of a PDF', async () => {
    const { document, host } = await setUp([WHOLE], options)
    expect(text(await document.bytes())).toBe(WHOLE)
    expect(host.requests).toHaveLength(1)
  })

  it('interrupted: the download starts again', async () => {
    const { document, host } = await setUp([HALF, WHOLE], options)
    expect(text(await document.bytes())).toBe(WHOLE)
    expect(host.requests).toHaveLength(2)
  })

  it('interrupted each time: never treated as complete', async () => {
    const { document } = await setUp([HALF], options)
    expect(await rejection(document.bytes())).toMatchObject({ reason: 'truncated', attempts: 3 })
  })

  it('interrupted, with a Transfer-Encoding that does not mark the end', async () => {
    const head = `${HEAD}transfer-encoding: identity\r\n`
    const { document } = await setUp([HALF], options, head)
    const error = await rejection(document.bytes())
    expect(error).toHaveProperty('name', expect.stringMatching(/^(InvalidResponseError|ConnectionError)$/))
  })

  it('interrupted while it is streamed: the stream fails at its end', async () => {
    const { document } = await setUp([HALF], options)
    const read = async (): Promise<void> => {
      for await (const chunk of document.stream()) expect(chunk.byteLength).toBeGreaterThan(0)
    }
    expect(await rejection(read())).toMatchObject({ name: 'InvalidResponseError', reason: 'truncated' })
  })

  it('a few bytes may follow the end mark, and the mark may be split over chunks', async () => {
    const { document } = await setUp([`${WHOLE}${'\n'.repeat(1_000)}`], options)
    expect(text(await document.bytes())).toContain('%%EOF')
    const { document: other } = await setUp([`${WHOLE}${'\n'.repeat(1_100)}`], { ...options, maxRetries: 0 })
    expect(await rejection(other.bytes())).toMatchObject({ reason: 'truncated' })
  })
})

describe('a document with a declared length (§2.4)', () => {
  it('needs no end mark, because the length shows the end', async () => {
    const head = `${HEAD}content-length: ${HALF.length}\r\n`
    const { document } = await setUp([HALF], {}, head)
    expect(text(await document.bytes())).toBe(HALF)
  })
})

describe('a document that its host stores with Content-Encoding gzip', () => {
  it.each([
    ['larger than its content', Buffer.from(randomBytes(3_000))],
    ['smaller than its content', Buffer.alloc(3_000)],
  ])('%s: fetch decodes it, and its length is not that of the content', async (_, body) => {
    const server = await ScriptedServer.start()
    const pdf = Buffer.concat([Buffer.from('%PDF-1.7\n'), body, Buffer.from('\nstartxref\n9\n%%EOF\n')])
    const encoded = gzipSync(pdf)
    server.on(`GET /v1/referrals/${UUID}`, {
      json: referral({ referralAttachment: `${server.origin}/a.pdf` }),
    })
    server.on('GET /a.pdf', { bytes: encoded, headers: { 'content-encoding': 'gzip' } })
    const totals: (number | undefined)[] = []
    const client = clientOf(server.origin, { fetch: globalThis.fetch })
    const content = await client.referrals.document(UUID).bytes({
      onProgress: ({ totalBytes }) => totals.push(totalBytes),
    })
    expect(Buffer.from(content).equals(pdf)).toBe(true)
    expect(new Set(totals)).toEqual(new Set([undefined]))
  })
})
