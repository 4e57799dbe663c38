import type { Clock, Timer } from '../../common/clock.js'
import type { CallerSignal } from './abort.js'

type Listener = (ended: CallEnded) => void

/** Reason for the early end of a call: its timeout, or its caller's signal. */
export type EndReason = { readonly kind: 'timeout' } | { readonly kind: 'aborted'; readonly reason: unknown }

/** Internal error of a call that timed out or was aborted. It never reaches the caller. */
export class CallEnded extends Error {
  readonly end: EndReason
  /** Description of the queue in which the call ended, for its error. */
  readonly queuedFor: string | undefined
  constructor(end: EndReason, queuedFor?: string) {
    super(end.kind)
    this.end = end
    this.queuedFor = queuedFor
  }
}

/**
 * Time limit of a call, together with the caller's signal. It covers waiting in queues, the token, connecting,
 * all attempts and reading the body. `dispose()` removes its timer and its listener.
 */
export class Deadline {
  readonly timeoutMs: number
  readonly #clock: Clock
  readonly #endsAt: number
  readonly #timer: Timer | undefined
  readonly #stopFollowing: (() => void) | undefined
  /** Most calls have one listener: a set is created only for the second. */
  #listener: Listener | undefined
  #others: Set<Listener> | undefined
  #ended: CallEnded | undefined

  constructor(clock: Clock, timeoutMs: number, signal: CallerSignal | undefined) {
    this.#clock = clock
    this.timeoutMs = timeoutMs
    this.#endsAt = clock.monotonic() + timeoutMs
    if (signal?.aborted === true) {
      this.#ended = new CallEnded({ kind: 'aborted', reason: signal.reason })
      return
    }
    if (timeoutMs <= 0) {
      this.#ended = new CallEnded({ kind: 'timeout' })
      return
    }
    if (signal !== undefined) this.#stopFollowing = this.#follow(signal)
    if (timeoutMs !== Number.POSITIVE_INFINITY) {
      this.#timer = clock.schedule(() => this.#end({ kind: 'timeout' }), timeoutMs)
    }
  }

  /** Remaining time in milliseconds. */
  get remainingMs(): number {
    return this.#endsAt - this.#clock.monotonic()
  }

  /** The early end; `undefined` while the call runs. */
  get ended(): CallEnded | undefined {
    return this.#ended
  }

  /** Throws {@link CallEnded} when the call has ended. */
  throwIfEnded(): void {
    if (this.#ended !== undefined) throw this.#ended
  }

  /** Calls `listener` when the call ends, or at once if it has ended. Returns a function that removes it. */
  onEnd(listener: Listener): () => void {
    this.watch(listener)
    return () => this.unwatch(listener)
  }

  /** Adds a listener as {@link onEnd} does; `unwatch` removes it. */
  watch(listener: Listener): void {
    if (this.#ended !== undefined) listener(this.#ended)
    else if (this.#listener === undefined) this.#listener = listener
    else this.#addOther(listener)
  }

  unwatch(listener: Listener): void {
    if (this.#listener === listener) this.#listener = undefined
    else this.#others?.delete(listener)
  }

  #addOther(listener: Listener): void {
    this.#others ??= new Set()
    this.#others.add(listener)
  }

  /** Returns the result of `promise`, but rejects as soon as the call ends. A later result is ignored. */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const stop = this.onEnd(reject)
      promise.then(resolve, reject).finally(stop)
    })
  }

  /** Waits, and rejects as soon as the call ends. */
  sleep(delayMs: number): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const timer = this.#clock.schedule(() => {
        stop()
        resolve()
      }, delayMs)
      const stop = this.onEnd((ended) => {
        timer.cancel()
        reject(ended)
      })
    })
  }

  /** Removes the timer and the listeners. */
  dispose(): void {
    this.#timer?.cancel()
    this.#stopFollowing?.()
    this.#listener = undefined
    this.#others = undefined
  }

  #follow(signal: CallerSignal): () => void {
    const onAbort = (): void => this.#end({ kind: 'aborted', reason: signal.reason })
    signal.addEventListener('abort', onAbort, { once: true })
    return () => signal.removeEventListener('abort', onAbort)
  }

  #end(end: EndReason): void {
    if (this.#ended !== undefined) return
    const ended = new CallEnded(end)
    this.#ended = ended
    const [first, others] = [this.#listener, this.#others]
    this.dispose()
    first?.(ended)
    for (const listener of others ?? []) listener(ended)
  }
}
