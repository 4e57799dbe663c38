import { expect, it } from 'vitest'
import { httpPages } from '../../scripts/site/http.mjs'
import { ENDPOINTS } from '../../src/contract/endpoints.js'
import { codeBlocks } from './blocks.js'
import { typeProblems } from './type-check.js'

const PAGES = httpPages(new Map()).slice(1)
const BLOCKS = PAGES.flatMap(([page, text]) => codeBlocks(page, text.replaceAll(/^(```\w+) \[.*\]$/gm, '$1')))
const codeIn = (language: string) => BLOCKS.filter((block) => block.language === language)

it('the pages of the HTTP interface show each operation as a call of the client that compiles (§4)', {
  timeout: 120_000,
}, async () => {
  const calls = codeIn('ts').map(({ code }) => /client\.([\w.]+)\(/.exec(code)?.[1])
  expect(calls.sort()).toEqual(ENDPOINTS.map(({ id }) => id).sort())
  expect(await typeProblems(BLOCKS)).toEqual([])
})

it('the pages of the HTTP interface show each operation with curl, its Accept header, its body and no placeholder (§2)', () => {
  const commands = codeIn('bash').map(({ code }) => code)
  expect(commands).toHaveLength(ENDPOINTS.length + 1)
  for (const command of commands.filter((text) => !text.includes('/oauth/token')))
    expect(command).toContain('-H "Accept: application/vnd.svc.v1.1.0+json"')
  const written = ENDPOINTS.filter((endpoint) => 'body' in endpoint)
  expect(commands.filter((text) => text.includes("-d '{"))).toHaveLength(written.length)
  expect(commands.join('\n')).not.toMatch(/\{\w+\}|undefined|"string"/)
})

it('the pages of the HTTP interface show the body of each success response', () => {
  expect(codeIn('json').length).toBeGreaterThanOrEqual(ENDPOINTS.length)
  for (const { code } of codeIn('json')) expect(() => JSON.parse(code)).not.toThrow()
})
