/** Where warnings go. `console`, pino and winston fit as they are. */
export interface Logger {
  /** What helps to find a mistake. */
  debug?(message: string): unknown
  /** Not used so far. */
  info?(message: string): unknown
  /** Something that works on, and should be looked at. */
  warn?(message: string): unknown
  /** A failure that reaches nobody otherwise. */
  error?(message: string): unknown
}

/** A logger that cannot disturb a call: what the user's logger throws is swallowed. */
export class SafeLogger {
  readonly #logger: Logger | undefined

  constructor(logger: Logger | undefined) {
    this.#logger = logger
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
      // A broken logger must not break a call.
    }
  }
}
