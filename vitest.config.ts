import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url))

/** Tests that need a database, a bundler, a generator, a browser or processes of their own. */
const INTEGRATION_TESTS = 'test/**/*.{integration,browser}.test.ts'

/** Tests that download runtimes and compilers: `npm run matrix`. */
const RUNTIME_TESTS = 'test/**/*.runtimes.test.ts'

/** Tests that packages of `test/tools` bring. */
const OF_PACKAGES = '**/node_modules/**'

/** Files of the integration suite that take longest. Some have few lines, so Vitest would start them late. */
const LONGEST = [
  'mirror/kills',
  'mirror/copy',
  'docs/site',
  'e2e/demo',
  'e2e/examples',
  'packaging/bundling',
  'packaging/package',
  'soak/processes',
  'stores/postgres/order-ledger',
]

/** Starts the longest files first, so that no core is idle at the end of the run. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const longest = sorted.filter(({ moduleId }) =>
      LONGEST.some((name) => moduleId.includes(`/test/${name}.`)),
    )
    return [...new Set([...longest, ...sorted])]
  }
}

export default defineConfig({
  resolve: {
    alias: [
      { find: /^pathology-sdk$/, replacement: source('client/index.ts') },
      { find: /^pathology-sdk\/forms$/, replacement: source('forms/index.ts') },
      { find: /^pathology-sdk\/display$/, replacement: source('display/index.ts') },
      { find: /^pathology-sdk\/fhir$/, replacement: source('fhir/index.ts') },
      { find: /^pathology-sdk\/webhooks$/, replacement: source('webhooks/index.ts') },
      { find: /^pathology-sdk\/redis$/, replacement: source('stores/redis.ts') },
      { find: /^pathology-sdk\/postgres$/, replacement: source('stores/postgres.ts') },
      { find: /^pathology-sdk\/mirror$/, replacement: source('mirror/index.ts') },
      { find: /^pathology-sdk\/testing$/, replacement: source('testing/index.ts') },
    ],
  },
  test: {
    sequence: { sequencer: LongestFirst },
    // Tests that wait for timers and sockets leave a third of the cores idle.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The default of one second is too short for a busy machine.
    expect: { poll: { timeout: 10_000 } },
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'html', 'json-summary'],
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts', 'examples/testing/*.test.ts'],
          exclude: [OF_PACKAGES, INTEGRATION_TESTS, RUNTIME_TESTS],
          // No module of src/ has state, so the files of a worker share the modules: half of the CPU time.
          isolate: false,
          setupFiles: ['test/support/fast-check.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: [INTEGRATION_TESTS],
          // On a busy machine, their other processes take many times as long.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          exclude: [OF_PACKAGES],
          // As in the unit suite.
          isolate: false,
          // These tests also wait for other processes. With another number of workers, the suites run one after the other.
          maxWorkers: availableParallelism() * 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
