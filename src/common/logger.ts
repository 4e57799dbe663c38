import { ignore } from './errors.js'

/** Receiver of log messages. `console`, pino and winston implement this interface. */
export interface Logger {
  /** Details for debugging. This package does not call `debug`. */
  debug?(message: string): unknown
  /** General information. This package does not call `info`. */
  info?(message: string): unknown
  /** A problem that did not stop the operation. Check its cause. */
  warn?(message: string): unknown
  /** A failure that is not reported to the caller as an error. */
  error?(message: string): unknown
}

/**
 * Calls a function of the user. If the function throws or its promise rejects, ignores the error and calls `onFailure`.
 * The promise may come from another library or realm.
 */
export function callQuietly(hook: () => unknown, onFailure: () => void = ignore): void {
  void (async () => hook())().catch(onFailure)
}

/** Wrapper of the user's logger. Ignores the logger's errors, so that a logger never fails a call. */
export class SafeLogger {
  readonly #logger: Logger | undefined

  constructor(logger: Logger | undefined) {
    this.#logger = logger
  }

  /** `true` when the user passed a logger. */
  get isSet(): boolean {
    return this.#logger !== undefined
  }

  warn(message: string): void {
    this.#write('warn', message)
  }

  error(message: string): void {
    this.#write('error', message)
  }

  #write(level: 'warn' | 'error', message: string): void {
    callQuietly(() => this.#logger?.[level]?.(message))
  }
}

/** Log with at most one line in each period. The next line contains the number of lines that were left out. */
export class LimitedLog {
  readonly #write: (line: string) => void
  readonly #periodMs: number
  #nextAt = 0
  #omitted = 0

  constructor(write: (line: string) => void, periodMs = 60_000) {
    this.#write = write
    this.#periodMs = periodMs
  }

  write(line: string): void {
    const now = performance.now()
    if (now < this.#nextAt) {
      this.#omitted += 1
      return
    }
    this.#write(this.#omitted === 0 ? line : `${line} (similar lines since the last one: ${this.#omitted})`)
    this.#nextAt = now + this.#periodMs
    this.#omitted = 0
  }

  /** Permits the next line at once. Returns the number of lines that were left out since the last line. */
  reset(): number {
    const omitted = this.#omitted
    this.#nextAt = 0
    this.#omitted = 0
    return omitted
  }
}

/** Caller of the user's `onProgress` functions. Ignores their errors, and logs one warning for the first error. */
export class ProgressReporter {
  readonly #logger: SafeLogger
  #warned = false

  constructor(logger: SafeLogger) {
    this.#logger = logger
  }

  report<T>(onProgress: ((progress: T) => unknown) | undefined, progress: T): void {
    if (onProgress !== undefined)
      callQuietly(
        () => onProgress(progress),
        () => this.#warn(),
      )
  }

  /** Logs a warning without the error, because the error can contain personal data. */
  #warn(): void {
    if (this.#warned) return
    this.#warned = true
    this.#logger.warn('pathology-sdk: an onProgress function failed; its errors are ignored')
  }
}

/**
 * Returns an error's name and its code, or else its HTTP status, for a log line. The message is left out, because it can
 * contain personal data.
 */
export function errorName(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  const code: unknown = Reflect.get(error, 'code')
  const name = /^[A-Z][A-Za-z]{0,60}$/i.test(error.name) ? error.name : 'Error'
  if (typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code)) return `${name} ${code}`
  const status: unknown = Reflect.get(error, 'status')
  return Number.isInteger(status) ? `${name} HTTP ${status}` : name
}

/** One line of a stack trace: a function with its source location, or only the location. */
const STACK_LINE =
  /^ {4}(at (?:[\w$.*<>[\] ]{1,100} \()?(?:file:\/\/\/?|node:|\/|[A-Za-z]:\\)[^\s()]{1,200}:\d+:\d+\)?)$/

/** The part of a stack trace before the error's message: the error's name, with its code in brackets if it has one. */
const STACK_HEAD = /^[\w$.]{1,100}(?: \[\w+\])?(?:: )?$/

/** A line of Node itself, or of an installed package. */
const FOREIGN_LINE = /[\\/]node_modules[\\/]|\(node:|at node:/

/**
 * Returns the first line of an error's stack trace outside `node_modules`, or else the first line with a source location.
 * Returns `undefined` in these cases:
 * - No line has a source location.
 * - The trace does not contain exactly this message. Any line can then be part of a message with personal data.
 */
export function sourceLocation({ stack, message }: Error): string | undefined {
  if (typeof stack !== 'string' || typeof message !== 'string') return undefined
  const start = message === '' ? stack.indexOf('\n') : stack.indexOf(message)
  if (start === -1 || !STACK_HEAD.test(stack.slice(0, start))) return undefined
  const [rest, ...lines] = stack.slice(start + message.length).split('\n')
  const places = lines.flatMap((line) => STACK_LINE.exec(line)?.[1] ?? [])
  return rest === '' ? (places.find((place) => !FOREIGN_LINE.test(place)) ?? places[0]) : undefined
}
