import { groupOfRun } from './scripts/mutation-groups.mjs'

const { name, mutate } = groupOfRun()

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.mutation.config.ts' },
  mutate: mutate.map((file) => `src/${file}`),
  coverageAnalysis: 'perTest',
  concurrency: Number(process.env['MUTATION_CONCURRENCY'] ?? 2),
  timeoutMS: 10_000,
  tempDirName: `reports/mutation/${name}`,
  incremental: true,
  incrementalFile: `reports/mutation/${name}.json`,
  ignorePatterns: ['dist', 'docs', 'examples', 'bench', 'coverage', 'reports', '*.md', 'openapi.json'],
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportScoreTable: true },
  fileLogLevel: 'off',
}
