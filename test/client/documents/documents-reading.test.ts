import { mkdir, open, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClientOptions, DocumentOptions, PdfDocument } from 'pathology-sdk'
import { Agent, setGlobalDispatcher } from 'undici'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { expectNoCanary } from '../../support/canaries.js'
import { rejection } from '../../support/clients.js'
import { UUID } from '../../support/samples.js'
import type { Reply } from '../../support/scripted-server.js'
import { directory, PDF, setUp } from './document-world.js'

// Node's own `fetch` connects again after an abort, and keeps that connection for some seconds.
beforeAll(() => setGlobalDispatcher(new Agent()))

describe('documents: saveTo', () => {
  it('writes the complete file for its owner only, and no other file', async () => {
    const { client } = await setUp()
    const path = await directory()
    const file = join(path, 'referral.pdf')
    await expect(client.referrals.document(UUID).saveTo(file)).resolves.toEqual({
      path: file,
      bytes: PDF.byteLength,
    })
    expect(await readFile(file)).toEqual(PDF)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readdir(path)).toEqual(['referral.pdf'])
  })

  it('uses the requested permissions, also when it replaces a file with others', async () => {
    const { client } = await setUp()
    const file = join(await directory(), 'referral.pdf')
    await writeFile(file, 'before', { mode: 0o644 })
    await client.referrals.document(UUID).saveTo(file)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const document = await client.referrals.document(UUID)
    await document.saveTo(file, { mode: 0o400 })
    expect((await stat(file)).mode & 0o777).toBe(0o400)
  })

  it.each([-1, 0o1000, 1.5, '600'])(
    'permissions %j are rejected before anything is downloaded',
    async (mode) => {
      const { client, host } = await setUp()
      const file = join(await directory(), 'referral.pdf')
      const error = await rejection(client.referrals.document(UUID).saveTo(file, { mode: mode as number }))
      expect(error).toMatchObject({
        name: 'ConfigurationError',
        message: 'mode must be an integer from 0 to 0o777, such as 0o600',
      })
      expect(host.requests).toHaveLength(0)
    },
  )

  it.each([
    ['a reset in the body', { bytes: PDF, reset: 'in-body' }],
    ['no PDF', { text: '<html>' }],
    ['403', { status: 403 }],
  ] as const)(
    '%s: an existing file is not changed, and no temporary file is left',
    async (_, reply: Reply) => {
      const { client } = await setUp([reply], { maxRetries: 1 })
      const path = await directory()
      const file = join(path, 'referral.pdf')
      await writeFile(file, 'the one before')
      await rejection(client.referrals.document(UUID).saveTo(file))
      expect(await readFile(file, 'utf8')).toBe('the one before')
      expect(await readdir(path)).toEqual(['referral.pdf'])
    },
  )

  it('has another name while it is being written', async () => {
    const { client, host } = await setUp([{ bytes: PDF, hang: 'in-body' }])
    const path = await directory()
    const abort = new AbortController()
    const document = await client.referrals.document(UUID)
    const saving = rejection(document.saveTo(join(path, 'referral.pdf'), { signal: abort.signal }))
    await expect.poll(() => readdir(path)).toHaveLength(1)
    expect(await readdir(path)).not.toContain('referral.pdf')
    abort.abort()
    expect(await saving).toMatchObject({ name: 'AbortError' })
    expect(await readdir(path)).toEqual([])
    await expect.poll(() => host.connections()).toBe(0)
  })

  const coded = (code: string): Error => Object.assign(new Error(`${code}: sync`), { code })

  it.each([
    ['has no sync', undefined],
    ['has one that is not implemented', throwing(new Error('Method not implemented.'))],
    ['has one that rejects as not implemented', async () => throwing(coded('ENOSYS'))()],
    ['is on a disk that cannot sync', throwing(coded('EINVAL'))],
  ])('a file that %s, as with Yarn PnP: the document is saved anyway', async (_, sync) => {
    const { client } = await setUp()
    const file = join(await directory(), 'referral.pdf')
    await withSync(sync)
    await expect(client.referrals.document(UUID).saveTo(file)).resolves.toHaveProperty(
      'bytes',
      PDF.byteLength,
    )
    expect(await readFile(file)).toEqual(PDF)
  })

  it.each(['EIO', 'ENOSPC', 'EDQUOT'])(
    'sync fails with %s: saveTo fails too, and no file is left',
    async (code) => {
      const { client } = await setUp()
      const path = await directory()
      await withSync(throwing(coded(code)))
      const error = await rejection(client.referrals.document(UUID).saveTo(join(path, 'referral.pdf')))
      expect(error).toMatchObject({ code })
      expect(await readdir(path)).toEqual([])
    },
  )

  it('a file name of the greatest permitted length is saved', async () => {
    const { client } = await setUp()
    const path = await directory()
    const name = `${'a'.repeat(251)}.pdf`
    await client.referrals.document(UUID).saveTo(join(path, name))
    expect(await readdir(path)).toEqual([name])
  })

  it("the name of a directory, or a directory that does not exist: the system's error, and no file is left", async () => {
    const { client } = await setUp()
    const path = await directory()
    await mkdir(join(path, 'taken'))
    const document = await client.referrals.document(UUID)
    expect(await rejection(document.saveTo(join(path, 'taken')))).toMatchObject({ code: 'EISDIR' })
    expect(await readdir(path)).toEqual(['taken'])
    expect(await rejection(document.saveTo(join(path, 'missing', 'x.pdf')))).toMatchObject({ code: 'ENOENT' })
  })

  it.each([
    ['the dispatcher', {}],
    ['fetch', { fetch: globalThis.fetch }],
  ])(
    'the file cannot be created after a download by %s has started: its connection is released',
    async (_, options) => {
      const { client, host } = await setUp([{ bytes: PDF, hang: 'in-body' }], options)
      const file = join(await directory(), 'missing', 'x.pdf')
      expect(await rejection(client.referrals.document(UUID).saveTo(file))).toMatchObject({ code: 'ENOENT' })
      await expect.poll(() => host.connections()).toBe(0)
    },
  )
})

