import type { SafeLogger } from '../../common/logger.js'

/** Reports progress to callers' functions. It ignores their errors and warns once. */
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

  /** Does not log the error: it may contain any data. */
  #warn(): void {
    if (this.#warned) return
    this.#warned = true
    this.#logger.warn('pathology-sdk: an onProgress function failed; its errors are ignored')
  }
}
