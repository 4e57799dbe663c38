import { join } from 'node:path'
import ts from 'typescript'
import { type CodeBlock, placeOf, ROOT } from './blocks.js'

/** File endings by the language of a block. Anything else is not checked. */
export const CHECKED_LANGUAGES: ReadonlyMap<string, string> = new Map([
  ['ts', 'ts'],
  ['js', 'js'],
  ['cjs', 'cjs'],
])

/** Declarations that all pages share, so that blocks do not repeat them. */
export const GIVEN = `
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

/**
 * All errors that TypeScript finds in the blocks, each with its place in the page. One program compiles all
 * blocks.
 */
export function typeProblems(blocks: readonly CodeBlock[]): string[] {
  const files = new Map<string, { readonly code: string; readonly block?: CodeBlock }>()
  for (const block of blocks) {
    const ending = CHECKED_LANGUAGES.get(block.language)
    if (ending !== undefined) {
      files.set(join(ROOT, `${block.page}.${block.line}.${ending}`), { code: block.code, block })
    }
  }
  const given = join(ROOT, 'docs', 'given.ts')
  files.set(given, { code: GIVEN })
  const options = docsOptions()
  const program = ts.createProgram([...files.keys()], options, overlay(options, files))
  return [...files].flatMap(([path, { block }]) => {
    const source = program.getSourceFile(path)
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
    return found.map((problem) => describeProblem(problem, block))
  })
}

/** The project's settings without the two rules about unused names, because blocks are excerpts. */
function docsOptions(): ts.CompilerOptions {
  const { config, error } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile)
  if (error !== undefined) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, '\n'))
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, ROOT)
  return { ...options, noUnusedLocals: false, noUnusedParameters: false, experimentalDecorators: true }
}

function overlay(
  options: ts.CompilerOptions,
  files: ReadonlyMap<string, { readonly code: string }>,
): ts.CompilerHost {
  const host = ts.createCompilerHost(options)
  return {
    ...host,
    fileExists: (path) => files.has(path) || host.fileExists(path),
    readFile: (path) => files.get(path)?.code ?? host.readFile(path),
    getSourceFile: (path, languageVersion, ...rest) => {
      const code = files.get(path)?.code
      return code === undefined
        ? host.getSourceFile(path, languageVersion, ...rest)
        : ts.createSourceFile(path, code, languageVersion)
    },
  }
}

function describeProblem({ file, start, messageText }: ts.Diagnostic, block: CodeBlock | undefined): string {
  const text = ts.flattenDiagnosticMessageText(messageText, '\n')
  if (file === undefined || start === undefined || block === undefined) return text
  const { line } = file.getLineAndCharacterOfPosition(start)
  return `${placeOf({ page: block.page, line: block.line + 1 + line })} ${text}`
}
