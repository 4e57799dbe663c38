import ts from 'typescript'

import { type Splice, spliced } from './splice.js'
import { TypeText } from './type-text.js'

/** An emitted declaration whose type is to be written out as fields. */
interface Found {
  readonly node: ts.InterfaceDeclaration | ts.TypeNode
  readonly name: string
  /** Name of the class, if the declaration is a property of a class. */
  readonly owner?: string
}

/** Returns the declarations of a module with every type that matches `types` written out. */
export function writeOut(
  checker: ts.TypeChecker,
  source: ts.SourceFile,
  emitted: string,
  types: RegExp,
): string {
  const file = ts.createSourceFile('emitted.d.ts', emitted, ts.ScriptTarget.Latest, true)
  const text = new TypeText(checker, source)
  const found = file.statements
    .flatMap((statement) => foundIn(statement))
    .filter(({ node }) => types.test(node.getText()))
  const typed = found.map((entry) => ({ ...entry, type: typeOf(checker, source, entry) }))
  for (const { node, name, type } of typed) if (ts.isInterfaceDeclaration(node)) text.addName(name, type)
  const splices = typed.map(({ node, name, type }): Splice => {
    if (!ts.isInterfaceDeclaration(node)) return { node, text: text.ofAlias(name, type) }
    return { node, text: `export interface ${name} ${text.literal(type)}` }
  })
  return formatted(withoutUnusedImports(text.imports() + spliced(file, splices)))
}

function foundIn(statement: ts.Statement): Found[] {
  if (ts.isInterfaceDeclaration(statement)) return [{ node: statement, name: statement.name.text }]
  if (ts.isTypeAliasDeclaration(statement)) return [{ node: statement.type, name: statement.name.text }]
  if (!ts.isClassDeclaration(statement)) return []
  return statement.members.flatMap((member) => {
    if (!ts.isPropertyDeclaration(member) || member.type === undefined) return []
    return [{ node: member.type, name: member.name.getText(), owner: statement.name?.text ?? '' }]
  })
}

function typeOf(checker: ts.TypeChecker, source: ts.SourceFile, { name, owner }: Found): ts.Type {
  const module = checker.getSymbolAtLocation(source)
  const exported =
    module && checker.getExportsOfModule(module).find((symbol) => symbol.name === (owner ?? name))
  if (exported === undefined) throw new Error(`${source.fileName} does not export ${owner ?? name}`)
  const type = checker.getDeclaredTypeOfSymbol(exported)
  if (owner === undefined) return type
  const property = type.getProperty(name)
  if (property === undefined) throw new Error(`${owner} has no ${name}`)
  return checker.getTypeOfSymbol(property)
}

/** Removes unused imports, which would stay in the published declarations. */
function withoutUnusedImports(text: string): string {
  const file = ts.createSourceFile('written.d.ts', text, ts.ScriptTarget.Latest, true)
  const imports = file.statements.filter(ts.isImportDeclaration)
  const rest = text.slice(Math.max(0, ...imports.map((node) => node.getEnd())))
  const unused = imports.filter(
    (node) => !namesOf(node).some((name) => new RegExp(`\\b${name}\\b`).test(rest)),
  )
  return spliced(
    file,
    unused.map((node) => ({ node, text: '' })),
  )
}

function namesOf({ importClause }: ts.ImportDeclaration): string[] {
  const bindings = importClause?.namedBindings
  if (bindings === undefined) return []
  return ts.isNamespaceImport(bindings)
    ? [bindings.name.text]
    : bindings.elements.map(({ name }) => name.text)
}

function formatted(text: string): string {
  return ts.createPrinter().printFile(ts.createSourceFile('written.d.ts', text, ts.ScriptTarget.Latest))
}
