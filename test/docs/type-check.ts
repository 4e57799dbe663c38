import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { typeErrors } from '../support/type-errors.js'
import { type CodeBlock, ROOT } from './blocks.js'

/** File endings by the language of a block. Anything else is not checked. */
export const CHECKED_LANGUAGES: ReadonlyMap<string, string> = new Map([
  ['ts', 'ts'],
  ['js', 'js'],
  ['cjs', 'cjs'],
])

/** Declarations that all pages share, so that blocks do not repeat them. */
const GIVEN = `
import type { Order, PathologyClient } from 'pathology-sdk'
declare global {
  /** Set up as in "Getting started". */
  const client: PathologyClient
  /** An order that the service accepts. */
  const order: Order
  /** Id of a referral, a result or a centre. */
  const uuid: string
  /** Id of a webhook. */
  const id: string
}
`

/** The project's settings without the two rules about unused names, because blocks are excerpts. */
const settingsFor = (files: readonly string[]) => ({
  extends: join(ROOT, 'tsconfig.json'),
  compilerOptions: { noUnusedLocals: false, noUnusedParameters: false, experimentalDecorators: true },
  files: [...files, join(ROOT, 'src/undici-agent.d.ts')],
  include: [],
})

/** `docs/page.md.12.ts(3,1): error TS2345: text` of the compiler. */
const PROBLEM = /^(?<page>\S+)\.(?<block>\d+)\.\w+\((?<line>\d+),\d+\): error (?<text>.*)$/

/**
 * All errors that TypeScript finds in the blocks, each with its place in the page. One program compiles all
 * blocks.
 */
export async function typeProblems(blocks: readonly CodeBlock[]): Promise<string[]> {
  const folder = await mkdtemp(join(ROOT, 'test', 'docs', '.run-'))
  try {
    const files = new Map([['given.ts', GIVEN]])
    for (const { page, line, language, code } of blocks) {
      const ending = CHECKED_LANGUAGES.get(language)
      if (ending !== undefined) files.set(`${page}.${line}.${ending}`, code)
    }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settingsFor([...files.keys()])))
    for (const [path, code] of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), code)
    }
    return (await typeErrors(folder, '-p', folder)).map(placed)
  } finally {
    await rm(folder, { recursive: true })
  }
}

function placed(problem: string): string {
  const { page, block, line, text } = PROBLEM.exec(problem)?.groups ?? {}
  return page === undefined ? problem : `${page}:${Number(block) + Number(line)} ${text}`
}
