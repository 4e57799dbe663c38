import { createServer, type ServerResponse } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { rejection } from '../../support/clients.js'
import { UUID } from '../../support/samples.js'
import { PDF, pdf, setUp } from './document-world.js'

const HEADERS = {
  'content-type': 'application/pdf',
  'content-disposition': 'inline; filename="document.pdf"',
  'cache-control': 'private, no-store',
  'x-content-type-options': 'nosniff',
}

/** Starts a server that responds with `work`. Returns its origin. */
async function serverOf(work: (response: ServerResponse) => Promise<void>): Promise<string> {
  const server = createServer((_, response) => {
    work(response).catch(() => {
      if (response.headersSent) return
      response.statusCode = 502
      response.end('no document')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}`
}

it('toResponse returns the PDF and the headers for a private document', async () => {
  const { client } = await setUp()
  const response = await client.referrals.document(UUID).toResponse()
  expect(Object.fromEntries(response.headers)).toEqual(HEADERS)
  expect(Buffer.from(await response.arrayBuffer()).equals(PDF)).toBe(true)
})

it.each([
  [{ filename: 'Blood test (1).pdf' }, 'inline; filename="Blood test (1).pdf"'],
  [{ disposition: 'attachment' as const }, 'attachment; filename="document.pdf"'],
  [
    { filename: 'a"\r\nx: y/ł.pdf' },
    'inline; filename="a___x_ y__.pdf"; filename*=UTF-8\'\'a%22%0D%0Ax%3A%20y%2F%C5%82.pdf',
  ],
  [{ filename: '\ud800.pdf' }, 'inline; filename="_.pdf"'],
  [{ filename: "ł'(1)*.pdf" }, 'inline; filename="__(1)_.pdf"; filename*=UTF-8\'\'%C5%82%27%281%29%2A.pdf'],
])('toResponse with %j has the disposition %s', async (options, disposition) => {
  const { client } = await setUp()
  const response = await (await client.referrals.document(UUID)).toResponse(options)
  expect(response.headers.get('content-disposition')).toBe(disposition)
  await response.body?.cancel()
})

it('toResponse copies its options: an object that is reused for the next document does not change this response', async () => {
  const { client } = await setUp()
  const options = { filename: 'first.pdf' }
  const first = client.referrals.document(UUID).toResponse(options)
  options.filename = 'second.pdf'
  const second = client.referrals.document(UUID).toResponse(options)
  const names = (await Promise.all([first, second])).map(({ headers }) => headers.get('content-disposition'))
  expect(names).toEqual(['inline; filename="first.pdf"', 'inline; filename="second.pdf"'])
  await Promise.all([first, second].map(async (response) => (await response).body?.cancel()))
})

it('toResponse rejects before there is a response when the document cannot be read', async () => {
  const { client } = await setUp([{ text: '<html></html>' }])
  expect(await rejection(client.referrals.document(UUID).toResponse())).toMatchObject({ reason: 'not-pdf' })
})

it('toResponse ends the download when the body is cancelled, and rejects an unknown option', async () => {
  const { client, host } = await setUp([{ ...pdf, hang: 'in-body' }])
  const document = await client.referrals.document(UUID)
  const misspelt = { fileName: 'a.pdf' } as never
  await expect(document.toResponse(misspelt)).rejects.toThrow('did you mean filename?')
  const response = await document.toResponse()
  await response.body?.cancel()
  await client.close()
  expect(host.requests).toHaveLength(1)
})

it('pipe sends the PDF and its headers as the response of node:http', async () => {
  const { client } = await setUp()
  const origin = await serverOf((response) =>
    client.referrals.document(UUID).pipe(response, { disposition: 'attachment', filename: 'referral.pdf' }),
  )
  const response = await fetch(origin)
  expect(response.status).toBe(200)
  const disposition = 'attachment; filename="referral.pdf"'
  expect(Object.fromEntries(response.headers)).toMatchObject({
    ...HEADERS,
    'content-disposition': disposition,
  })
  expect(Buffer.from(await response.arrayBuffer()).equals(PDF)).toBe(true)
})

it('pipe rejects before headers are sent, so that the server can respond with an error', async () => {
  const { client } = await setUp([{ text: '<html></html>' }])
  const response = await fetch(await serverOf((target) => client.referrals.document(UUID).pipe(target)))
  expect([response.status, await response.text()]).toEqual([502, 'no document'])
  expect(response.headers.get('content-type')).not.toBe('application/pdf')
})

it('pipe to a response whose headers were already sent ends the download', async () => {
  const { client } = await setUp([{ ...pdf, hang: 'in-body' }])
  const target = {
    setHeader: () => {
      throw new Error('the headers were sent')
    },
    write: () => true,
    end: () => undefined,
    on: () => undefined,
  }
  expect(await rejection(client.referrals.document(UUID).pipe(target))).toMatchObject({
    message: 'the headers were sent',
  })
  // Waits for downloads in progress.
  await client.close()
})

it('a browser that disconnects ends the download of pipe', async () => {
  const { client } = await setUp([{ ...pdf, hang: 'in-body' }])
  const sent: Promise<unknown>[] = []
  const origin = await serverOf(async (target) => {
    sent.push(rejection(client.referrals.document(UUID).pipe(target)))
  })
  const abort = new AbortController()
  const response = await fetch(origin, { signal: abort.signal })
  abort.abort()
  await response.arrayBuffer().catch(() => undefined)
  expect(await sent[0]).toBeInstanceOf(Error)
  await client.close()
})

it('pipe breaks the response when the download breaks off: a part is never shown as complete', async () => {
  const { client } = await setUp([{ ...pdf, reset: 'in-body' }])
  const origin = await serverOf((target) => client.referrals.document(UUID).pipe(target))
  const isComplete = await fetch(origin).then(
    async (response) =>
      response.arrayBuffer().then(
        () => response.ok,
        () => false,
      ),
    () => false,
  )
  expect(isComplete).toBe(false)
})
