import { ConfigurationError, ignore } from '../common/errors.js'

/** Identity of a process, unique across hosts, containers and restarts. */
interface Owner {
  readonly pid: number
  /** Start time of the process in ticks since the boot; `null` where it cannot be read. */
  readonly startedAt: string | null
  readonly host: string
  /** Id of the machine's boot; `null` where it cannot be read. */
  readonly bootId: string | null
  /** PID namespace, in which `pid` is valid: each container has its own. `null` where it cannot be read. */
  readonly pidSpace: string | null
  /** Random, so that the content of each lock file is unique. */
  readonly token: string
}

/** Interval at which the owner sets the modification time of the lock file. The modification time is the heartbeat. */
const HEARTBEAT_MS = 5_000

/**
 * Age of the last heartbeat at which the lock of another host or container counts as stale. Only the heartbeat is
 * compared, because a process cannot see the processes there.
 */
const STALE_MS = 30_000

/** Start of a URL that names a folder. Like PGlite, this module removes the start. */
const FILE_URL = /^file:\/\//

/** A lock that this process holds. */
export interface FolderLock {
  /**
   * If the last heartbeat is old, checks that this process still holds the lock. This process may have been paused, for
   * example with its container, and another process may have taken the lock meanwhile.
   *
   * @throws {@link ConfigurationError} if another process uses the folder.
   */
  readonly confirm: () => Promise<void>
  /** Releases the lock, unless another process has taken it. */
  readonly release: () => Promise<void>
}

/** Maximum number of attempts to create the lock. A stale lock is removed between two attempts. */
const ATTEMPTS = 3

/**
 * Acquires the lock of a PGlite folder. Only one process may open the folder at a time, because PGlite does not protect
 * its files. The lock is a file in the folder, so that other processes find it on every path to the folder.
 *
 * A process id alone does not identify the owner, because every container has a process 1. The lock file therefore also
 * contains the host, the boot id, the PID namespace and the start time.
 *
 * @throws {@link ConfigurationError} if another process uses the folder, or this process already holds its lock.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const { resolve } = await import('node:path')
  const { mkdir } = await import('node:fs/promises')
  const directory = resolve(folder.replace(FILE_URL, ''))
  const path = `${directory}/pathology-sdk.lock`
  const owner = await thisProcess()
  await mkdir(directory, { recursive: true })
  for (let attempt = 1; !(await create(path, owner)); attempt += 1) {
    const text = await read(path)
    const other = parseOwner(text)
    const isAlive = other !== undefined && (await isRunning(path, other, owner))
    if (isAlive || attempt === ATTEMPTS) throw inUse(folder, other)
    await removeStale(path, text)
  }
  return holdLock(folder, path, owner)
}

/** Holds an acquired lock: updates its heartbeat until the lock is released or lost. */
function holdLock(folder: string, path: string, owner: Owner): FolderLock {
  let confirmedAt = performance.now()
  let isLost = false
  let isReleased = false
  const beat = async (): Promise<void> => {
    if (isReleased && !isLost) return
    isLost ||= !(await isHeld(path, owner))
    if (isLost) {
      clearInterval(timer)
      throw inUse(folder, parseOwner(await read(path)))
    }
    const { utimes } = await import('node:fs/promises')
    const now = new Date()
    await utimes(path, now, now).catch(ignore)
    confirmedAt = performance.now()
  }
  const timer = setInterval(() => void beat().catch(ignore), HEARTBEAT_MS)
  timer.unref()
  return {
    confirm: async () => {
      // The PGlite of a released lock is closed and rejects statements itself. The PGlite of a lost lock stays open.
      if (isReleased && !isLost) return
      if (isLost || performance.now() - confirmedAt > STALE_MS / 2) await beat()
    },
    release: async () => {
      isReleased = true
      clearInterval(timer)
      const { rm } = await import('node:fs/promises')
      if (parseOwner(await read(path))?.token === owner.token) await rm(path, { force: true })
    },
  }
}

/** Returns `true` when the lock file is the file of this process. Creates the file again if it was deleted. */
async function isHeld(path: string, owner: Owner): Promise<boolean> {
  const { readFile } = await import('node:fs/promises')
  try {
    return parseOwner(await readFile(path, 'utf8'))?.token === owner.token
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  return (await create(path, owner)) || parseOwner(await read(path))?.token === owner.token
}

/**
 * Creates the lock file. A hard link creates the file together with its content: another process would remove an empty
 * file as stale.
 */
async function create(path: string, owner: Owner): Promise<boolean> {
  const { link, rm, writeFile } = await import('node:fs/promises')
  const complete = `${path}.${owner.token}`
  try {
    await writeFile(complete, JSON.stringify(owner))
    return await isNew(link(complete, path))
  } catch {
    // The file system may have no hard links. Any other problem makes this write fail too.
    return await isNew(writeFile(path, JSON.stringify(owner), { flag: 'wx' }))
  } finally {
    await rm(complete, { force: true })
  }
}

/** Returns `false` when the file exists already. */
async function isNew(creation: Promise<void>): Promise<boolean> {
  try {
    await creation
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/**
 * Removes a stale lock file. If another process has replaced the file in the meantime, restores the file of that
 * process.
 */
async function removeStale(path: string, text: string | undefined): Promise<void> {
  const { link, rename, rm } = await import('node:fs/promises')
  const aside = `${path}.${globalThis.crypto.randomUUID()}`
  try {
    await rename(path, aside)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  if ((await read(aside)) !== text) await link(aside, path).catch(ignore)
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
  const { stat } = await import('node:fs/promises')
  const { setTimeout: sleep } = await import('node:timers/promises')
  const lastBeat = (): Promise<number | undefined> =>
    stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    )
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
  const { readlink } = await import('node:fs/promises')
  // cspell:disable-next-line
  const bootId = await read('/proc/sys/kernel/random/boot_id')
  return {
    pid: process.pid,
    startedAt: await startOf(process.pid),
    host: hostname(),
    bootId: bootId?.trim() ?? null,
    pidSpace: await readlink('/proc/self/ns/pid').catch(() => null),
    token: globalThis.crypto.randomUUID(),
  }
}

/** Index of the start time in `/proc/PID/stat`, counted from the field after the process's name. */
const START_TIME_FIELD = 19

/**
 * Reads the start time of a process on Linux. The fields are counted after the last parenthesis, because the process's
 * name is in parentheses and can contain spaces.
 */
async function startOf(pid: number): Promise<string | null> {
  const text = await read(`/proc/${pid}/stat`)
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[START_TIME_FIELD] ?? null
}

async function read(path: string): Promise<string | undefined> {
  const { readFile } = await import('node:fs/promises')
  try {
    return await readFile(path, 'utf8')
  } catch {
    return undefined
  }
}

function parseOwner(text: string | undefined): Owner | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return isOwner(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isOwner(value: unknown): value is Owner {
  if (typeof value !== 'object' || value === null) return false
  const { pid, host, token } = value as Partial<Record<keyof Owner, unknown>>
  return Number.isSafeInteger(pid) && typeof host === 'string' && typeof token === 'string'
}

function codeOf(error: unknown): unknown {
  return error instanceof Error ? Reflect.get(error, 'code') : undefined
}

function inUse(folder: string, other: Owner | undefined): ConfigurationError {
  const by = other === undefined ? 'another process' : `process ${other.pid} on host ${other.host}`
  return new ConfigurationError(
    `the PGlite folder ${folder} is in use by ${by}. This call changed nothing. Stop that process, or use a Postgres server, which several processes can share`,
    { code: 'DATABASE_IN_USE' },
  )
}
