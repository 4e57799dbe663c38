import { expect, it } from 'vitest'
import { readPage } from './blocks.js'

const page = readPage('docs/twelve-methods.md')

it('the page of the twelve methods has twelve methods, all of them in the short reference', () => {
  const methods = [...page.matchAll(/^\*\*\d+\. `(\S+)`\*\*/gm)].map(([, name]) => name)
  expect(methods).toHaveLength(12)
  for (const method of methods) expect(readPage('docs/api.md')).toContain(`[\`client.${method}(`)
})

it('the page of the twelve methods has every option of the client, in the two groups and the order of the source', () => {
  const [daily = '', advanced = ''] =
    page.split('## Options for every day')[1]?.split('## Advanced options') ?? []
  const rows = (text: string) => [...text.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  const [, source = ''] = readPage('src/client/options.ts').split('export interface ClientOptions {')
  const [first = '', second = ''] = (source.split('\n}\n')[0] ?? '').split('// Advanced:')
  const options = (text: string) => [...text.matchAll(/^ {2}readonly (\w+)\?:/gm)].map(([, name]) => name)
  expect(options(first).length).toBeGreaterThan(5)
  expect(rows(daily)).toEqual(options(first))
  expect(rows(advanced)).toEqual(options(second))
})
