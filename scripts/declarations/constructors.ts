import ts from 'typescript'

import { spliced } from './splice.js'

type Change = (text: string) => string

/** A class that the entries export only as a type gets a private constructor. Returns the changes by module path. */
export function hideConstructors(
  checker: ts.TypeChecker,
  entries: readonly ts.SourceFile[],
): ReadonlyMap<string, Change> {
  const constructed = new Set(entries.flatMap((entry) => exportsOf(checker, entry, 'values')))
  const classes = entries
    .flatMap((entry) => exportsOf(checker, entry, 'types'))
    .filter((symbol) => (symbol.flags & ts.SymbolFlags.Class) !== 0 && !constructed.has(symbol))
  const names = new Map<string, Set<string>>()
  for (const symbol of classes) {
    const file = symbol.valueDeclaration?.getSourceFile().fileName ?? ''
    names.set(file, (names.get(file) ?? new Set()).add(symbol.name))
  }
  return new Map([...names].map(([file, hidden]) => [file, (text) => withPrivateConstructors(text, hidden)]))
}

function exportsOf(checker: ts.TypeChecker, entry: ts.SourceFile, kind: 'types' | 'values'): ts.Symbol[] {
  return entry.statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement) || statement.exportClause === undefined) return []
    if (!ts.isNamedExports(statement.exportClause)) return []
    return statement.exportClause.elements
      .filter(({ isTypeOnly }) => (statement.isTypeOnly || isTypeOnly) === (kind === 'types'))
      .map(({ name }) => checker.getAliasedSymbol(checker.getSymbolAtLocation(name) ?? unknown(name)))
  })
}

function unknown(name: ts.ModuleExportName): never {
  throw new Error(`${name.text} is exported but does not exist`)
}

function withPrivateConstructors(text: string, classes: ReadonlySet<string>): string {
  const file = ts.createSourceFile('emitted.d.ts', text, ts.ScriptTarget.Latest, true)
  const constructors = file.statements
    .filter(ts.isClassDeclaration)
    .filter(({ name }) => name !== undefined && classes.has(name.text))
    .flatMap(({ members }) => members.filter(ts.isConstructorDeclaration))
  return spliced(
    file,
    constructors.map((node) => ({ node, text: 'private constructor();' })),
  )
}
