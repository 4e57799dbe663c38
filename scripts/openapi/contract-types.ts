import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MODULES = ['src/contract/types.ts', 'src/contract/events.ts'] as const

/**
 * The contract's types, read by the compiler. They have the docstrings and the events, which the schemas do not
 * contain.
 */
export interface ContractTypes {
  /** Returns the docstring of an exported type on one line; '' if it has none. */
  docOf(name: string): string
  /** Returns the fields of an exported type; `undefined` if the type does not exist. */
  fieldsOf(name: string): readonly ContractField[] | undefined
}

export interface ContractField {
  readonly name: string
  readonly doc: string
  /** Returns the fields of the field's own type, or of the entries if the type is a list. */
  readonly fields: () => readonly ContractField[]
}

export function readContractTypes(): ContractTypes {
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, ROOT)
  const program = ts.createProgram(
    MODULES.map((file) => ROOT + file),
    options,
  )
  const checker = program.getTypeChecker()
  const exported = new Map(MODULES.flatMap((file) => exportsOf(program, checker, ROOT + file)))
  return {
    docOf: (name) => docOf(checker, exported.get(name)),
    fieldsOf: (name) => {
      const symbol = exported.get(name)
      return symbol && fieldsOf(checker, checker.getDeclaredTypeOfSymbol(symbol))
    },
  }
}

function exportsOf(program: ts.Program, checker: ts.TypeChecker, file: string): [string, ts.Symbol][] {
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error(`${file} is not a module`)
  return checker.getExportsOfModule(module).map((symbol) => [symbol.name, symbol])
}

function docOf(checker: ts.TypeChecker, symbol: ts.Symbol | undefined): string {
  const text = ts.displayPartsToString(symbol?.getDocumentationComment(checker))
  return text.replaceAll(/\{@link ([^}]+)\}/g, '`$1`').replaceAll(/\s+/g, ' ')
}

function fieldsOf(checker: ts.TypeChecker, type: ts.Type): readonly ContractField[] {
  return checker.getPropertiesOfType(type).map((symbol) => {
    const fieldType = checker.getTypeOfSymbol(symbol)
    return {
      name: symbol.name,
      doc: docOf(checker, symbol),
      fields: () => objectFieldsOf(checker, checker.getNonNullableType(fieldType)),
    }
  })
}

function objectFieldsOf(checker: ts.TypeChecker, type: ts.Type): readonly ContractField[] {
  const element = checker.isArrayType(type)
    ? checker.getIndexTypeOfType(type, ts.IndexKind.Number)
    : undefined
  const held = element ?? type
  return (held.flags & ts.TypeFlags.Object) === 0 ? [] : fieldsOf(checker, held)
}
