import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, onFreePort, startServer } from './server-process.js'

/** A Redis server of a test. */
export interface RunningRedis extends AsyncDisposable {
  readonly url: string
  /** Ends the server as in a crash, and starts it again at the same URL. A durable server has kept its data. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** A cluster of servers. */
export interface RunningRedisCluster extends AsyncDisposable {
  readonly urls: readonly string[]
  stop(): Promise<void>
}

export interface RedisSettings {
  /** `true`: the server writes every change to the disk before it responds. */
  readonly isDurable?: boolean
  readonly isCluster?: boolean
}

/**
 * Starts an empty Redis on a free loopback port. Without `isDurable`, the server writes nothing to the disk. If
 * `redis-server` is not installed or does not start, returns `undefined` and prints the reason.
 *
 * ```ts
 * const redis = await withRedis()
 * afterAll(() => redis?.stop())
 * describe.skipIf(redis === undefined)('…', () => {})
 * ```
 */
export async function withRedis({
  isDurable = false,
  isCluster = false,
}: RedisSettings = {}): Promise<RunningRedis | undefined> {
  const found = spawnSync('redis-server', ['--version'])
  if (found.status !== 0) return unavailable('redis-server is not installed')
  const directory = await mkdtemp(join(tmpdir(), 'redis-'))
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true })
  try {
    return await onFreePort(async (port) => {
      const command = {
        command: 'redis-server',
        args: [
          ...['--bind', '127.0.0.1', '--port', String(port), '--dir', directory],
          ...['--save', '', '--daemonize', 'no', '--logfile', ''],
          ...(isDurable ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no']),
          ...(isCluster ? clusterArguments(await freePort()) : []),
        ],
        ready: /Ready to accept connections/,
        stopSignal: 'SIGTERM',
      } as const
      let server = await startServer(command)
      const stop = (): Promise<void> => server.stop().then(remove)
      return {
        url: `redis://127.0.0.1:${port}`,
        async restart() {
          await server.stop('SIGKILL')
          server = await startServer(command)
        },
        stop,
        [Symbol.asyncDispose]: stop,
      }
    })
  } catch (error) {
    await remove()
    return unavailable(error instanceof Error ? error.message : 'it did not start')
  }
}

function clusterArguments(busPort: number): string[] {
  return [
    ...['--cluster-enabled', 'yes', '--cluster-port', String(busPort)],
    ...['--cluster-announce-ip', '127.0.0.1'],
  ]
}

/**
 * Starts a cluster of two servers, each with half of the slots. If a server cannot run, returns `undefined` and prints
 * the reason.
 */
export async function withRedisCluster(): Promise<RunningRedisCluster | undefined> {
  const servers: RunningRedis[] = []
  const stop = async (): Promise<void> => void (await Promise.all(servers.map((server) => server.stop())))
  for (const slots of ['0-8191', '8192-16383']) {
    const server = await withRedis({ isCluster: true })
    if (server === undefined) {
      await stop()
      return undefined
    }
    servers.push(server)
    redisCli(server, 'CLUSTER', 'ADDSLOTSRANGE', ...slots.split('-'))
  }
  const [first, second] = servers
  if (first === undefined || second === undefined) throw new Error('a cluster needs two servers')
  const [, port = '', busPort = ''] = /:(\d+)@(\d+)/.exec(redisCli(second, 'CLUSTER', 'NODES')) ?? []
  redisCli(first, 'CLUSTER', 'MEET', '127.0.0.1', port, busPort)
  while (!servers.every((server) => /cluster_state:ok/.test(redisCli(server, 'CLUSTER', 'INFO'))))
    await sleep(100)
  return { urls: servers.map(({ url }) => url), stop, [Symbol.asyncDispose]: stop }
}

function redisCli({ url }: RunningRedis, ...command: readonly string[]): string {
  return execFileSync('redis-cli', ['-u', url, ...command], { encoding: 'utf8' })
}

function unavailable(reason: string): undefined {
  console.warn(`No Redis here, so what needs one is skipped: ${reason}`)
}
