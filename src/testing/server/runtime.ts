import { createRequire } from 'node:module'

/*
 * The system clock and timers are read when this module loads: fake timers that a test runner installs later do not
 * stop the fake.
 */
const { clearTimeout, Date: SystemDate, setImmediate, setTimeout } = globalThis

const LONGEST_TIMER_MS = 2_147_483_647

export interface RealTimer {
  cancel(): void
}

export function systemNow(): number {
  return SystemDate.now()
}

/** Calls `callback` after `delayMs` of real time (at most 24.8 days). `keepAlive` keeps the process running. */
export function startTimer(callback: () => void, delayMs: number, keepAlive: boolean): RealTimer {
  const handle = setTimeout(callback, Math.min(Math.max(0, delayMs), LONGEST_TIMER_MS))
  if (!keepAlive) handle.unref()
  return { cancel: () => clearTimeout(handle) }
}

/** Waits for `delayMs` of real time. Resolves early, without an error, when `signal` aborts. */
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

/** Waits for the next turn of the event loop, so that all callbacks that are ready run first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** Loads a module synchronously. In the CommonJS build `import.meta` is empty, so `__filename` is used. */
export const requireFromHere: NodeJS.Require = createRequire(import.meta.url ?? __filename)
