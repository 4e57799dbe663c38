import type { Clock, Timer } from '../../common/clock.js'
import { ignore } from '../../common/ignore.js'
import type { CallerSignal } from './shared-signals.js'

/** Why a call ended before its answer: its time was up, or its caller aborted it. */
export type EndReason = { readonly kind: 'timeout' } | { readonly kind: 'aborted'; readonly reason: unknown }

/** Thrown through the pipeline when a call's time is up or its caller aborted; never reaches a user as it is. */
export class CallEnded extends Error {
  readonly end: EndReason
  constructor(end: EndReason) {
    super(end.kind)
    this.end = end
  }
}

/**
 * The one time limit of a call, over queueing, token, connecting, every attempt and the body, together with the
 * caller's signal. One timer and one listener a call, both gone with `dispose()`.
 */
export class Deadline {
  readonly timeoutMs: number
  readonly #clock: Clock
  readonly #endsAt: number
  readonly #signal: CallerSignal | undefined
  readonly #timer: Timer | undefined
  readonly #listeners = new Set<(ended: CallEnded) => void>()
  #ended: CallEnded | undefined

  constructor(clock: Clock, timeoutMs: number, signal: CallerSignal | undefined) {
    this.#clock = clock
    this.timeoutMs = timeoutMs
    this.#endsAt = clock.monotonic() + timeoutMs
    this.#signal = signal
    if (signal?.aborted === true) {
      this.#ended = new CallEnded({ kind: 'aborted', reason: signal.reason })
      return
    }
    if (timeoutMs <= 0) {
      this.#ended = new CallEnded({ kind: 'timeout' })
      return
    }
    signal?.addEventListener('abort', this.#onAbort, { once: true })
    if (timeoutMs !== Number.POSITIVE_INFINITY) {
      this.#timer = clock.schedule(() => this.#end({ kind: 'timeout' }), timeoutMs)
    }
  }

  /** Milliseconds left. */
  get remainingMs(): number {
    return this.#endsAt - this.#clock.monotonic()
  }

  /** Throws when the call has ended. */
  throwIfEnded(): void {
    if (this.#ended !== undefined) throw this.#ended
  }

  /** Calls `listener` when the call ends; at once when it has ended. Returns how to stop listening. */
  onEnd(listener: (ended: CallEnded) => void): () => void {
    if (this.#ended !== undefined) {
      listener(this.#ended)
      return ignore
    }
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** `promise`, or a rejection as soon as the call ends. What the promise does afterwards is not watched. */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const stop = this.onEnd(reject)
      promise.then(resolve, reject).finally(stop)
    })
  }

  /** Waits; ends early, with a rejection, when the call ends. */
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

  /** Lets go of the timer and the listener. */
  dispose(): void {
    this.#timer?.cancel()
    this.#signal?.removeEventListener('abort', this.#onAbort)
    this.#listeners.clear()
  }

  readonly #onAbort = (): void => this.#end({ kind: 'aborted', reason: this.#signal?.reason })

  #end(end: EndReason): void {
    if (this.#ended !== undefined) return
    this.#ended = new CallEnded(end)
    const listeners = [...this.#listeners]
    this.dispose()
    for (const listener of listeners) listener(this.#ended)
  }
}
