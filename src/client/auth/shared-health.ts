import type { SafeLogger } from '../../common/logger.js'

const PROBLEMS = {
  get: 'the token store could not be read',
  set: 'the token store could not be written',
  delete: 'the token store could not be written',
  content: 'the token store holds something that is not tokens',
  lock: 'processes could not take turns at getting tokens',
  release: 'the token lock could not be given back',
} as const

/** What can go wrong with what processes share. */
export type SharedProblem = keyof typeof PROBLEMS

/** Says once that something shared does not work, and again only after all of it has worked in between. */
export class SharedHealth {
  readonly #logger: SafeLogger
  readonly #failing = new Set<SharedProblem>()

  constructor(logger: SafeLogger) {
    this.#logger = logger
  }

  failed(problem: SharedProblem): void {
    if (this.#failing.size === 0) {
      this.#logger.warn(`pathology-sdk: ${PROBLEMS[problem]}; the client goes on without it`)
    }
    this.#failing.add(problem)
  }

  worked(problem: SharedProblem): void {
    this.#failing.delete(problem)
  }
}
