import { ConfigurationError, ignore } from '../common/errors.js'

/** Loaded on use, because the Postgres stores also run where Node's modules are missing. */
const files = () => import('node:fs/promises')

/** Identity of a process. Every container has a process 1, so the process id alone says nothing. */
interface Owner {
  readonly pid: number
  /** Start time of the process in ticks since the boot. `null`, as in the other fields, where it cannot be read. */
  readonly startedAt: string | null
  readonly host: string
  /** Id of the machine's boot. */
  readonly bootId: string | null
  /** PID namespace, in which `pid` is valid. */
  readonly pidSpace: string | null
  /** Random, so that the content of each lock file is unique. */
  readonly token: string
}

/** Interval at which the owner sets the modification time of the lock file: its heartbeat. */
const HEARTBEAT_MS = 5_000

/** Age of the last heartbeat at which the lock of another host or container counts as stale. */
const STALE_MS = 30_000

/** Maximum number of attempts to create the lock. A stale lock is removed between two attempts. */
const ATTEMPTS = 3

/** A lock that this process holds. */
export interface FolderLock {
  /**
   * Checks that this process still holds the lock, if the last heartbeat is old. This process may have been paused, for
   * example with its container, and another process may have taken the lock meanwhile.
   *
   * @throws {@link ConfigurationError} if another process uses the folder.
   */
  readonly confirm: () => Promise<void>
  /** Releases the lock, unless another process has taken it. */
  readonly release: () => Promise<void>
}

/**
 * Acquires the lock of a PGlite folder. Only one process may open the folder at a time, because PGlite does not protect
 * its files. The lock is a file in the folder, so that other processes find it on every path to the folder.
 *
 * @throws {@link ConfigurationError} if another process uses the folder, or this process already holds its lock.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const { resolve } = await import('node:path')
  const { mkdir } = await files()
  const directory = resolve(folder.replace(/^file:\/\//, ''))
  const path = `${directory}/pathology-sdk.lock`
  const owner = await thisProcess()
  await mkdir(directory, { recursive: true })
  for (let attempt = 1; !(await create(path, owner)); attempt += 1) {
    const other = await ownerOf(path)
    if (attempt === ATTEMPTS || (other !== undefined && (await isRunning(path, other, owner)))) {
      throw inUse(folder, other)
    }
    await removeStale(path, other)
  }
  return holdLock(folder, path, owner)
}

/** Holds an acquired lock: updates its heartbeat until the lock is released or lost. */
function holdLock(folder: string, path: string, owner: Owner): FolderLock {
  let confirmedAt = performance.now()
  let state: 'held' | 'released' | 'lost' = 'held'
  const beat = async (): Promise<void> => {
    // A file that was deleted is created again.
    const isHeld =
      state !== 'lost' && ((await create(path, owner)) || (await ownerOf(path))?.token === owner.token)
    if (!isHeld) {
      state = 'lost'
      clearInterval(timer)
      throw inUse(folder, await ownerOf(path))
    }
    const { utimes } = await files()
    await utimes(path, new Date(), new Date()).catch(ignore)
    confirmedAt = performance.now()
  }
  const timer = setInterval(() => void beat().catch(ignore), HEARTBEAT_MS)
  timer.unref()
  return {
    confirm: async () => {
      // The PGlite of a released lock is closed and rejects statements itself. The PGlite of a lost lock stays open.
      const isOld = performance.now() - confirmedAt > STALE_MS / 2
      if (state === 'lost' || (state === 'held' && isOld)) await beat()
    },
    release: async () => {
      clearInterval(timer)
      if (state === 'held') state = 'released'
      const { rm } = await files()
      if ((await ownerOf(path))?.token === owner.token) await rm(path, { force: true })
    },
  }
}

/**
 * Creates the lock file; returns `false` if it exists already. A hard link creates the file together with its content:
 * another process would remove an empty file as stale. Where the file system has no hard links, the file is written.
 */
