import { describe, expect, it } from 'vitest'

import { GENERATED_PAGES } from '../../scripts/generated-docs/pages.mjs'
import { ENDPOINTS } from '../../src/contract/endpoints.js'
import { readPage } from './blocks.js'

describe('pages made from the sources', () => {
  it.each(Object.entries(GENERATED_PAGES))('%s is up to date: npm run docs:generate', (page, make) => {
    expect(readPage(page)).toBe(make())
  })

  it('the short reference names the method of every endpoint, each with a sentence', () => {
    const lines = readPage('docs/api.md').split('\n')
    for (const { id } of ENDPOINTS) {
      expect(lines.find((line) => line.startsWith(`- [\`client.${id}(`))).toMatch(/\): \S.{10}/)
    }
  })
})
