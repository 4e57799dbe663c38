import type { SafeLogger } from '../../common/logger.js'

const PROBLEMS = {
  get: 'reading the token store failed',
  set: 'writing to the token store failed',
  delete: 'writing to the token store failed',
  content: 'the token store contains data that is not tokens',
  lock: 'acquiring the token lock failed',
  release: 'releasing the token lock failed',
} as const

/** Failure of a store or a lock that processes share. */
export type SharedProblem = keyof typeof PROBLEMS

/** Warns once when a shared store or lock fails, and again only after all of it has worked. */
export class SharedHealth {
  readonly #logger: SafeLogger
  readonly #failing = new Set<SharedProblem>()

  constructor(logger: SafeLogger) {
    this.#logger = logger
  }

  failed(problem: SharedProblem): void {
    if (this.#failing.size === 0) {
      this.#logger.warn(`pathology-sdk: ${PROBLEMS[problem]}; the client continues without it`)
    }
    this.#failing.add(problem)
  }

  worked(problem: SharedProblem): void {
    this.#failing.delete(problem)
  }
}
