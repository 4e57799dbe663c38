import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** A server that this process started. */
export interface ServerProcess {
  /** Sends the signal, and kills the server if it does not end within 5 s. Default: the signal for a clean stop. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

export interface ServerCommand {
  readonly command: string
  readonly args: readonly string[]
  /** Text that the server prints when it accepts connections. */
  readonly ready: RegExp
  /** The signal for a clean stop. */
  readonly stopSignal: NodeJS.Signals
  /** User of the process. Default: that of this process. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
}

const START_MS = 10_000
const STOP_MS = 5_000

/**
 * Starts a server and waits until it is ready. Rejects if the server ends earlier, with its output in the message, or
 * if the server is not ready within 10 s.
 */
export async function startServer(server: ServerCommand): Promise<ServerProcess> {
  const child = spawn(server.command, server.args, { stdio: ['ignore', 'pipe', 'pipe'], ...server.user })
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
  }).finally(() => process.off('exit', kill))
  const stop = async (signal = server.stopSignal): Promise<void> => {
    const timer = setTimeout(kill, STOP_MS)
    child.kill(signal)
    await ended
    clearTimeout(timer)
  }
  try {
    await new Promise<void>((resolve, reject) => {
      let printed = ''
      const read = (chunk: Buffer): void => {
        printed = (printed + chunk.toString()).slice(-2_000)
        if (server.ready.test(printed)) resolve()
      }
      child.stdout.on('data', read)
      child.stderr.on('data', read)
      child.once('error', reject)
      child.once('close', () => reject(new Error(`${server.command} ended: ${printed.trim()}`)))
      setTimeout(() => reject(new Error(`${server.command} was not ready in time`)), START_MS).unref()
    })
  } catch (error) {
    await stop()
    throw error
  }
  return { stop }
}

/** Returns a free port on 127.0.0.1. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** Calls `start` with a free port, up to three times until it succeeds, because a port may be in use by then. */
export async function onFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(await freePort())
    } catch (error) {
      if (attempt === 3) throw error
    }
  }
}
