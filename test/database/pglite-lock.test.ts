import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
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

async function setHeartbeat(path: string, ageMs: number): Promise<void> {
  const at = new Date(Date.now() - ageMs)
  await utimes(lockOf(path), at, at)
}

function fakeTime(): void {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
}

const inUse = { code: 'DATABASE_IN_USE', name: 'ConfigurationError' }
const OTHER = { host: 'other', machine: 'other', token: 'other' }

it('a PGlite folder has one user at a time, on every path to it', async () => {
  const path = await folder()
  const lock = await lockFolder(path)
  await expect(lockFolder(`file://${path}`)).rejects.toMatchObject(inUse)
  await rename(path, `${path}-mounted`)
  await expect(lockFolder(`${path}-mounted`)).rejects.toMatchObject(inUse)
  await rename(`${path}-mounted`, path)
  await lock.release()
  await (await lockFolder(path)).release()
  expect(await readdir(path)).toEqual([])
})

it('one of many processes that start at once gets the PGlite folder', async () => {
  const path = await folder()
  const started = await Promise.allSettled(Array.from({ length: 20 }, () => lockFolder(path)))
  expect(started.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await readdir(path)).toEqual(['pathology-sdk.lock'])
})

it.each([
  ['process that has ended', { pid: 2 ** 22 + 1 }],
  ['earlier process with the same id', { startedAt: '1' }],
])('the PGlite lock of a %s is replaced at once', async (_, owner) => {
  const path = await folder()
  await lockFolder(path)
  await edit(path, owner)
  await (await lockFolder(path)).release()
})

it('the PGlite lock of another host or container is valid while it has a heartbeat', async () => {
  const path = await folder()
  const lock = await lockFolder(path)
  // Each container has its own process 1, so the process id says nothing.
  await edit(path, { ...OTHER, pid: 1, startedAt: '1' })
  let ageMs = 20_000
  const beats = setInterval(() => {
    ageMs -= 1_000
    void setHeartbeat(path, ageMs)
  }, 200)
  onTestFinished(() => clearInterval(beats))
  await expect(lockFolder(path)).rejects.toMatchObject(inUse)
  clearInterval(beats)
  await setHeartbeat(path, 29_500)
  const again = await lockFolder(path)
  await lock.release()
  expect(await readdir(path)).toEqual(['pathology-sdk.lock'])
  await again.release()
})

it('the PGlite lock of a host whose clock is fast is replaced after 30 s without a heartbeat', async () => {
  const path = await folder()
  vi.useFakeTimers({ toFake: ['performance'] })
  await lockFolder(path)
  await edit(path, OTHER)
  await setHeartbeat(path, -3_600_000)
  const passing = setInterval(() => vi.advanceTimersByTime(10_000), 200)
  onTestFinished(() => {
    clearInterval(passing)
    vi.useRealTimers()
  })
  await (await lockFolder(path)).release()
})

it.skipIf(process.platform === 'win32')(
  'the error of a PGlite folder without write permission names the missing permission, not another process',
  async () => {
    const path = await folder()
    await lockFolder(path)
    await edit(path, { pid: 2 ** 22 + 1 })
    await chmod(dirname(path), 0o755)
    await chmod(path, 0o555)
    // Permissions do not limit root.
    if (process.getuid?.() === 0) {
      process.seteuid?.('nobody')
      onTestFinished(() => process.seteuid?.(0))
    }
    await expect(lockFolder(path)).rejects.toMatchObject({ code: 'EACCES' })
  },
)

it('a half-written PGlite lock is replaced when it is 30 s old', async () => {
  const path = await folder()
  await mkdir(path)
  await writeFile(lockOf(path), 'half a')
  await setHeartbeat(path, 31_000)
  await (await lockFolder(path)).release()
})

it('a PGlite lock that another process is writing is recognised at once', async () => {
  const path = await folder()
  await lockFolder(path)
  const content = await readFile(lockOf(path), 'utf8')
  const { mtime } = await stat(lockOf(path))
  await writeFile(lockOf(path), '')
  await utimes(lockOf(path), mtime, mtime)
  const second = expect(lockFolder(path)).rejects.toMatchObject(inUse)
  await sleep(50)
  await writeFile(lockOf(path), content)
  await utimes(lockOf(path), mtime, mtime)
  const startedAt = performance.now()
  await second
  expect(performance.now() - startedAt).toBeLessThan(2_000)
})

it('a process that takes over a PGlite lock, and loses it to a third process at the same time, does not start', async () => {
  const path = await folder()
  await lockFolder(path)
  await edit(path, { pid: 2 ** 22 + 1, token: 'ended' })
  const taken = expect(lockFolder(path)).rejects.toMatchObject(inUse)
  const isReplaced = async () =>
    expect(JSON.parse(await readFile(lockOf(path), 'utf8'))).not.toMatchObject({ token: 'ended' })
  await vi.waitFor(isReplaced, { interval: 1 })
  await edit(path, OTHER)
  await taken
  expect(JSON.parse(await readFile(lockOf(path), 'utf8'))).toMatchObject(OTHER)
})

it('a released PGlite lock is not created again by a late statement', async () => {
  const path = await folder()
  fakeTime()
  const lock = await lockFolder(path)
  await lock.release()
  vi.advanceTimersByTime(15_001)
  await lock.confirm()
  expect(await readdir(path)).toEqual([])
})

it('a paused process whose PGlite lock was taken cannot use the folder again', async () => {
  const path = await folder()
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const lock = await lockFolder(path)
  await edit(path, OTHER)
  // Until half of the time after which another process may take the lock, no file is read.
  await lock.confirm()
  vi.advanceTimersByTime(15_001)
  const message = expect.stringContaining('on host other')
  for (const _ of [1, 2]) await expect(lock.confirm()).rejects.toMatchObject({ ...inUse, message })
  await lock.release()
  expect(JSON.parse(await readFile(lockOf(path), 'utf8'))).toMatchObject(OTHER)
  await rm(lockOf(path))
  await expect(lock.confirm()).rejects.toMatchObject(inUse)
})

it('the heartbeat of a PGlite lock that was taken ends, and leaves the other file as it is', async () => {
  const path = await folder()
  fakeTime()
  const lock = await lockFolder(path)
  await edit(path, OTHER)
  await setHeartbeat(path, 60_000)
  vi.advanceTimersByTime(5_000)
  await vi.waitFor(() => expect(lock.confirm()).rejects.toMatchObject(inUse), { timeout: 10_000 })
  expect(Date.now() - (await stat(lockOf(path))).mtimeMs).toBeGreaterThan(59_000)
  expect(vi.getTimerCount()).toBe(0)
})

it('a PGlite lock stays with its process when the file is deleted', async () => {
  const path = await folder()
  fakeTime()
  const lock = await lockFolder(path)
  await rm(lockOf(path))
  vi.advanceTimersByTime(15_001)
  await lock.confirm()
  await expect(lockFolder(path)).rejects.toMatchObject(inUse)
  await lock.release()
})
