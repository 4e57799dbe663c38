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
  it('a document without a length is complete if it ends with the end mark of a PDF (§2.4)', async () => {
    const { document, host } = await setUp([WHOLE], options)
    expect(text(await document.bytes())).toBe(WHOLE)
    expect(host.requests).toHaveLength(1)
  })

  it('a document without a length that is interrupted is downloaded again', async () => {
    const { document, host } = await setUp([HALF, WHOLE], options)
    expect(text(await document.bytes())).toBe(WHOLE)
    expect(host.requests).toHaveLength(2)
  })

  it('a document without a length that is interrupted each time is never treated as complete', async () => {
    const { document } = await setUp([HALF], options)
    expect(await rejection(document.bytes())).toMatchObject({ reason: 'truncated', attempts: 3 })
  })

  it('a Transfer-Encoding other than chunked does not mark the end of a document', async () => {
    const head = `${HEAD}transfer-encoding: identity\r\n`
    const { document } = await setUp([HALF], options, head)
    const error = await rejection(document.bytes())
    expect(error).toHaveProperty('name', expect.stringMatching(/^(InvalidResponseError|ConnectionError)$/))
  })

  it('the stream of a document that is interrupted fails at its end', async () => {
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

it('a document with a length needs no end mark', async () => {
  const head = `${HEAD}content-length: ${HALF.length}\r\n`
  const { document } = await setUp([HALF], {}, head)
  expect(text(await document.bytes())).toBe(HALF)
})