describe('documents: stream', () => {
  it('returns the content', async () => {
    const { client } = await setUp()
    const stream = await client.referrals.document(UUID).stream()
    expect(Buffer.from(await new Response(stream).arrayBuffer())).toEqual(PDF)
  })

  it.each([
    ['the dispatcher', {}],
    ['fetch', { fetch: globalThis.fetch }],
  ] as const)('over %s: cancelled while the host sends nothing, it ends at once', async (_, options) => {
    const { client, host } = await setUp([{ bytes: PDF, hang: 'in-body' }], options)
    const stream = await client.referrals.document(UUID).stream()
    const reader = stream.getReader()
    let received = 0
    while (received < PDF.byteLength / 2 - 1) received += (await reader.read()).value?.byteLength ?? 0
    const stalled = reader.read()
    await reader.cancel('enough')
    expect(await stalled).toMatchObject({ done: true })
    await expect.poll(() => host.connections()).toBe(0)
  })

  it('fails with the public error when the download breaks off', async () => {
    const { client } = await setUp([{ bytes: PDF, reset: 'in-body' }])
    const stream = await client.referrals.document(UUID).stream()
    const error = await rejection(new Response(stream).arrayBuffer())
    expect(error).toMatchObject({ name: 'InvalidResponseError', reason: 'truncated' })
    expectNoCanary(error)
  })
})

describe('documents: abort', () => {
  it.each([
    ['before the response', { hang: 'before' }, {}],
    ['in the body', { bytes: PDF, hang: 'in-body' }, {}],
    ['before the response, over fetch', { hang: 'before' }, { fetch: globalThis.fetch }],
    ['in the body, over fetch', { bytes: PDF, hang: 'in-body' }, { fetch: globalThis.fetch }],
  ] as const)("%s: rejects with the signal's reason", async (_, reply: Reply, options: ClientOptions) => {
    const { client, host } = await setUp([reply], options)
    const document = await client.referrals.document(UUID)
    const abort = new AbortController()
    const reason = new Error('closed the page')
    const pending = rejection(document.bytes({ signal: abort.signal }))
    await expect.poll(() => host.requests.length).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 20))
    abort.abort(reason)
    expect(await pending).toBe(reason)
    await expect.poll(() => host.connections()).toBe(0)
  })
})

describe('documents: the signal that was passed to document()', () => {
  type Read = (document: PdfDocument, options: DocumentOptions) => Promise<unknown>

  it.each<[string, Read]>([
    ['bytes', (document, options) => document.bytes(options)],
    ['stream', (document, options) => new Response(document.stream(options)).arrayBuffer()],
    ['saveTo', async (document, options) => document.saveTo(join(await directory(), 'a.pdf'), options)],
  ])('also ends a download by %s', async (_, read) => {
    const { client, host } = await setUp([{ bytes: PDF, hang: 'in-body' }])
    const abort = new AbortController()
    const document = await client.referrals.document(UUID, { signal: abort.signal })
    const reading = rejection(read(document, { signal: new AbortController().signal }))
    await expect.poll(() => host.requests.length).toBe(1)
    const reason = new Error('the page was left')
    abort.abort(reason)
    expect(await reading).toBe(reason)
    await expect.poll(() => host.connections()).toBe(0)
  })

  it('aborted before the download: the host gets no request', async () => {
    const { client, host } = await setUp()
    const abort = new AbortController()
    const document = await client.referrals.document(UUID, { signal: abort.signal })
    abort.abort()
    expect(await rejection(document.bytes())).toMatchObject({ name: 'AbortError' })
    expect(host.requests).toHaveLength(0)
  })
})

function throwing(error: Error): () => never {
  return () => {
    throw error
  }
}

/** Replaces `sync` of every file handle until the test ends. */
async function withSync(sync: unknown): Promise<void> {
  const handle = await open(join(await directory(), 'any'), 'w')
  const files = Object.getPrototypeOf(handle)
  await handle.close()
  const { sync: original } = files
  files.sync = sync
  onTestFinished(() => {
    files.sync = original
  })
}
