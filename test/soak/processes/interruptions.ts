import type { OrderLedger } from 'pathology-sdk'
import type { Dispatcher } from 'undici'
import { type Interruption, POINT_VARIABLE, POINTS, type Point } from './protocol.js'

/** Reads the planned kill or stop of this process from its environment. */
export function interruptionOf(environment: NodeJS.ProcessEnv): Interruption | undefined {
  const [name, visit, action] = (environment[POINT_VARIABLE] ?? '').split(':')
  const point = POINTS.find((known) => known === name)
  if (point === undefined) return undefined
  return { point, visit: Number(visit), action: action === 'stop' ? 'stop' : 'kill' }
}

/** Kills or stops this process at its point. */
export class Interruptions {
  #interruption: Interruption | undefined
  readonly #beforeStop: () => Promise<void>
  #visits = 0

  constructor(interruption: Interruption | undefined, beforeStop: () => Promise<void>) {
    this.#interruption = interruption
    this.#beforeStop = beforeStop
  }

  /** From now on, this process is neither killed nor stopped. */
  cancel(): void {
    this.#interruption = undefined
  }

  /** Replaces a planned kill or stop that has not happened yet. */
  plan(interruption: Interruption): void {
    this.#interruption = interruption
    this.#visits = 0
  }

  visit(point: Point): void {
    if (this.#interruption?.point !== point) return
    this.#visits += 1
    if (this.#visits !== this.#interruption.visit) return
    const { action } = this.#interruption
    this.#interruption = undefined
    if (action === 'kill') process.kill(process.pid, 'SIGKILL')
    else void this.#beforeStop().then(() => process.kill(process.pid, 'SIGSTOP'))
  }

  /** Wraps a ledger, with points before and after its statements. */
  ledger(inner: OrderLedger): OrderLedger {
    const at = async <T>(run: () => Promise<T>, before?: Point, after?: Point): Promise<T> => {
      if (before !== undefined) this.visit(before)
      const result = await run()
      if (after !== undefined) this.visit(after)
      return result
    }
    return {
      claim: (name, request) => at(() => inner.claim(name, request), 'before-claim', 'after-claim'),
      mark: (name, request) => at(() => inner.mark(name, request), 'before-mark', 'after-mark'),
      unmark: (name, request) => inner.unmark(name, request),
      renew: (name, request) => inner.renew(name, request),
      record: (name, request) => at(() => inner.record(name, request), 'before-record', 'after-record'),
      resolve: (name, outcome) => inner.resolve(name, outcome),
      prune: (request) => inner.prune(request),
    }
  }

  /** Wraps a dispatcher, with points around the sending of an order and in lookups. */
  dispatch(inner: Dispatcher): Dispatcher['dispatch'] {
    return (options, handler) => {
      const isOrder = options.method === 'POST' && options.path.startsWith('/v1/referrals')
      if (options.method === 'GET' && options.path.startsWith('/v1/referrals?')) this.visit('in-lookup')
      if (!isOrder) return inner.dispatch(options, handler)
      this.visit('before-dispatch')
      const isAccepted = inner.dispatch(options, this.#watched(handler))
      // Late enough that the bytes of the order have left, and early enough that the order is in progress.
      setTimeout(() => this.visit('after-dispatch'), 3)
      return isAccepted
    }
  }

  #watched(handler: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler {
    return new Proxy(handler, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          if (name === 'onHeaders' || name === 'onResponseStart') this.visit('after-response-head')
          return Reflect.apply(value, target, args)
        }
      },
    })
  }
}
