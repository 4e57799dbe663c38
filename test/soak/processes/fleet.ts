import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Dice } from '../dice.js'
import {
  type Interruption,
  type Job,
  type MemberMessage,
  type MemberOrder,
  type MemberSettings,
  POINT_VARIABLE,
  POINTS,
  type Report,
} from './protocol.js'

/** Number of orders that one process places at the same time. */
const ORDERS_AT_ONCE = 8

/** Time after which the point of a process is replaced, because some points are rare with some ledgers. */
const UNREACHED_MS = 4_000

/**
 * Share of the processes that are stopped instead of killed, and the duration of the stop: longer than a
 * lease.
 */
const STOPPED = 0.06
const STOPPED_MS = { least: 16_000, more: 5_000 } as const

interface Member {
  readonly child: ChildProcess
  readonly jobs: Map<string, Job>
  interruption: Interruption | undefined
  isStopped: boolean
}

interface FleetOptions {
  readonly program: string
  readonly size: number
  readonly dice: Dice
  readonly mayStop: boolean
  /** Largest number of visits of its point after which a process is killed or stopped. */
  readonly mostVisits: number
  readonly settingsOf: (index: number) => MemberSettings
  readonly onReport: (report: Report) => void
  /** A process was killed or stopped with these jobs. */
  readonly onInterruption: (jobs: readonly Job[]) => void
}

/** Processes that place orders and are killed or stopped. A killed process is replaced at once. */
export class Fleet {
  readonly #options: FleetOptions
  readonly #members: Member[] = []
  /** Number of kills and stops by point. */
  readonly interruptions = new Map<string, number>()
  readonly problems: string[] = []
  /** Processes that are being started to replace others. */
  readonly #starting = new Set<Promise<void>>()
  #isUndisturbed = false
  #isClosing = false
  #started: number

  constructor(options: FleetOptions) {
    this.#options = options
    this.#started = options.dice.below(POINTS.length)
  }

  async start(): Promise<void> {
    await Promise.all(Array.from({ length: this.#options.size }, (_, index) => this.#spawn(index)))
  }

  get isIdle(): boolean {
    return this.#members.every(({ jobs }) => jobs.size === 0)
  }

  /** Gives a job to the process with the fewest, but not to one that has the order already. */
  give(job: Job): boolean {
    const free = this.#members.filter(
      ({ jobs, isStopped }) =>
        !isStopped && jobs.size < ORDERS_AT_ONCE && ![...jobs.values()].some(({ key }) => key === job.key),
    )
    const [member] = free.sort((one, other) => one.jobs.size - other.jobs.size)
    if (member === undefined) return false
    member.jobs.set(job.call, job)
    tell(member, { job })
    return true
  }

  /** From now on, no process is killed or stopped. */
  stopInterruptions(): void {
    this.#isUndisturbed = true
    for (const member of this.#members) {
      this.#continue(member)
      tell(member, { do: 'stop-interruptions' })
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await Promise.all(this.#starting)
    await Promise.all(
      this.#members.map(async (member) => {
        const ended = once(member.child, 'exit')
        tell(member, { do: 'close' })
        const timer = setTimeout(() => member.child.kill('SIGKILL'), 8_000)
        await ended
        clearTimeout(timer)
      }),
    )
  }

  async #spawn(index: number): Promise<void> {
    const { program, settingsOf } = this.#options
    const interruption = this.#isUndisturbed ? undefined : this.#nextInterruption()
    const child = fork(program, {
      // The program is JavaScript, which needs no loader.
      execArgv: [],
      env: {
        ...process.env,
        SOAK_MEMBER: JSON.stringify(settingsOf(index)),
        ...(interruption && {
          [POINT_VARIABLE]: `${interruption.point}:${interruption.visit}:${interruption.action}`,
        }),
      },
    })
    const member: Member = { child, jobs: new Map(), interruption, isStopped: false }
    const isReady = new Promise<void>((resolve) => {
      child.on('message', (message: MemberMessage) => {
        if (message.is === 'ready') resolve()
        if (message.is === 'stopping') this.#stopped(member)
        if (message.is === 'report') this.#reported(member, message.report)
      })
      child.once('exit', () => resolve())
    })
    child.once('exit', (code, signal) => this.#ended(member, index, code, signal))
    await isReady
    if (child.exitCode !== null || child.signalCode !== null) return
    if (this.#isUndisturbed) tell(member, { do: 'stop-interruptions' })
    this.#members.push(member)
    this.#replaceLater(member)
  }

  #replaceLater(member: Member): void {
    const timer = setInterval(() => {
      if (this.#isUndisturbed || !this.#members.includes(member)) clearInterval(timer)
      else if (!member.isStopped) {
        member.interruption = this.#nextInterruption()
        tell(member, { interruption: member.interruption })
      }
    }, UNREACHED_MS)
  }

  #nextInterruption(): Interruption {
    const { dice, mayStop, mostVisits } = this.#options
    this.#started += 1
    const point = POINTS[this.#started % POINTS.length] ?? 'after-mark'
    const visit = 1 + dice.below(mostVisits)
    return mayStop && dice.chance(STOPPED)
      ? { point: dice.pick(['after-claim', 'after-mark', 'before-dispatch'] as const), visit, action: 'stop' }
      : { point, visit, action: 'kill' }
  }

  #reported(member: Member, report: Report): void {
    member.jobs.delete(report.call)
    this.#options.onReport(report)
  }

  #stopped(member: Member): void {
    member.isStopped = true
    this.#count(member)
    this.#options.onInterruption([...member.jobs.values()])
    const { dice } = this.#options
    setTimeout(() => this.#continue(member), STOPPED_MS.least + dice.below(STOPPED_MS.more)).unref()
  }

  #continue(member: Member): void {
    if (!member.isStopped) return
    member.isStopped = false
    member.child.kill('SIGCONT')
  }

  #ended(member: Member, index: number, code: number | null, signal: NodeJS.Signals | null): void {
    const at = this.#members.indexOf(member)
    if (at >= 0) this.#members.splice(at, 1)
    if (this.#isClosing) return
    if (signal === 'SIGKILL') this.#count(member)
    else this.problems.push(`a process ended with ${code ?? signal}`)
    this.#options.onInterruption([...member.jobs.values()])
    if (this.problems.length >= 10) return
    const starting = this.#spawn(index).finally(() => this.#starting.delete(starting))
    this.#starting.add(starting)
  }

  #count({ interruption }: Member): void {
    const name = interruption === undefined ? 'unexpected' : `${interruption.action} ${interruption.point}`
    this.interruptions.set(name, (this.interruptions.get(name) ?? 0) + 1)
  }
}

function tell({ child }: Member, message: MemberOrder): void {
  // A process that was just killed accepts no message: its exit event follows.
  if (child.connected) child.send(message, () => undefined)
}
