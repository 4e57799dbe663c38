/** Receiver of log messages. `console`, pino and winston implement it. */
export interface Logger {
  /** Details for debugging. */
  debug?(message: string): unknown
  /** Not used. */
  info?(message: string): unknown
  /** A problem that did not stop the operation. Check its cause. */
  warn?(message: string): unknown
  /** A failure that no error reports to the caller. */
  error?(message: string): unknown
}

/** Calls the user's logger and ignores its errors, so that a logger never fails a call. */
export class SafeLogger {
  readonly #logger: Logger | undefined

  constructor(logger: Logger | undefined) {
    this.#logger = logger
  }

  /** Whether the user passed a logger. */
  get isSet(): boolean {
    return this.#logger !== undefined
  }

  debug(message: string): void {
    this.#write('debug', message)
  }

  warn(message: string): void {
    this.#write('warn', message)
  }

  error(message: string): void {
    this.#write('error', message)
  }

  #write(level: 'debug' | 'warn' | 'error', message: string): void {
    try {
      const result: unknown = this.#logger?.[level]?.(message)
      if (result instanceof Promise) result.catch(() => undefined)
    } catch {
      // An error in the logger must not fail the call.
    }
  }
}

/** Calls the user's `onProgress` functions. It ignores their errors and warns once. */
export class ProgressReporter {
  readonly #logger: SafeLogger
  #warned = false

  constructor(logger: SafeLogger) {
    this.#logger = logger
  }

  report<T>(onProgress: ((progress: T) => unknown) | undefined, progress: T): void {
    if (onProgress === undefined) return
    try {
      const result = onProgress(progress)
      if (result instanceof Promise) result.catch(() => this.#warn())
    } catch {
      this.#warn()
    }
  }

  /** Warns without the error, because the error can contain any data. */
  #warn(): void {
    if (this.#warned) return
    this.#warned = true
    this.#logger.warn('pathology-sdk: an onProgress function failed; its errors are ignored')
  }
}

/** Returns the name and code of an error for a log line. Its message is left out, because it can contain personal data. */
export function errorName(error: unknown): string {
  try {
    return nameOf(error)
  } catch {
    // Any value can be thrown, such as an error whose properties throw.
    return 'unknown error'
  }
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  const code: unknown = Reflect.get(error, 'code')
  const name = /^[A-Z][A-Za-z]{0,60}$/i.test(error.name) ? error.name : 'Error'
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? `${name} ${code}` : name
}
