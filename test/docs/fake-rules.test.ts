import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { FAKE_RULES } from '../../scripts/generated-docs/fake.mjs'
import { ENDPOINTS } from '../../src/contract/endpoints.js'
import { ERROR_CODES } from '../../src/contract/error-codes.js'
import { DEFAULT_FAKE_OPTIONS } from '../../src/testing/options/fake-options.js'
import { ROOT, readPage } from './blocks.js'

const named = FAKE_RULES.flatMap(({ at, rule, tests }) =>
  tests.map(([file, title]) => [`§${at} ${rule}`, `test/${file}.test.ts`, title] as const),
)

describe('the rules of docs/fake.md', () => {
  it.each(named)('%s: %s has the test it names', (_rule, file, title) => {
    const path = join(ROOT, file)
    expect(existsSync(path)).toBe(true)
    expect(readFileSync(path, 'utf8')).toContain(title)
  })

  it('each name a test', () => {
    expect(FAKE_RULES.filter(({ tests }) => tests.length === 0)).toEqual([])
  })

  it('follow the sections from the first to the last', () => {
    const sections = FAKE_RULES.map(({ at }) => Number.parseFloat(at) * 100 + (at.split('.')[1]?.length ?? 0))
    expect(new Set(sections.map((section) => Math.floor(section / 100)))).toEqual(
      new Set([1, 2, 3, 4, 5, 6, 7, 8, 9]),
    )
    expect(sections.map((section) => Math.floor(section / 100))).toEqual(
      sections.map((section) => Math.floor(section / 100)).toSorted(),
    )
  })

  it.each(ENDPOINTS.map(({ method, path }) => `${method} ${path}`))('speak of %s', (endpoint) => {
    expect(FAKE_RULES.map(({ rule }) => rule).join('\n')).toContain(endpoint)
  })

  it('leave no option of the fake out of the page', () => {
    const page = readPage('docs/fake.md')
    expect(Object.keys(DEFAULT_FAKE_OPTIONS).filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([])
  })

  it('speak of every error code', () => {
    const page = readPage('docs/fake.md')
    expect(Object.keys(ERROR_CODES).filter((code) => !page.includes(code))).toEqual([])
  })
})
