import { dirname, relative, sep } from 'node:path'
import ts from 'typescript'

const FLAGS = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseSingleQuotesForStringLiteralType

/** Aliases that only compute a type: their members are written out. */
const MADE_BY = new Set(['Bound', 'Omit'])

/**
 * Writes the types of one module as text, so that a reader of the declarations sees fields with their
 * docstrings instead of the expressions from which they are inferred.
 */
export class TypeText {
  readonly #checker: ts.TypeChecker
  readonly #module: ts.SourceFile
  readonly #names = new Map<string, string>()
  readonly #imports = new Map<string, Set<string>>()

  constructor(checker: ts.TypeChecker, module: ts.SourceFile) {
    this.#checker = checker
    this.#module = module
  }

  /** From now on, an object type of this shape is written as `name`. */
  addName(name: string, type: ts.Type): void {
    this.#names.set(this.#shape(type), name)
  }

  /** Import declarations for names that the texts use and the module does not import. */
  imports(): string {
    return [...this.#imports]
      .map(([module, names]) => `import type { ${[...names].sort().join(', ')} } from '${module}'\n`)
      .join('')
  }

  /** An object type as a literal, member by member, each with its docstring. */
  literal(type: ts.Type): string {
    const members = inSourceOrder(this.#checker.getPropertiesOfType(type))
    const texts = members.map(
      (member) => docstringOf(this.#checker, member) + this.#member(member, (of) => this.of(of)),
    )
    return `{\n${texts.join('')}}`
  }

  /** Any type. */
  of(type: ts.Type): string {
    return this.#write(type, (object) => this.#names.get(this.#shape(object)) ?? this.literal(object))
  }

  /** The text of the type behind the alias `name`: otherwise a union would be written as that name. */
  ofAlias(name: string, type: ts.Type): string {
    if (type.isUnion() && type.types.every((member) => member.isStringLiteral())) return this.#sorted(type)
    if (!type.isUnion() || type.aliasSymbol?.name !== name) return this.of(type)
    return this.#sorted(type)
  }

  /** The compiler sorts the members of a union by the place where it first reads each of them. */
  #sorted({ types }: ts.UnionType): string {
    return types
      .map((member) => this.#checker.typeToString(member, this.#module, FLAGS))
      .toSorted()
      .join(' | ')
  }

  /** An object type without names and docstrings: types with the same text are the same. */
  #shape(type: ts.Type): string {
    const of = (inner: ts.Type): string => this.#write(inner, (object) => this.#shape(object))
    const members = this.#checker.getPropertiesOfType(type).map((member) => this.#member(member, of))
    return `{${members.sort().join('')}}`
  }

  #member(member: ts.Symbol, of: (type: ts.Type) => string): string {
    const optional = (member.flags & ts.SymbolFlags.Optional) !== 0 ? '?' : ''
    const readonly = isReadonly(member) ? 'readonly ' : ''
    return `${readonly}${member.name}${optional}: ${of(this.#checker.getTypeOfSymbol(member))};\n`
  }

  #write(type: ts.Type, object: (type: ts.Type) => string): string {
    const of = (inner: ts.Type): string => this.#write(inner, object)
    const element = this.#elementOf(type)
    if (element !== undefined) return `${grouped(of(element))}[]`
    if (type.isUnion() && type.types.some((part) => this.#holdsObject(part))) {
      return type.types
        .toSorted((a, b) => absence(a) - absence(b))
        .map(of)
        .join(' | ')
    }
    if (type.isIntersection() && type.types.some((part) => this.#isObject(part))) {
      return type.types.map((part) => grouped(of(part))).join(' & ')
    }
    return this.#isObject(type) ? object(type) : this.#name(type)
  }

  /** The element of a mutable list; other lists keep their names. */
  #elementOf(type: ts.Type): ts.Type | undefined {
    if (!this.#checker.isArrayType(type) || type.symbol.name !== 'Array') return undefined
    return this.#checker.getIndexTypeOfType(type, ts.IndexKind.Number)
  }

  #holdsObject(type: ts.Type): boolean {
    const element = this.#elementOf(type)
    return this.#isObject(element ?? type)
  }

  /** An object type without a name of its own. */
  #isObject(type: ts.Type): boolean {
    if (type.aliasSymbol !== undefined) return MADE_BY.has(type.aliasSymbol.name)
    const isObject = (type.flags & ts.TypeFlags.Object) !== 0
    const isNamed =
      type.isClassOrInterface() || this.#checker.isArrayType(type) || this.#checker.isTupleType(type)
    return isObject && !isNamed && type.getCallSignatures().length === 0 && type.getProperties().length > 0
  }

  #name(type: ts.Type): string {
    const text = this.#checker.typeToString(type, this.#module, FLAGS)
    // A destructured parameter has no name.
    return text
      .replaceAll(/\brest_\d+\b/g, 'options')
      .replaceAll(/import\("([^"]+)"(?:, \{[^}]*\})?\)\.(\w+)/g, (_whole, module: string, name: string) => {
        const names = this.#imports.get(this.#specifier(module)) ?? new Set()
        this.#imports.set(this.#specifier(module), names.add(name))
        return name
      })
  }

  #specifier(module: string): string {
    if (!module.includes('/src/')) return module
    const path = relative(dirname(this.#module.fileName), module).split(sep).join('/')
    return `${path.startsWith('.') ? path : `./${path}`}.js`.replace(/\.js\.js$/, '.js')
  }
}

/** The compiler lists optional members last; the schemas keep their own order. */
function inSourceOrder(members: readonly ts.Symbol[]): ts.Symbol[] {
  const files = new Set(members.map(({ declarations }) => declarations?.[0]?.getSourceFile()))
  if (files.size > 1) return [...members]
  const start = ({ declarations }: ts.Symbol): number => declarations?.[0]?.getStart() ?? 0
  return members.toSorted((a, b) => start(a) - start(b))
}

/** Sorts `undefined` and `null` last. */
function absence({ flags }: ts.Type): number {
  if ((flags & ts.TypeFlags.Undefined) !== 0) return 2
  return (flags & ts.TypeFlags.Null) !== 0 ? 1 : 0
}

function grouped(text: string): string {
  return / [|&] |=>/.test(text) ? `(${text})` : text
}

function isReadonly(symbol: ts.Symbol): boolean {
  const [declaration] = symbol.declarations ?? []
  if (declaration === undefined) return false
  return (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Readonly) !== 0
}

/** The docstring of a member as in the source, with a line end; '' without one. */
function docstringOf(checker: ts.TypeChecker, symbol: ts.Symbol): string {
  const [declaration] = symbol.declarations ?? []
  if (declaration === undefined) return ''
  const functions = heldBy(checker, declaration)?.declarations?.filter(ts.isFunctionDeclaration) ?? []
  const [doc] = [declaration, ...functions].flatMap((node) =>
    ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc),
  )
  return doc === undefined ? '' : `${doc.getText()}\n`
}

/** The named type of a property of an object literal, if it has one. */
function heldBy(checker: ts.TypeChecker, declaration: ts.Declaration): ts.Symbol | undefined {
  if (ts.isShorthandPropertyAssignment(declaration)) {
    return aliased(checker, checker.getShorthandAssignmentValueSymbol(declaration))
  }
  if (!ts.isPropertyAssignment(declaration)) return undefined
  return aliased(checker, checker.getSymbolAtLocation(declaration.initializer))
}

function aliased(checker: ts.TypeChecker, symbol: ts.Symbol | undefined): ts.Symbol | undefined {
  const isAlias = symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0
  return isAlias ? checker.getAliasedSymbol(symbol) : symbol
}
