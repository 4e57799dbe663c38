import { ConfigurationError, ignore } from '../common/errors.js'

/** Loaded on use, because the Postgres stores also run where Node's modules are missing. */
const files = () => import('node:fs/promises')

/** Content of a lock file. Every container has a process 1, so the process id says nothing on another machine. */
interface Owner {
  readonly pid: number
  /** Start time of the process in ticks since the boot; `undefined` where it cannot be read. */
  readonly startedAt: string | undefined
  readonly host: string
  /** Host, id of its boot and PID namespace, in which `pid` is valid. */
  readonly machine: string
  readonly token: string
}

/** Interval at which the owner sets the modification time of the lock file: its heartbeat. */
const HEARTBEAT_MS = 5_000

/** Age of the last heartbeat at which the lock of another machine or container counts as stale. */
const STALE_MS = 30_000

/** Time in which a process that starts at the same time writes or replaces the lock file. */
const SETTLE_MS = 100

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
  const { mkdir, rm, utimes } = await files()
  const { resolve } = await import('node:path')
  const directory = resolve(folder.replace(/^file:\/\//, ''))
  const path = `${directory}/pathology-sdk.lock`
  const self = await thisProcess()
  await mkdir(directory, { recursive: true })
  if (!(await create(path, self)) && !(await takeOver(path, self))) throw inUse(folder, await ownerOf(path))

  let state: 'held' | 'released' | 'lost' = 'held'
  let confirmedAt = performance.now()
  const isOwn = async (): Promise<boolean> => (await ownerOf(path))?.token === self.token
  const beat = async (): Promise<void> => {
    // A file that was deleted is created again.
    if (state === 'lost' || !((await create(path, self)) || (await isOwn()))) {
      state = 'lost'
      clearInterval(timer)
      throw inUse(folder, await ownerOf(path))
    }
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
      if (await isOwn()) await rm(path, { force: true })
    },
  }
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Creates the lock file; returns `false` if it exists already. */
async function create(path: string, owner: Owner): Promise<boolean> {
  const { writeFile } = await files()
  const failure = await writeFile(path, JSON.stringify(owner), { flag: 'wx' }).catch(unless('EEXIST'))
  return failure === undefined
}

/** Returns a function that returns a system error with this code, and throws any other error. */
function unless(code: string): (error: unknown) => unknown {
  return (error) => {
    if (Reflect.get(Object(error), 'code') === code) return error
    throw error
  }
}

/**
 * Replaces the lock of a process that has ended. Returns `false` if the process may still run. A file without an owner
 * is one that is being written, or was left half written.
 */
async function takeOver(path: string, self: Owner): Promise<boolean> {
  const { link, rename, rm } = await files()
  const other = (await ownerOf(path)) ?? (await sleep(SETTLE_MS).then(() => ownerOf(path)))
  if (other?.machine === self.machine ? await isRunning(other) : await hasHeartbeat(path)) return false
  const aside = `${path}.${globalThis.crypto.randomUUID()}`
  await rename(path, aside).catch(unless('ENOENT'))
  // Another process has replaced the lock meanwhile, and gets its file back.
  if ((await ownerOf(aside))?.token !== other?.token) await link(aside, path).catch(ignore)
  await rm(aside, { force: true })
  if (!(await create(path, self))) return false
  // A process that takes over the same lock can move this file aside for a moment, in which a third one creates its own.
  await sleep(SETTLE_MS)
  return (await create(path, self)) || (await ownerOf(path))?.token === self.token
}

async function isRunning({ pid, startedAt }: Owner): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: the process belongs to another user.
    if (Reflect.get(Object(error), 'code') !== 'EPERM') return false
  }
  return startedAt === (await startOf(pid))
}

/** Waits for the next heartbeat of a lock, or until the last one is stale. Returns `true` after a heartbeat. */
async function hasHeartbeat(path: string): Promise<boolean> {
  const { stat } = await files()
  const lastBeat = () => stat(path).then(({ mtimeMs }) => mtimeMs, ignore)
  const first = await lastBeat()
  // The other host's clock can be fast. The wait is limited by this host's clock alone.
  const end = performance.now() + STALE_MS
  for (let last = first; last !== undefined && Date.now() - last < STALE_MS; last = await lastBeat()) {
    if (last !== first) return true
    if (performance.now() > end) return false
    await sleep(HEARTBEAT_MS / 10)
  }
  return false
}

async function thisProcess(): Promise<Owner> {
  const { hostname } = await import('node:os')
  const { readlink } = await files()
  // cspell:disable-next-line
  const boot = await read('/proc/sys/kernel/random/boot_id')
  const pidSpace = await readlink('/proc/self/ns/pid').catch(ignore)
  return {
    pid: process.pid,
    startedAt: await startOf(process.pid),
    host: hostname(),
    machine: [hostname(), boot?.trim(), pidSpace].join(' '),
    token: globalThis.crypto.randomUUID(),
  }
}

/** Reads the start time of a process on Linux: field 19 after its name, which is in parentheses. */
async function startOf(pid: number): Promise<string | undefined> {
  const text = await read(`/proc/${pid}/stat`)
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19]
}

async function read(path: string): Promise<string | undefined> {
  const { readFile } = await files()
  return readFile(path, 'utf8').catch(() => undefined)
}

/** Reads the owner of a lock; `undefined` if the file is missing or has other content. */
async function ownerOf(path: string): Promise<Owner | undefined> {
  try {
    // The cast is safe: only this file writes a lock, and other content is no JSON or matches no machine and no token.
    return JSON.parse((await read(path)) ?? '') as Owner
  } catch {
    return undefined
  }
}

function inUse(folder: string, other: Owner | undefined): ConfigurationError {
  const by = other === undefined ? 'another process' : `process ${other.pid} on host ${other.host}`
  return new ConfigurationError(
    `the PGlite folder ${folder} is in use by ${by}. This call changed nothing. Stop that process, or use a Postgres server, which several processes can share`,
    { code: 'DATABASE_IN_USE' },
  )
}
