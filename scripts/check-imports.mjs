import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { importViolations } from './import-rules.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const modules = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
  .map((file) => `src/${file.split(sep).join('/')}`)

const violations = modules.flatMap((file) => importViolations(file, readFileSync(join(root, file), 'utf8')))
for (const violation of violations) console.error(violation)
console.log(`Import directions: ${modules.length} modules checked, ${violations.length} violations`)
process.exitCode = violations.length === 0 ? 0 : 1
