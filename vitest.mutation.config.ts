import { relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { groupOfRun } from './scripts/mutation-group.mjs'
import base from './vitest.config.js'

const { projects: _, ...test } = base.test ?? {}

/**
 * Runs the files that failed for the change before, and then the quickest: changes next to each other are noticed by the
 * same tests, and the first failure ends the run of a change.
 */
class LikeliestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...files].sort((a, b) => this.#lastTime(a) - this.#lastTime(b))
  }

  /** Duration of the last run of a file in milliseconds; 0 if it failed or never ran. */
  #lastTime({ project, moduleId }: TestSpecification): number {
    const path = relative(this.ctx.config.root, moduleId)
    const last = this.ctx.cache.getFileTestResults(`${project.name}:${path}`)
    return last === undefined || last.failed ? 0 : last.duration
  }
}

/** The tests of one group of mutants: see scripts/mutation.mjs. */
export default defineConfig({
  ...base,
  test: {
    ...test,
    include: groupOfRun().tests.map((pattern) => `test/${pattern}`),
    // As in the unit suite. The files of a run share their modules, which takes a fifth of the CPU time off.
    isolate: false,
    // A change can make a promise wait without end.
    testTimeout: 10_000,
    hookTimeout: 10_000,
    expect: { poll: { timeout: 5_000 } },
    sequence: { sequencer: LikeliestFirst },
  },
})
