import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url))

export default defineConfig({
  resolve: {
    alias: [
      { find: /^pathology-sdk$/, replacement: source('client/index.ts') },
      { find: /^pathology-sdk\/webhooks$/, replacement: source('webhooks/index.ts') },
      { find: /^pathology-sdk\/webhooks\/redis$/, replacement: source('webhooks/dedupe-redis.ts') },
      { find: /^pathology-sdk\/webhooks\/postgres$/, replacement: source('webhooks/dedupe-postgres.ts') },
      { find: /^pathology-sdk\/testing$/, replacement: source('testing/index.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 15_000,
    hookTimeout: 15_000,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'html', 'json-summary'],
    },
  },
})
