import { defineConfig } from 'vitest/config'
import { groupOfRun } from './scripts/mutation-group.mjs'
import base from './vitest.config.js'

const { projects: _, ...test } = base.test ?? {}

/** The tests of one group of mutants: see scripts/mutation.mjs. */
export default defineConfig({
  ...base,
  test: { ...test, include: groupOfRun().tests.map((pattern) => `test/${pattern}`) },
})
