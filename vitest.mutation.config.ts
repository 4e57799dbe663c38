import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { groupOfRun } from './scripts/mutation-group.mjs'
import base from './vitest.config.js'

const { projects: _, ...test } = base.test ?? {}

/** Runs the quickest files first: the first failure ends the run of a change. */
class QuickestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const slowestFirst = await super.sort(files)
    return slowestFirst.reverse()
  }
}

/** The tests of one group of mutants: see scripts/mutation.mjs. */
export default defineConfig({
  ...base,
  test: {
    ...test,
    include: groupOfRun().tests.map((pattern) => `test/${pattern}`),
    // A change can make a promise wait without end.
    testTimeout: 10_000,
    hookTimeout: 10_000,
    sequence: { sequencer: QuickestFirst },
  },
})
