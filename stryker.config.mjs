import { groupOfRun } from './scripts/mutation-group.mjs'

const { name, mutate } = groupOfRun()

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  testRunner: 'vitest',
  // The tests of a group are listed, so Stryker need not search for related tests.
  vitest: { configFile: 'vitest.mutation.config.ts', related: false },
  mutate: mutate.map((file) => `src/${file}`),
  coverageAnalysis: 'perTest',
  concurrency: Number(process.env['MUTATION_CONCURRENCY'] ?? 2),
  timeoutMS: 10_000,
  thresholds: { high: 95, low: 90, break: 90 },
  tempDirName: `reports/mutation/${name}`,
  ignorePatterns: ['dist', 'docs', 'examples', 'bench', 'coverage', 'reports', '*.md', 'openapi.json'],
  reporters: ['clear-text', 'progress-append-only', 'html'],
  htmlReporter: { fileName: `reports/mutation/${name}.html` },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  fileLogLevel: 'off',
}
