/**
 * The machine's clock and timers as they were when this module was loaded, so that a test runner's fake timers,
 * installed later, do not hold up the fake.
 */
const { clearTimeout, Date: SystemDate, setImmediate, setTimeout } = globalThis

const LONGEST_TIMER_MS = 2_147_483_647

/** A timer that can be taken back. */
export interface RealTimer {
  cancel(): void
}

/** The system's wall clock, in milliseconds since the epoch. */
export function systemNow(): number {
  return SystemDate.now()
}

/** Calls back after `delayMs` of real time; `keepAlive` keeps the process running until then. */
export function startTimer(callback: () => void, delayMs: number, keepAlive: boolean): RealTimer {
  const handle = setTimeout(callback, Math.min(Math.max(0, delayMs), LONGEST_TIMER_MS))
  if (!keepAlive) handle.unref()
  return { cancel: () => clearTimeout(handle) }
}

/** Waits for `delayMs` of real time; ends early, without an error, when `signal` aborts. */
export function sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve()
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel()
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = startTimer(end, delayMs, true)
    signal?.addEventListener('abort', end, { once: true })
  })
}

/** Lets everything run that is ready to. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
