import type { SafeLogger } from '../../common/logger.js'

/** Tells callers how far something has come: what their functions throw disturbs nothing, and is warned of once. */
export class ProgressReporter {
  readonly #logger: SafeLogger
  #warned = false

  constructor(logger: SafeLogger) {
    this.#logger = logger
  }

  tell<T>(onProgress: ((progress: T) => unknown) | undefined, progress: T): void {
    if (onProgress === undefined) return
    try {
      const result = onProgress(progress)
      if (result instanceof Promise) result.catch(() => this.#warn())
    } catch {
      this.#warn()
    }
  }

  /** Never what was thrown: it may hold anything. */
  #warn(): void {
    if (this.#warned) return
    this.#warned = true
    this.#logger.warn('pathology-sdk: an onProgress function failed; what it throws is ignored')
  }
}
