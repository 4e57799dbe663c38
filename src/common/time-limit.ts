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
  const onAbort = (): void => stop(signal?.reason)
  const timer = limitMs === undefined ? undefined : clock.schedule(() => stop(timeoutError?.()), limitMs)
  signal?.addEventListener('abort', onAbort)
  if (signal?.aborted === true) onAbort()
  try {
    return await Promise.race([work, stopped])
  } finally {
    timer?.cancel()
    signal?.removeEventListener('abort', onAbort)
  }
}
