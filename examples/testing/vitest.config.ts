import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import project from '../../vitest.config.js'

// npx vitest run --config examples/testing/vitest.config.ts
// Your own project does not need `resolve`: its aliases replace the installed package with the sources in this clone.
export default defineConfig({
  ...(project.resolve === undefined ? {} : { resolve: project.resolve }),
  test: { root: fileURLToPath(new URL('.', import.meta.url)), include: ['**/*.test.ts'] },
})
