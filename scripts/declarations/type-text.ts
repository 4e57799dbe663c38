import { dirname, relative, sep } from 'node:path'
import ts from 'typescript'

const FLAGS = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseSingleQuotesForStringLiteralType

/** Generic aliases that compute a type. Their result is written out member by member. */
const MADE_BY = new Set(['Bound', 'Omit'])

/**
 * Writes the types of one module as text. A reader of the declarations then sees fields with their docstrings instead
 * of the expressions from which the compiler infers the types.
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

  /** Adds a name. From now on, an object type of the same shape is written as this name. */
  addName(name: string, type: ts.Type): void {
    this.#names.set(this.#shape(type), name)
  }

  /** Returns import declarations for the names that the texts use but that the module does not import. */
  imports(): string {
    return [...this.#imports]
      .map(([module, names]) => `import type { ${[...names].sort().join(', ')} } from '${module}'\n`)
      .join('')
  }

  /** Returns an object type as a literal, with each member and its docstring. */
  literal(type: ts.Type): string {
    const members = inSourceOrder(this.#checker.getPropertiesOfType(type))
    const texts = members.map(
      (member) => docstringOf(this.#checker, member) + this.#member(member, (of) => this.of(of)),
    )
    return `{\n${texts.join('')}}`
  }

  of(type: ts.Type): string {
    return this.#write(type, (object) => this.#names.get(this.#shape(object)) ?? this.literal(object))
  }

  /** Returns the text of the type behind the alias `name`. With `of`, a union would be written as the alias itself. */
  ofAlias(name: string, type: ts.Type): string {
    if (type.isUnion() && type.types.every((member) => member.isStringLiteral())) return this.#sorted(type)
    if (!type.isUnion() || type.aliasSymbol?.name !== name) return this.of(type)
    return this.#sorted(type)
  }

  /**
   * Sorts the members of a union, because the compiler's order depends on the place where it first reads each member.
   */
  #sorted({ types }: ts.UnionType): string {
    return types
      .map((member) => this.#checker.typeToString(member, this.#module, FLAGS))
      .toSorted()
      .join(' | ')
  }

  /**
   * Returns the text of an object type, without docstrings and with nested object types written out. Types with the
   * same shape have the same text.
   */
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

  /** Returns the element of a mutable list; `undefined` for any other type. Read-only lists keep their names. */
  #elementOf(type: ts.Type): ts.Type | undefined {
    if (!this.#checker.isArrayType(type) || type.symbol.name !== 'Array') return undefined
    return this.#checker.getIndexTypeOfType(type, ts.IndexKind.Number)
  }

  #holdsObject(type: ts.Type): boolean {
    const element = this.#elementOf(type)
    return this.#isObject(element ?? type)
  }

  /** Returns `true` when a type is an object type without a name of its own, or the result of an alias in `MADE_BY`. */
  #isObject(type: ts.Type): boolean {
    if (type.aliasSymbol !== undefined) return MADE_BY.has(type.aliasSymbol.name)
    const isObject = (type.flags & ts.TypeFlags.Object) !== 0
    const isNamed =
      type.isClassOrInterface() || this.#checker.isArrayType(type) || this.#checker.isTupleType(type)
    return isObject && !isNamed && type.getCallSignatures().length === 0 && type.getProperties().length > 0
  }

  #name(type: ts.Type): string {
    const text = this.#checker.typeToString(type, this.#module, FLAGS)
    // The compiler invents a name such as `rest_0` for a destructured parameter.
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

/** Returns members in the order of their source, because the compiler lists optional members last. */
function inSourceOrder(members: readonly ts.Symbol[]): ts.Symbol[] {
  const files = new Set(members.map(({ declarations }) => declarations?.[0]?.getSourceFile()))
  if (files.size > 1) return [...members]
  const start = ({ declarations }: ts.Symbol): number => declarations?.[0]?.getStart() ?? 0
  return members.toSorted((a, b) => start(a) - start(b))
}

/** Returns the place of a type in a union: other types first, then `null`, then `undefined`. */
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

/** Returns the docstring of a member as in the source, with a line end; '' if it has none. */
function docstringOf(checker: ts.TypeChecker, symbol: ts.Symbol): string {
  const [declaration] = symbol.declarations ?? []
  if (declaration === undefined) return ''
  const functions = heldBy(checker, declaration)?.declarations?.filter(ts.isFunctionDeclaration) ?? []
  const [doc] = [declaration, ...functions].flatMap((node) =>
    ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc),
  )
  return doc === undefined ? '' : `${doc.getText()}\n`
}

/** Returns the named value of a property of an object literal; `undefined` if the value has no name. */
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
