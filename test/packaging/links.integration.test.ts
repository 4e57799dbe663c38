import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anchorOf } from '../../docs/.vitepress/markdown.mjs'
import { relativeLinks } from '../../scripts/readme-links.mjs'
import { pack, ROOT, run } from './consumer.js'

/** Text without its code blocks, in which nothing is a link or a heading. */
const withoutCode = (text: string) => text.replaceAll(/^(`{3,})[^`]*$[\s\S]*?^\1$/gm, '')

const anchorsIn = (text: string) =>
  [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))

/** Links of a page that lead to no file of the package, or to no heading of a page. */
function broken(page: string, pages: ReadonlyMap<string, string>, files: ReadonlySet<string>): string[] {
  return relativeLinks(withoutCode(pages.get(page) ?? '')).filter((link) => {
    const [path = '', anchor] = link.split('#')
    const target = posix.join(posix.dirname(page), path)
    const text = pages.get(target)
    return (
      !files.has(target) || (anchor !== undefined && text !== undefined && !anchorsIn(text).includes(anchor))
    )
  })
}

describe('the pages in the packed package', { timeout: 120_000 }, () => {
  let directory = ''
  let files: ReadonlySet<string> = new Set()
  const pages = new Map<string, string>()

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pathology-sdk-links-'))
    const list = await run('tar', ['-tzf', await pack(directory)], directory)
    files = new Set(list.split('\n').map((name) => name.replace('package/', '')))
    for (const name of files) {
      if (name.endsWith('.md')) pages.set(name, await readFile(join(ROOT, name), 'utf8'))
    }
  }, 120_000)
  afterAll(() => rm(directory, { recursive: true, force: true }))

  it('the packed pages include every guide, and link only to pages and images of the package', () => {
    expect([...pages.keys()].filter((page) => page.startsWith('docs/guides/')).length).toBeGreaterThan(15)
    const found = [...pages.keys()]
      // A release makes the links of these two absolute, or leaves them to the repository: see readme-links.mjs.
      .filter((page) => page !== 'README.md' && page !== 'SECURITY.md')
      .flatMap((page) => broken(page, pages, files).map((link) => `${page}: ${link}`))
      // Two tables name the tests that prove each row. Tests are only in the repository.
      .filter((link) => !/^docs\/(?:reliability|service-rules)\.md: \.\.\/test\//.test(link))
    expect(found).toEqual([])
  })

  it('the packed pages include the guides that the README names', () => {
    const guides = relativeLinks(pages.get('README.md') ?? '').filter((link) =>
      link.startsWith('docs/guides/'),
    )
    expect(guides.length).toBeGreaterThan(10)
    expect(broken('README.md', pages, files).filter((link) => link.startsWith('docs/guides/'))).toEqual([])
  })

  it('a link to a missing page, and one to a missing heading, are found', () => {
    const made = new Map([
      ['docs/a.md', '[x](b.md) [y](c.md#no) [z](c.md#yes)'],
      ['docs/c.md', '# Yes'],
    ])
    expect(broken('docs/a.md', made, new Set(['docs/c.md']))).toEqual(['b.md', 'c.md#no'])
  })

  it('the packed pages take 400 kB at most', () => {
    const bytes = [...pages.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    expect(bytes).toBeLessThan(400_000)
  })
})
