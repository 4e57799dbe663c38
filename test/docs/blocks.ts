import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A fenced block of a Markdown page. */
export interface CodeBlock {
  /** The page, relative to the project. */
  readonly page: string
  /** The line of the opening fence, from 1. */
  readonly line: number
  /** The first word after the fence. */
  readonly language: string
  /** ` ```ts run `: the block is run as well. */
  readonly runs: boolean
  readonly code: string
}

/** Pages that users read on the Web or in the package, without the built site. */
export function markdownPages(): string[] {
  const guides = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((path) => join('docs', path))
    .filter((path) => path.endsWith('.md') && !/node_modules|^docs.reference/.test(path))
  const top = readdirSync(ROOT).filter((name) => name.endsWith('.md'))
  const examples = readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.md'))
  return [...top, ...guides, ...examples.map((name) => join('examples', name))].sort()
}

export function readPage(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8')
}

const FENCE = /^(?<fence>`{3,})(?<info>[^`]*)$/

/** The fenced blocks of a page. A fence that is never closed is an error. */
export function codeBlocks(page: string, text = readPage(page)): CodeBlock[] {
  const blocks: CodeBlock[] = []
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at += 1) {
    const { fence, info } = FENCE.exec(lines[at] ?? '')?.groups ?? {}
    if (fence === undefined || info === undefined) continue
    const end = lines.indexOf(fence, at + 1)
    if (end === -1) throw new Error(`${page}:${at + 1}: the fence is never closed`)
    const [language = '', ...marks] = info.trim().split(/\s+/)
    const strange = marks.find((mark) => mark !== 'run')
    if (strange !== undefined) throw new Error(`${page}:${at + 1}: ${strange} is no mark of a block`)
    const code = lines.slice(at + 1, end).join('\n')
    blocks.push({ page, line: at + 1, language, runs: marks.includes('run'), code })
    at = end
  }
  return blocks
}

export function allBlocks(): CodeBlock[] {
  return markdownPages().flatMap((page) => codeBlocks(page))
}

const EXAMPLE = /^ *\* @example\n *\* ```ts\n(?<code>[\s\S]*?)\n *\* ```$/gm

/** Examples in the docstrings of the client's methods. */
export function docstringExamples(): CodeBlock[] {
  const folder = join('src', 'client', 'resources')
  return readdirSync(join(ROOT, folder)).flatMap((name) => {
    const page = join(folder, name)
    const text = readPage(page)
    return [...text.matchAll(EXAMPLE)].map(({ index, groups }) => ({
      page,
      line: text.slice(0, index).split('\n').length + 1,
      language: 'ts',
      runs: false,
      code: (groups?.['code'] ?? '').replaceAll(/^ *\* ?/gm, ''),
    }))
  })
}

/** Place of a block, for a message. */
export function placeOf({ page, line }: Pick<CodeBlock, 'page' | 'line'>): string {
  return `${relative(ROOT, join(ROOT, page))}:${line}`
}
