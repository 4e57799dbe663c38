import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Point } from '../../../src/mirror/core/context.js'
import { bundle } from '../../support/bundle.js'
import type { MachineMessage, MachineOrder } from './machine.js'

/** Bundles the program of a machine, which lives for half a second only. */
export async function bundleMachine(): Promise<{
  readonly path: string
  readonly remove: () => Promise<void>
}> {
  const program = new URL('machine.ts', import.meta.url)
  const { pathOf, remove } = await bundle(program)
  return { path: pathOf(program), remove }
}

/** A running machine. */
interface Machine {
  readonly child: ChildProcess
  port: number | undefined
}

/** Processes that work on one copy. A process that dies is replaced. */
export class Fleet {
  readonly #path: string
  readonly #order: () => MachineOrder
  readonly #machines = new Set<Machine>()
  /** Number of kills at each point. */
  readonly kills = new Map<Point, number>()
  #turn = 0
  #isReplacing = true
  readonly #errors: string[] = []

  constructor(path: string, order: () => MachineOrder) {
    this.#path = path
    this.#order = order
  }

  start(size: number): void {
    for (let n = 0; n < size; n += 1) this.#launch()
  }

  /** Output of machines that ended by themselves. */
  get errors(): readonly string[] {
    return this.#errors
  }

  /** Whether a machine can receive. */
  get isReady(): boolean {
    return [...this.#machines].some(({ port }) => port !== undefined)
  }

  get pids(): readonly number[] {
    return [...this.#machines].flatMap(({ child }) => child.pid ?? [])
  }

  /** Passes a delivery to the machines in turn. If a machine dies meanwhile, the sender gets an error. */
  async deliver(request: Request): Promise<Response> {
    const ready = [...this.#machines].filter(({ port }) => port !== undefined)
    const machine = ready[this.#turn++ % Math.max(1, ready.length)]
    if (machine === undefined) return new Response(null, { status: 503 })
    try {
      const response = await fetch(`http://127.0.0.1:${machine.port}/`, {
        method: 'POST',
        headers: request.headers,
        body: await request.text(),
        signal: AbortSignal.timeout(3_000),
      })
      return new Response(null, { status: response.status })
    } catch {
      return new Response(null, { status: 503 })
    }
  }

  /** Ends the machines that still run, with or without a clean stop. */
  async stop(signal?: NodeJS.Signals): Promise<void> {
    this.#isReplacing = false
    const ended = [...this.#machines].map(({ child }) => once(child, 'exit'))
    for (const { child } of this.#machines) {
      if (signal === undefined && child.connected) child.send('stop')
      else child.kill(signal ?? 'SIGKILL')
    }
    await Promise.all(ended)
    this.#isReplacing = true
  }

  #launch(): void {
    const child = fork(this.#path, [JSON.stringify(this.#order())], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      // Without the loader of this process, because loading takes longer than the machine lives.
      execArgv: [],
    })
    const machine: Machine = { child, port: undefined }
    this.#machines.add(machine)
    let text = ''
    child.stderr?.on('data', (bytes: Buffer) => {
      text = (text + bytes.toString()).slice(-2_000)
    })
    child.on('message', (message: MachineMessage) => {
      if ('port' in message) machine.port = message.port
      else this.kills.set(message.dying, (this.kills.get(message.dying) ?? 0) + 1)
    })
    child.on('exit', (code, signal) => {
      this.#machines.delete(machine)
      if (signal === null && code !== 0) this.#errors.push(text)
      if (this.#isReplacing) this.#launch()
    })
  }
}
