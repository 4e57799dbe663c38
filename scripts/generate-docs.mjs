// Writes the pages that are made from the sources: npm run docs:generate
import { writeFileSync } from 'node:fs'
import { GENERATED_PAGES, reliabilityPage } from './generated-docs/pages.mjs'

const pages = { ...GENERATED_PAGES, 'docs/reliability.md': reliabilityPage }
for (const [page, make] of Object.entries(pages)) {
  writeFileSync(new URL(`../${page}`, import.meta.url), make())
  console.log(`wrote ${page}`)
}
