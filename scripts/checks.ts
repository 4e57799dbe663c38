// Writes src/contract/generated/checks.ts: npm run checks
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { checksText } from './checks/generate.js'

const path = fileURLToPath(new URL('../src/contract/generated/checks.ts', import.meta.url))
writeFileSync(path, checksText())
spawnSync('npx', ['biome', 'check', '--write', path], { stdio: 'inherit' })
console.log('wrote src/contract/generated/checks.ts')
