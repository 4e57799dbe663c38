import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onFreePort, startServer } from './server-process.js'

/** A Redis server of one's own. */
export interface RunningRedis extends AsyncDisposable {
  readonly url: string
  stop(): Promise<void>
}

/**
 * Starts an empty Redis on a free loopback port, keeping nothing on disk. `undefined`, and the reason printed, where
 * `redis-server` is not installed.
 *
 * ```ts
 * const redis = await withRedis()
 * afterAll(() => redis?.stop())
 * describe.skipIf(redis === undefined)('…', () => {})
 * ```
 */
export async function withRedis(): Promise<RunningRedis | undefined> {
  const found = spawnSync('redis-server', ['--version'])
  if (found.status !== 0) return unavailable('redis-server is not installed')
  const directory = await mkdtemp(join(tmpdir(), 'redis-'))
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true })
  try {
    return await onFreePort(async (port) => {
      const server = await startServer({
        command: 'redis-server',
        args: [
          ...['--bind', '127.0.0.1', '--port', String(port), '--dir', directory],
          ...['--save', '', '--appendonly', 'no', '--daemonize', 'no', '--logfile', ''],
        ],
        ready: /Ready to accept connections/,
        stopSignal: 'SIGTERM',
      })
      const stop = (): Promise<void> => server.stop().then(remove)
      return { url: `redis://127.0.0.1:${port}`, stop, [Symbol.asyncDispose]: stop }
    })
  } catch (error) {
    await remove()
    return unavailable(error instanceof Error ? error.message : 'it did not start')
  }
}

function unavailable(reason: string): undefined {
  console.warn(`No Redis here, so what needs one is skipped: ${reason}`)
}
