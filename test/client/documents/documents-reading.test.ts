import { mkdir, open, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Agent, setGlobalDispatcher } from 'undici'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { rejection } from '../../support/clients.js'
import { UUID } from '../../support/samples.js'
import type { Reply } from '../../support/scripted-server.js'
import { directory, PDF, setUp } from './document-world.js'

// Node's own `fetch` connects again after an abort, and keeps that connection for some seconds.
beforeAll(() => setGlobalDispatcher(new Agent()))

it('saveTo writes the complete file for its owner only, and no other file', async () => {
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

it('saveTo uses the requested permissions, also when it replaces a file with others', async () => {
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
  'saveTo rejects permissions %j before anything is downloaded',
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
  'after %s, saveTo has not changed an existing file, and leaves no temporary file',
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

it('a file has another name while it is being written', async () => {
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
  ['has one that throws an error of Node', throwing(coded('ERR_METHOD_NOT_IMPLEMENTED'))],
  ['is on a disk that cannot sync', throwing(coded('EINVAL'))],
])('a file that %s, as with Yarn PnP: the document is saved anyway', async (_, sync) => {
  const { client } = await setUp()
  const file = join(await directory(), 'referral.pdf')
  await withSync(sync)
  await expect(client.referrals.document(UUID).saveTo(file)).resolves.toHaveProperty('bytes', PDF.byteLength)
  expect(await readFile(file)).toEqual(PDF)
})

it.each(['EIO', 'ENOSPC', 'EDQUOT', 'ESTALE', 'ETIMEDOUT'])(
  'saveTo fails when sync fails with %s, and leaves no file',
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

it("saveTo rejects with the system's error for the name of a directory and for a missing directory", async () => {
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
])('the connection of a download by %s is released when its file cannot be created', async (_, options) => {
  const { client, host } = await setUp([{ bytes: PDF, hang: 'in-body' }], options)
  const file = join(await directory(), 'missing', 'x.pdf')
  expect(await rejection(client.referrals.document(UUID).saveTo(file))).toMatchObject({ code: 'ENOENT' })
  await expect.poll(() => host.connections()).toBe(0)
})

it.each([
  ['the dispatcher', {}],
  ['fetch', { fetch: globalThis.fetch }],
] as const)(
  'a stream over %s that is cancelled while the host sends nothing ends at once',
  async (_, options) => {
    const { client, host } = await setUp([{ bytes: PDF, hang: 'in-body' }], options)
    const stream = await client.referrals.document(UUID).stream()
    const reader = stream.getReader()
    let received = 0
    while (received < PDF.byteLength / 2 - 1) received += (await reader.read()).value?.byteLength ?? 0
    const stalled = reader.read()
    await reader.cancel('enough')
    expect(await stalled).toMatchObject({ done: true })
    await expect.poll(() => host.connections()).toBe(0)
  },
)

it('the signal that was passed to document() ends a download in progress, and a later one', async () => {
  const { client, host } = await setUp([{ bytes: PDF, hang: 'in-body' }])
  const abort = new AbortController()
  const document = await client.referrals.document(UUID, { signal: abort.signal })
  const reading = rejection(document.bytes({ signal: new AbortController().signal }))
  await expect.poll(() => host.requests.length).toBe(1)
  abort.abort(new Error('the page was left'))
  expect(await reading).toBe(abort.signal.reason)
  await expect.poll(() => host.connections()).toBe(0)
  expect(await rejection(document.bytes())).toBe(abort.signal.reason)
  expect(host.requests).toHaveLength(1)
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