async function create(path: string, owner: Owner): Promise<boolean> {
  const { link, rm, writeFile } = await files()
  const complete = `${path}.${owner.token}.${globalThis.crypto.randomUUID()}`
  const text = JSON.stringify(owner)
  try {
    await writeFile(complete, text)
    await link(complete, path).catch(async (error: unknown) => {
      if (codeOf(error) === 'EEXIST') throw error
      await writeFile(path, text, { flag: 'wx' })
    })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    await rm(complete, { force: true })
  }
}

/** Removes a stale lock file. If another process has replaced it meanwhile, restores the file of that process. */
async function removeStale(path: string, stale: Owner | undefined): Promise<void> {
  const { link, rename, rm } = await files()
  const aside = `${path}.${globalThis.crypto.randomUUID()}`
  try {
    await rename(path, aside)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  if ((await ownerOf(aside))?.token !== stale?.token) await link(aside, path).catch(ignore)
  await rm(aside, { force: true })
}

async function isRunning(path: string, other: Owner, self: Owner): Promise<boolean> {
  if (other.host !== self.host) return hasHeartbeat(path)
  if (other.bootId !== self.bootId) return false
  if (other.pidSpace !== self.pidSpace) return hasHeartbeat(path)
  try {
    process.kill(other.pid, 0)
  } catch (error) {
    // EPERM: the process belongs to another user.
    if (codeOf(error) !== 'EPERM') return false
  }
  return other.startedAt === (await startOf(other.pid))
}

/** Waits for the next heartbeat of a lock, or until the last one is stale. Returns `true` after a heartbeat. */
async function hasHeartbeat(path: string): Promise<boolean> {
  const { stat } = await files()
  const { setTimeout: sleep } = await import('node:timers/promises')
  const lastBeat = () => stat(path).then(({ mtimeMs }) => mtimeMs, ignore)
  const first = await lastBeat()
  // The other host's clock can be fast. The wait is limited by this host's clock alone.
  const startedAt = performance.now()
  for (let last = first; last !== undefined && Date.now() - last < STALE_MS; last = await lastBeat()) {
    if (last !== first) return true
    if (performance.now() - startedAt > STALE_MS) return false
    await sleep(HEARTBEAT_MS / 10)
  }
  return false
}

async function thisProcess(): Promise<Owner> {
  const { hostname } = await import('node:os')
  const { readlink } = await files()
  return {
    pid: process.pid,
    startedAt: await startOf(process.pid),
    host: hostname(),
    // cspell:disable-next-line
    bootId: (await read('/proc/sys/kernel/random/boot_id'))?.trim() ?? null,
    pidSpace: await readlink('/proc/self/ns/pid').catch(() => null),
    token: globalThis.crypto.randomUUID(),
  }
}

/**
 * Reads the start time of a process on Linux: field 19 after the process's name, which is in parentheses and can contain
 * spaces.
 */
async function startOf(pid: number): Promise<string | null> {
  const text = await read(`/proc/${pid}/stat`)
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null
}

async function read(path: string): Promise<string | undefined> {
  const { readFile } = await files()
  return readFile(path, 'utf8').catch(() => undefined)
}

/** Reads the owner of a lock; `undefined` if the file is missing or has other content. */
async function ownerOf(path: string): Promise<Owner | undefined> {
  try {
    const value: unknown = JSON.parse((await read(path)) ?? '')
    return isOwner(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isOwner(value: unknown): value is Owner {
  const { pid, host, token } = Object(value) as Partial<Record<keyof Owner, unknown>>
  return Number.isSafeInteger(pid) && typeof host === 'string' && typeof token === 'string'
}

function codeOf(error: unknown): unknown {
  return Reflect.get(Object(error), 'code')
}

function inUse(folder: string, other: Owner | undefined): ConfigurationError {
  const by = other === undefined ? 'another process' : `process ${other.pid} on host ${other.host}`
  return new ConfigurationError(
    `the PGlite folder ${folder} is in use by ${by}. This call changed nothing. Stop that process, or use a Postgres server, which several processes can share`,
    { code: 'DATABASE_IN_USE' },
  )
}
