import { type Clock, systemClock } from './clock.js'
import { ignore } from './errors.js'

/** Limits of {@link waitWithin}. */
export interface WaitLimits {
  /** Ends the wait when the signal aborts. The wait then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Maximum time in milliseconds. */
  readonly limitMs?: number | undefined
  /** Creates the error of a wait that takes longer than `limitMs`. Without it, the wait rejects with `undefined`. */
  readonly timeoutError?: (() => Error) | undefined
  /** Clock of `limitMs`. Default: the machine's. */
  readonly clock?: Clock | undefined
}

/** Waits for a promise until a signal aborts or the time limit expires. The work behind the promise continues. */
export async function waitWithin<T>(
  work: Promise<T>,
  { signal, limitMs, timeoutError, clock = systemClock }: WaitLimits,
): Promise<T> {
  // Without a race, the stack trace of an error has the lines of the caller.
  if (signal === undefined && limitMs === undefined) return work
  let stop: (reason: unknown) => void = ignore
  const stopped = new Promise<never>((_, reject) => {
    stop = reject
  })
  const timer = limitMs === undefined ? undefined : clock.schedule(() => stop(timeoutError?.()), limitMs)
  const unfollow = follow({ abort: stop }, signal)
  try {
    return await Promise.race([work, stopped])
  } finally {
    timer?.cancel()
    unfollow()
  }
}

/** Functions to call when a signal aborts: its only listener, since Node searches a list of them for each removal. */
class Followers extends Set<() => void> {
  handleEvent(): void {
    for (const abort of this) abort()
  }
}

const followers = new WeakMap<AbortSignal, Followers>()

/**
 * Aborts `controller` when `signal` aborts. Returns a function that ends this. Used instead of `AbortSignal.any`, which
 * leaks memory on a long-lived signal in Node 20.
 */
export function follow(
  controller: Pick<AbortController, 'abort'>,
  signal: AbortSignal | undefined,
): () => void {
  if (signal === undefined) return ignore
  const abort = (): void => controller.abort(signal.reason)
  if (signal.aborted) abort()
  const all = followers.get(signal) ?? new Followers()
  if (all.size === 0) signal.addEventListener('abort', all)
  followers.set(signal, all.add(abort))
  return () => {
    if (all.delete(abort) && all.size === 0) signal.removeEventListener('abort', all)
  }
}
