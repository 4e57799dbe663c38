import { ConfigurationError } from '../../common/configuration-error.js'
import { ignore } from '../../common/ignore.js'

/** The part of `AbortSignal` that a call needs. */
export interface CallerSignal {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/**
 * Adds one listener to each signal, shared by all calls that use it. Node reports a leak above ten listeners.
 */
export class SharedSignals {
  readonly #shared = new WeakMap<AbortSignal, SharedSignal>()

  of(signal: AbortSignal | undefined): CallerSignal | undefined {
    if (signal === undefined) return undefined
    const known = this.#shared.get(signal)
    if (known !== undefined) return known
    if (typeof signal?.throwIfAborted !== 'function')
      throw new ConfigurationError('signal must be an AbortSignal')
    const shared = new SharedSignal(signal)
    this.#shared.set(signal, shared)
    return shared
  }
}

class SharedSignal implements CallerSignal {
  readonly #signal: AbortSignal
  readonly #listeners = new Set<() => void>()

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  get aborted(): boolean {
    return this.#signal.aborted
  }

  get reason(): unknown {
    return this.#signal.reason
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.#listeners.size === 0) this.#signal.addEventListener('abort', this.#onAbort)
    this.#listeners.add(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener)
    if (this.#listeners.size === 0) this.#signal.removeEventListener('abort', this.#onAbort)
  }

  readonly #onAbort = (): void => {
    for (const listener of [...this.#listeners]) listener()
  }
}

/**
 * Aborts `controller` when `signal` aborts. Returns a function that removes the listener. In Node 20,
 * `AbortSignal.any` leaks memory on a long-lived signal.
 */
export function follow(controller: AbortController, signal: CallerSignal | undefined): () => void {
  if (signal === undefined) return ignore
  const abort = (): void => controller.abort(signal.reason)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort)
  return () => signal.removeEventListener('abort', abort)
}

/** Returns the result of `promise`, but rejects with the signal's reason when the signal aborts. */
export function untilAborted<T>(promise: Promise<T>, signal: CallerSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort)
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
