import { defineConfig } from 'vitest/config'
import { groupOfRun } from './scripts/mutation-groups.mjs'
import base from './vitest.config.js'

/** The tests of one group of mutants: see scripts/mutation.mjs. */
const { tests } = groupOfRun()

export default defineConfig({
  ...base,
  test: { ...base.test, include: tests.map((pattern) => `test/${pattern}`) },
})
