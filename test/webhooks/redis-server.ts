import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Whether this machine has a Redis to test against. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0

/** A real Redis server on a Unix socket, with a connection that speaks as much of its protocol as is needed. */
export class RedisServer {
  readonly #process: ChildProcess
  readonly #directory: string
  readonly #socket: Socket
  readonly #waiting: ((line: string) => void)[] = []

  private constructor(process: ChildProcess, directory: string, socket: Socket) {
    this.#process = process
    this.#directory = directory
    this.#socket = socket
    let received = ''
    socket.on('data', (chunk) => {
      const lines = `${received}${chunk.toString()}`.split('\r\n')
      received = lines.pop() ?? ''
      for (const line of lines) this.#waiting.shift()?.(line)
    })
  }

  static async start(): Promise<RedisServer> {
    const directory = mkdtempSync(join(tmpdir(), 'pathology-redis-'))
    const path = join(directory, 'redis.sock')
    const settings = ['--port', '0', '--unixsocket', path, '--save', '', '--dir', directory]
    const process = spawn('redis-server', settings, { stdio: 'ignore' })
    return new RedisServer(process, directory, await connected(path))
  }

  /** Sends one command whose answer is one line: a number, a status or an error. */
  async send(...words: string[]): Promise<unknown> {
    const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)
    const line = await new Promise<string>((resolve) => {
      this.#waiting.push(resolve)
      this.#socket.write(`*${words.length}\r\n${parts.join('')}`)
    })
    if (line.startsWith('-')) throw new Error(line)
    return line.startsWith(':') ? Number(line.slice(1)) : line.slice(1)
  }

  async stop(): Promise<void> {
    this.#socket.destroy()
    const exited = new Promise((resolve) => this.#process.once('exit', resolve))
    this.#process.kill()
    await exited
    rmSync(this.#directory, { recursive: true, force: true })
  }
}

async function connected(path: string): Promise<Socket> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const socket = connect(path)
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    if (isOpen) return socket
    await sleep(20)
  }
  throw new Error('redis-server did not start')
}
