import type { Clock, Timer } from '../../common/clock.js'
import { ConfigurationError } from '../../common/errors.js'
import { follow } from '../../common/time-limit.js'
import { isAbortSignal } from '../../contract/realms.js'

type Listener = (ended: CallEnded) => void

/** Reason for the early end of a call: its timeout, or its caller's signal. */
type EndReason = { readonly kind: 'timeout' } | { readonly kind: 'aborted'; readonly reason: unknown }

/** Internal error of a call that timed out or was aborted. It never reaches the caller. */
export class CallEnded extends Error {
  readonly end: EndReason
  /** Description of the queue in which the call ended, for the error. */
  readonly queuedFor: string | undefined
  constructor(end: EndReason, queuedFor?: string) {
    super(end.kind)
    this.end = end
    this.queuedFor = queuedFor
  }
}

/**
 * Time limit of a call, together with the caller's signal. The limit covers waiting in queues, the token, connecting,
 * all attempts and reading the body. `dispose()` removes the timer and all listeners.
 */
export class Deadline {
  readonly timeoutMs: number
  /** Error of a call that has ended early; `undefined` while the call runs. */
  ended: CallEnded | undefined
  /** Called when the call ends early. Nothing calls a listener that is added after the end. */
  readonly listeners = new Set<Listener>()
  readonly #clock: Clock
  readonly #endsAt: number
  readonly #timer: Timer | undefined
  readonly #stopFollowing: (() => void) | undefined

  constructor(clock: Clock, timeoutMs: number, signal: AbortSignal | undefined) {
    this.#clock = clock
    this.timeoutMs = timeoutMs
    this.#endsAt = clock.monotonic() + timeoutMs
    if (signal?.aborted === true) this.ended = new CallEnded({ kind: 'aborted', reason: signal.reason })
    else if (timeoutMs <= 0) this.ended = new CallEnded({ kind: 'timeout' })
    if (this.ended !== undefined) return
    if (signal !== undefined)
      this.#stopFollowing = follow({ abort: (reason) => this.#end({ kind: 'aborted', reason }) }, signal)
    if (timeoutMs !== Number.POSITIVE_INFINITY)
      this.#timer = clock.schedule(() => this.#end({ kind: 'timeout' }), timeoutMs)
  }

  get remainingMs(): number {
    return this.#endsAt - this.#clock.monotonic()
  }

  throwIfEnded(): void {
    if (this.ended !== undefined) throw this.ended
  }

  /**
   * Calls `listener` when the call ends early, or at once if the call has already ended early. The returned function
   * removes the listener.
   */
  onEnd(listener: Listener): () => void {
    if (this.ended === undefined) this.listeners.add(listener)
    else listener(this.ended)
    return () => this.listeners.delete(listener)
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

  dispose(): void {
    this.#timer?.cancel()
    this.#stopFollowing?.()
    this.listeners.clear()
  }

  #end(end: EndReason): void {
    if (this.ended !== undefined) return
    const ended = new CallEnded(end)
    this.ended = ended
    const listeners = [...this.listeners]
    this.dispose()
    for (const listener of listeners) listener(ended)
  }
}

export function checkedSignal(signal: AbortSignal | undefined): AbortSignal | undefined {
  if (signal === undefined || isAbortSignal(signal)) return signal
  throw new ConfigurationError('signal must be an AbortSignal')
}
