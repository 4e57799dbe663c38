import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

import { hideConstructors } from './constructors.js'
import { writeOut } from './write-out.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SRC = `${ROOT}src/`

/** Every entry of the package. */
const ENTRIES = [
  'client/index.ts',
  'forms/index.ts',
  'display/index.ts',
  'fhir/index.ts',
  'webhooks/index.ts',
  'stores/redis.ts',
  'stores/postgres.ts',
  'mirror/index.ts',
  'testing/index.ts',
] as const

/**
 * Modules whose declarations refer to internal types. The pattern finds the types to write out as fields or as a
 * union.
 */
const WRITTEN_OUT: Readonly<Record<string, RegExp>> = {
  'contract/types.ts': /\bz\.(infer|input)</,
  'contract/schemas/index.ts': /\bkeyof typeof /,
  'webhooks/verification/verification-error.ts': /\bkeyof typeof /,
  'webhooks/receiver/outcomes.ts': /\bkeyof typeof /,
  'testing/server/routes.ts': /\bRouteOf</,
  'testing/fake-pathology-service.ts': /\bBound</,
}

/**
 * Returns the declarations of `src/` by path, with three changes:
 *
 * - Types that are computed from zod's schemas or from tables become unions, or fields with their docstrings. Users
 * then see plain types, and compile without zod's types.
 * - The fake's control methods become plain methods.
 * - A class that the entries export only as a type gets a private constructor without parameters.
 */
export function declarations(): ReadonlyMap<string, string> {
  const program = createProgram()
  const emitted = emit(program)
  const change = (path: string, by: (text: string, source: ts.SourceFile) => string): void => {
    const name = path.replace(/\.ts$/, '.d.ts')
    const text = emitted.get(name)
    const source = program.getSourceFile(SRC + path)
    if (text === undefined || source === undefined) throw new Error(`${path} has no declarations`)
    emitted.set(name, by(text, source))
  }
  for (const [path, types] of Object.entries(WRITTEN_OUT)) {
    change(path, (text, source) => writeOut(program.getTypeChecker(), source, text, types))
  }
  const entries = ENTRIES.flatMap((path) => program.getSourceFile(SRC + path) ?? [])
  for (const [file, classes] of hideConstructors(program.getTypeChecker(), entries)) {
    change(relative(SRC, file).split(sep).join('/'), classes)
  }
  return emitted
}

const EMIT = { noEmit: false, declaration: true, emitDeclarationOnly: true, stripInternal: true } as const

function createProgram(): ts.Program {
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, ROOT)
  return ts.createProgram(
    ENTRIES.map((path) => SRC + path),
    { ...options, ...EMIT, rootDir: SRC, outDir: SRC },
  )
}

function emit(program: ts.Program): Map<string, string> {
  const emitted = new Map<string, string>()
  const { diagnostics } = program.emit(undefined, (path, text) => {
    emitted.set(relative(SRC, path).split(sep).join('/'), text)
  })
  const [problem] = diagnostics
  if (problem !== undefined) throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, '\n'))
  return emitted
}
