import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { ENDPOINTS } from '../../src/contract/endpoints.js'
import { ERROR_CODES } from '../../src/contract/error-codes.js'
import { DEFAULT_FAKE_OPTIONS } from '../../src/testing/options/fake-options.js'
import { ROOT, readPage } from './blocks.js'

const ROW = /^\| §(?<section>\d)\S*(?: rule \d+)? \| (?<rule>.*?) \| (?<fake>.*?) \| (?<tests>.*?) \| .*\|$/
const TEST = /\[[^\]]+\]\(\.\.\/(?<file>\S+)\): “(?<title>[^”]*)”/g

/** Rows of the table of rules, with the files and titles of the tests that show them. */
const rules = readPage('docs/fake.md')
  .split('\n')
  .flatMap((line) => {
    const { section, rule = '', tests = '' } = ROW.exec(line)?.groups ?? {}
    const named = [...tests.matchAll(TEST)].map(({ groups: { file = '', title = '' } = {} }) => ({
      file,
      title: title.replaceAll(/\\([<>*_{}[\]|])/g, '$1'),
    }))
    return section === undefined ? [] : [{ section: Number(section), rule, tests: named }]
  })

describe('the rules of docs/fake.md', () => {
  it('each name a test, and the tests exist', () => {
    const hasTest = ({ file, title }: { file: string; title: string }): boolean =>
      existsSync(join(ROOT, file)) && readFileSync(join(ROOT, file), 'utf8').includes(title)
    expect(rules.length).toBeGreaterThan(60)
    expect(rules.filter(({ tests }) => tests.length === 0)).toEqual([])
    expect(rules.flatMap(({ tests }) => tests.filter((test) => !hasTest(test)))).toEqual([])
  })

  it('follow the sections from the first to the last', () => {
    const sections = rules.map(({ section }) => section)
    expect(new Set(sections)).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8, 9]))
    expect(sections).toEqual(sections.toSorted())
  })

  it('speak of every endpoint', () => {
    const text = rules.map(({ rule }) => rule).join('\n')
    const missing = ENDPOINTS.map(({ method, path }) => `${method} ${path}`).filter(
      (one) => !text.includes(one),
    )
    expect(missing).toEqual([])
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
