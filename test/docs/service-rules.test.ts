import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { expect, it } from 'vitest'

import { ENDPOINTS } from '../../src/contract/endpoints.js'
import { ERROR_CODES } from '../../src/contract/error-codes.js'
import { DEFAULT_FAKE_OPTIONS } from '../../src/testing/options/fake-options.js'
import { ROOT, readPage } from './blocks.js'

const TEST = /`(test\/\S+\.ts)`/g

/** Files of the sources, the tests and the examples. */
const SOURCES = ['src', 'test', 'examples'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/node_modules|\.run/.test(path))
    .map((path) => join(folder, path)),
)

/** Rows of the tables of rules, with the files of their tests. */
const rules = readPage('docs/service-rules.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Rule |'))
  .map((rule) => ({ rule, tests: [...rule.matchAll(TEST)].map(([, file = '']) => file) }))

it('each rule of docs/service-rules.md names a test file that exists', () => {
  expect(rules.length).toBeGreaterThan(60)
  expect(rules.filter(({ tests }) => tests.length === 0)).toEqual([])
  expect(rules.flatMap(({ tests }) => tests).filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
})

it('each test file that docs/reliability.md names exists', () => {
  const files = [...readPage('docs/reliability.md').matchAll(TEST)].map(([, file = '']) => file)
  expect(files.length).toBeGreaterThan(60)
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
})

it('docs/service-rules.md names every endpoint', () => {
  const text = rules.map(({ rule }) => rule).join('\n')
  const missing = ENDPOINTS.map(({ method, path }) => `${method} ${path}`).filter(
    (one) => !text.includes(one),
  )
  expect(missing).toEqual([])
})

it('docs/service-rules.md names every option of the fake in docs/fake-options.md', () => {
  const page = readPage('docs/fake-options.md')
  expect(Object.keys(DEFAULT_FAKE_OPTIONS).filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([])
})

it('docs/service-rules.md names every error code', () => {
  const page = readPage('docs/service-rules.md')
  expect(Object.keys(ERROR_CODES).filter((code) => !page.includes(code))).toEqual([])
})

it('docs/service-rules.md has a heading for every section that the sources and the tests cite', () => {
  const cited = new Set(SOURCES.flatMap((path) => readPage(path).match(/§\d+(?:\.\d+)?/g) ?? []))
  const headings = [...readPage('docs/service-rules.md').matchAll(/^## (§\S+) /gm)].map(
    ([, section = '']) => section,
  )
  expect(cited.size).toBeGreaterThan(20)
  expect(
    [...cited].filter((section) => !headings.some((own) => own === section || own.startsWith(`${section}.`))),
  ).toEqual([])
})
