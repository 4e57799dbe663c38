import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import project from '../../vitest.config.js'

// npx vitest run --config examples/testing/vitest.config.ts
// In a project of your own the aliases are not needed: there, pathology-sdk is installed.
export default defineConfig({
  ...(project.resolve === undefined ? {} : { resolve: project.resolve }),
  test: { root: fileURLToPath(new URL('.', import.meta.url)), include: ['**/*.test.ts'] },
})
