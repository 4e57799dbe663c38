import type { Clock, Timer } from '../../common/clock.js'
import type { CallerSignal } from './abort.js'

type Listener = (ended: CallEnded) => void

/** Why a call ended before its answer: its time was up, or its caller aborted it. */
export type EndReason = { readonly kind: 'timeout' } | { readonly kind: 'aborted'; readonly reason: unknown }

/** Thrown through the pipeline when a call's time is up or its caller aborted; never reaches a user as it is. */
export class CallEnded extends Error {
  readonly end: EndReason
  /** What the call was queued for when it ended, in words for its error. */
  readonly queuedFor: string | undefined
  constructor(end: EndReason, queuedFor?: string) {
    super(end.kind)
    this.end = end
    this.queuedFor = queuedFor
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
  readonly #timer: Timer | undefined
  readonly #stopFollowing: (() => void) | undefined
  /** Nearly always there is one listener, so the first has no set around it. */
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

  /** Milliseconds left. */
  get remainingMs(): number {
    return this.#endsAt - this.#clock.monotonic()
  }

  /** How the call ended, when it has. */
  get ended(): CallEnded | undefined {
    return this.#ended
  }

  /** Throws when the call has ended. */
  throwIfEnded(): void {
    if (this.#ended !== undefined) throw this.#ended
  }

  /** Calls `listener` when the call ends; at once when it has ended. Returns how to stop listening. */
  onEnd(listener: Listener): () => void {
    this.watch(listener)
    return () => this.unwatch(listener)
  }

  /** The same, where to stop is `unwatch`. */
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
