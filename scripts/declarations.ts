// Writes the TypeScript declarations that the build bundles into the declarations of the package: part of npm run build
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { declarations } from './declarations/emit.js'

const OUT = fileURLToPath(new URL('../.declarations/', import.meta.url))

rmSync(OUT, { recursive: true, force: true })
for (const [path, text] of declarations()) {
  const file = join(OUT, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
