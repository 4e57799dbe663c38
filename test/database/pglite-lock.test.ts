import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { lockFolder } from '../../src/database/pglite-lock.js'

async function folder(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'mirror-lock-'))
  onTestFinished(() => rm(parent, { recursive: true, force: true }))
  return join(parent, 'data')
}

const lockOf = (path: string): string => join(path, 'pathology-sdk.lock')

/** Changes fields of the lock file, as another process would have written it. */
async function edit(path: string, fields: object): Promise<void> {
  const owner: object = JSON.parse(await readFile(lockOf(path), 'utf8'))
  await writeFile(lockOf(path), JSON.stringify({ ...owner, ...fields }))
}

const inUse = { code: 'DATABASE_IN_USE', name: 'ConfigurationError' }

describe('lock of a PGlite directory', () => {
  it('rejects a second user, and accepts one after the release', async () => {
    const path = await folder()
    const lock = await lockFolder(path)
    await expect(lockFolder(path)).rejects.toMatchObject(inUse)
    await lock.release()
    await (await lockFolder(path)).release()
  })

  it('of a file: URL is the lock of its directory', async () => {
    const path = await folder()
    const lock = await lockFolder(path)
    await expect(lockFolder(`file://${path}`)).rejects.toMatchObject(inUse)
    await lock.release()
  })

  it('is given to one of many that start at once', async () => {
    const path = await folder()
    const started = await Promise.allSettled(Array.from({ length: 20 }, () => lockFolder(path)))
    expect(started.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await readdir(path)).toEqual(['pathology-sdk.lock'])
    for (const each of started) if (each.status === 'fulfilled') await each.value.release()
  })

  it('of a process that has ended is replaced', async () => {
    const path = await folder()
    await lockFolder(path)
    await edit(path, { pid: 2 ** 22 + 1, startedAt: '1' })
    await (await lockFolder(path)).release()
  })

  it('of an earlier process with the same id is replaced', async () => {
    const path = await folder()
    await lockFolder(path)
    await edit(path, { startedAt: '1' })
    await (await lockFolder(path)).release()
  })

  it.each([
    ['host', { host: 'other' }],
    // Each container has its own process 1, so the process id says nothing.
    ['container on the same machine', { pidSpace: 'pid:[1]', pid: 1, startedAt: '1' }],
  ])('of another %s is valid while it has a heartbeat', async (_, other) => {
    const path = await folder()
    const lock = await lockFolder(path)
    await edit(path, { ...other, token: 'other' })
    let ageMs = 20_000
    const beats = setInterval(() => {
      ageMs -= 1_000
      const at = new Date(Date.now() - ageMs)
      void utimes(lockOf(path), at, at).catch(() => undefined)
    }, 200)
    onTestFinished(() => clearInterval(beats))
    await expect(lockFolder(path)).rejects.toMatchObject(inUse)
    clearInterval(beats)
    // Without further heartbeats, the lock is waited for until the last one is stale.
    const past = new Date(Date.now() - 28_500)
    await utimes(lockOf(path), past, past)
    const again = await lockFolder(path)
    await lock.release()
    expect(await readdir(path)).toEqual(['pathology-sdk.lock'])
    await again.release()
  })

  it('of another host whose clock is fast is replaced after 30 s without a heartbeat', async () => {
    const path = await folder()
    vi.useFakeTimers({ toFake: ['performance'] })
    await lockFolder(path)
    await edit(path, { host: 'other', token: 'other' })
    const future = new Date(Date.now() + 3_600_000)
    await utimes(lockOf(path), future, future)
    const passing = setInterval(() => vi.advanceTimersByTime(10_000), 200)
    onTestFinished(() => {
      clearInterval(passing)
      vi.useRealTimers()
    })
    await (await lockFolder(path)).release()
  })

  it('that was released is not created again by a late statement', async () => {
    const path = await folder()
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const lock = await lockFolder(path)
    await lock.release()
    vi.advanceTimersByTime(15_001)
    await lock.confirm()
    expect(await readdir(path)).toEqual([])
  })

  it('is found on another path to the directory, such as the mount point of a volume', async () => {
    const path = await folder()
    await lockFolder(path)
    await rename(path, `${path}-mounted`)
    await expect(lockFolder(`${path}-mounted`)).rejects.toMatchObject(inUse)
  })

  it('with unreadable content is replaced', async () => {
    const path = await folder()
    await mkdir(path)
    await writeFile(lockOf(path), 'half a')
    await (await lockFolder(path)).release()
  })

  it('is lost when another process took it from a paused process', async () => {
    const path = await folder()
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const lock = await lockFolder(path)
    await edit(path, { host: 'other', token: 'other' })
    // Until half of the time after which another process may take the lock, no file is read.
    await lock.confirm()
    vi.advanceTimersByTime(15_001)
    for (const _ of [1, 2]) {
      await expect(lock.confirm()).rejects.toMatchObject({
        ...inUse,
        message: expect.stringContaining('on host other'),
      })
    }
    await lock.release()
    expect(JSON.parse(await readFile(lockOf(path), 'utf8'))).toMatchObject({ token: 'other' })
    await expect(lock.confirm()).rejects.toMatchObject(inUse)
  })

  it('is lost at the next heartbeat, which does not touch the file of the other process', async () => {
    const path = await folder()
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const lock = await lockFolder(path)
    await edit(path, { host: 'other', token: 'other' })
    const past = new Date(Date.now() - 60_000)
    await utimes(lockOf(path), past, past)
    vi.advanceTimersByTime(5_000)
    await vi.waitFor(() => expect(lock.confirm()).rejects.toMatchObject(inUse), { timeout: 10_000 })
    expect(Math.abs((await stat(lockOf(path))).mtimeMs - past.getTime())).toBeLessThan(1_000)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('stays with its process when the file is deleted', async () => {
    const path = await folder()
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const lock = await lockFolder(path)
    await rm(lockOf(path))
    vi.advanceTimersByTime(15_001)
    await lock.confirm()
    await expect(lockFolder(path)).rejects.toMatchObject(inUse)
    await lock.release()
  })
})
