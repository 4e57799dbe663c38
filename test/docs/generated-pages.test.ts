import { describe, expect, it } from 'vitest'

import { GENERATED_PAGES } from '../../scripts/generated-docs/pages.mjs'
import { ENDPOINTS } from '../../src/contract/endpoints.js'
import { readPage } from './blocks.js'

describe('pages that are generated from the sources', () => {
  it.each(Object.entries(GENERATED_PAGES))('%s is up to date: npm run docs:generate', (page, make) => {
    const advice = `${page} is not what the sources say now: run npm run docs:generate and commit it`
    expect(readPage(page), advice).toBe(make())
  })

  it('the short reference has the method of every endpoint, each with a sentence', () => {
    const lines = readPage('docs/api.md').split('\n')
    for (const { id } of ENDPOINTS) {
      expect(lines.find((line) => line.startsWith(`- [\`client.${id}(`))).toMatch(/\): \S.{10}/)
    }
  })

  it('the short reference links each method to the file that declares it', () => {
    const entries = readPage('docs/api.md')
      .split('\n')
      .filter((line) => line.startsWith('- '))
    expect(entries.length).toBeGreaterThan(80)
    for (const entry of entries) {
      const [, name = '', path = ''] =
        /^- \[`(?:[\w~]+\.)*(\w+)\(.*?\)`\]\(\.\.\/(src\/\S+)\): /.exec(entry) ?? []
      expect(readPage(path), entry).toMatch(new RegExp(`\\b${name}\\b`))
    }
  })
})
