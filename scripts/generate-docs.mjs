// Writes the pages of docs/ that are generated from the sources: npm run docs:generate
import { writeFileSync } from 'node:fs'
import { GENERATED_PAGES } from './generated-docs/pages.mjs'

for (const [page, make] of Object.entries(GENERATED_PAGES)) {
  writeFileSync(new URL(`../${page}`, import.meta.url), make())
  console.log(`wrote ${page}`)
}
