import { defineConfig } from 'vitest/config'

/** `npm run matrix`: the packed package in other runtimes and under other compilers, which it downloads. */
export default defineConfig({
  test: {
    include: ['test/**/*.runtimes.test.ts'],
    // One download and one installation at a time.
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
