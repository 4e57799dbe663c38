import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { lockFolder } from '../../src/database/pglite-lock.js'

async function folder(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'mirror-lock-'))
  onTestFinished(() => rm(parent, { recursive: true, force: true }))
  return join(parent, 'data')
}

/** Changes fields of the lock file, as another process would have written it. */
async function edit(path: string, fields: object): Promise<void> {
  const owner: object = JSON.parse(await readFile(`${path}.lock`, 'utf8'))
  await writeFile(`${path}.lock`, JSON.stringify({ ...owner, ...fields }))
}

const inUse = { code: 'DATABASE_IN_USE', name: 'ConfigurationError' }

describe('lock of a PGlite directory', () => {
  it('rejects a second user, and accepts one after the release', async () => {
    const path = await folder()
    const unlock = await lockFolder(path)
    await expect(lockFolder(path)).rejects.toMatchObject(inUse)
    await unlock()
    await (await lockFolder(path))()
  })

  it('of a file: URL is the lock of its directory', async () => {
    const path = await folder()
    const unlock = await lockFolder(path)
    await expect(lockFolder(`file://${path}`)).rejects.toMatchObject(inUse)
    await unlock()
  })

  it('is given to one of many that start at once', async () => {
    const path = await folder()
    const started = await Promise.allSettled(Array.from({ length: 20 }, () => lockFolder(path)))
    expect(started.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await readdir(join(path, '..'))).toEqual(['data.lock'])
    for (const each of started) if (each.status === 'fulfilled') await each.value()
  })

  it('of a process that has ended is replaced', async () => {
    const path = await folder()
    await lockFolder(path)
    await edit(path, { pid: 2 ** 22 + 1, startedAt: '1' })
    await (await lockFolder(path))()
  })

  it('of an earlier process with the same id is replaced', async () => {
    const path = await folder()
    await lockFolder(path)
    await edit(path, { startedAt: '1' })
    await (await lockFolder(path))()
  })

  it('of another host is valid while it has a heartbeat', async () => {
    const path = await folder()
    const unlock = await lockFolder(path)
    await edit(path, { host: 'other', token: 'other' })
    await expect(lockFolder(path)).rejects.toMatchObject(inUse)
    const past = new Date(Date.now() - 60_000)
    await utimes(`${path}.lock`, past, past)
    const again = await lockFolder(path)
    await unlock()
    await expect(lockFolder(path)).rejects.toMatchObject(inUse)
    await again()
  })

  it('with unreadable content is replaced', async () => {
    const path = await folder()
    await writeFile(`${path}.lock`, 'half a')
    await (await lockFolder(path))()
  })

  it('is acquired by only one of several at the same time', async () => {
    const path = await folder()
    const locks = await Promise.allSettled(Array.from({ length: 8 }, () => lockFolder(path)))
    expect(locks.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})
