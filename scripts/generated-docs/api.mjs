import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Entries of the package. `roots`: classes and interfaces whose methods are listed, with the name of a variable for
 * each.
 */
const ENTRIES = [
  {
    name: 'pathology-sdk',
    file: 'src/client/index.ts',
    roots: [
      ['PathologyClient', 'client'],
      ['CursorIterator', 'list'],
      ['ApiPromise', 'promise'],
      ['PdfDocument', 'document'],
      ['CentreChanges', 'changes'],
      ['OrderOutcomeUnknownError', 'error'],
    ],
  },
  { name: 'pathology-sdk/forms', file: 'src/forms/index.ts', roots: [['OrderSchema', 'orderSchema']] },
  { name: 'pathology-sdk/display', file: 'src/display/index.ts', roots: [] },
  { name: 'pathology-sdk/fhir', file: 'src/fhir/index.ts', roots: [] },
  {
    name: 'pathology-sdk/webhooks',
    file: 'src/webhooks/index.ts',
    roots: [
      ['WebhookReceiver', 'receiver'],
      ['DedupeStore', 'dedupe'],
    ],
  },
  { name: 'pathology-sdk/redis', file: 'src/stores/redis.ts', roots: [['StoreChores', 'store']] },
  { name: 'pathology-sdk/postgres', file: 'src/stores/postgres.ts', roots: [['StoreChores', 'store']] },
  { name: 'pathology-sdk/mirror', file: 'src/mirror/index.ts', roots: [['Mirror', 'mirror']] },
  {
    name: 'pathology-sdk/testing',
    file: 'src/testing/index.ts',
    roots: [['FakePathologyService', 'fake']],
  },
]

/** Returns a page with one line for each listed method and each function, in the style of llms.txt. */
export function apiPage() {
  const program = createProgram()
  const sections = ENTRIES.map((entry) => section(program, entry))
  return `# API in short

<!-- \`npm run docs:generate\` writes this page. -->

> The methods and functions of pathology-sdk that a program calls, with one line and a link to the source for each. The
> docstrings there have the types, options and errors.

Nearly every method of the client takes \`{ signal, timeout, maxRetries, headers, apiVersion }\` as its last argument, some of them with more
options. (\`recordOrder\`, \`orderKeyOf\` and \`close\` have none, \`warmUp\` only \`signal\`.) What makes one request, except \`document\`,
returns a promise that also has \`withResponse()\`; a list is a \`CursorIterator\`. [Errors and retries](guides/errors-and-retries.md)
explains the errors.

${sections.join('\n\n')}
`
}

function createProgram() {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, ROOT)
  return ts.createProgram(
    ENTRIES.map(({ file }) => join(ROOT, file)),
    options,
  )
}

/**
 * @param {ts.Program} program
 * @param {(typeof ENTRIES)[number]} entry
 */
function section(program, { name, file, roots }) {
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(join(ROOT, file))
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error(`${file} is not a module`)
  const exported = new Map(
    checker.getExportsOfModule(module).map((symbol) => [symbol.name, resolved(checker, symbol)]),
  )
  const classes = roots.map(([root = '', as = '']) => {
    const symbol = exported.get(root)
    if (symbol === undefined) throw new Error(`${name} does not export ${root}`)
    return [`### ${root}`, ...rootLines(checker, symbol, as)].join('\n')
  })
  const functions = [...exported].flatMap(([exportName, symbol]) => {
    const type = symbol.valueDeclaration && checker.getTypeOfSymbol(symbol)
    const isClass = (symbol.flags & ts.SymbolFlags.Class) !== 0
    return type === undefined || isClass || type.getCallSignatures().length === 0
      ? []
      : [line(checker, symbol, exportName)]
  })
  return [
    `## ${name}`,
    ...classes,
    ...(functions.length > 0 ? [`### Functions\n${functions.join('\n')}`] : []),
  ].join('\n\n')
}

/**
 * @param {ts.TypeChecker} checker
 * @param {ts.Symbol} symbol
 */
function resolved(checker, symbol) {
  return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol)
}

/**
 * Returns a line for each method of a class or an interface, and for each method one level below, such as
 * `client.referrals.create`.
 *
 * @param {ts.TypeChecker} checker
 * @param {ts.Symbol} symbol
 * @param {string} as
 * @returns {string[]}
 */
function rootLines(checker, symbol, as) {
  const type = checker.getDeclaredTypeOfSymbol(symbol)
  const statics = checker
    .getPropertiesOfType(checker.getTypeOfSymbol(symbol))
    .filter((property) => property.name !== 'prototype' && isOwn(property) && isMethod(checker, property))
    .map((property) => line(checker, property, `${symbol.name}.${property.name}`))
  return [...statics, ...memberLines(checker, type, as, 1)]
}

/**
 * @param {ts.TypeChecker} checker
 * @param {ts.Type} type
 * @param {string} as
 * @param {number} depth
 * @returns {string[]}
 */
function memberLines(checker, type, as, depth) {
  return checker.getPropertiesOfType(type).flatMap((property) => {
    if (!isOwn(property) || isHidden(property)) return []
    if (isMethod(checker, property)) return [line(checker, property, `${as}.${property.name}`)]
    const below =
      depth > 0 ? memberLines(checker, typeOf(checker, property), `${as}.${property.name}`, depth - 1) : []
    return below
  })
}

/**
 * @param {ts.TypeChecker} checker
 * @param {ts.Symbol} symbol
 */
function typeOf(checker, symbol) {
  return checker.getNonNullableType(checker.getTypeOfSymbol(symbol))
}

/**
 * @param {ts.TypeChecker} checker
 * @param {ts.Symbol} symbol
 */
function isMethod(checker, symbol) {
  return typeOf(checker, symbol).getCallSignatures().length > 0
}

/** Members that are not listed, because every promise or error has them. */
const HIDDEN = new Set(['then', 'catch', 'finally', 'toJSON'])

/** @param {ts.Symbol} symbol */
function isHidden(symbol) {
  const isInternal = symbol.getJsDocTags().some(({ name }) => name === 'internal')
  return HIDDEN.has(symbol.name) || /^[_#]/.test(symbol.name) || isInternal
}

/**
 * Returns `true` when a symbol is declared in this project and is not private. Members of Array or Promise are not
 * listed.
 *
 * @param {ts.Symbol} symbol
 */
function isOwn(symbol) {
  const declaration = symbol.declarations?.[0]
  if (declaration === undefined) return false
  const path = relative(ROOT, declaration.getSourceFile().fileName)
  const isPrivate = (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Private) !== 0
  return path.startsWith(`src${sep}`) && !isPrivate
}

/**
 * @param {ts.TypeChecker} checker
 * @param {ts.Symbol} symbol
 * @param {string} name
 */
function line(checker, symbol, name) {
  // The last overload is the most general one.
  const signature = typeOf(checker, symbol).getCallSignatures().at(-1)
  const parameters = signature?.getParameters().flatMap((parameter) => parameterNames(checker, parameter))
  return `- [\`${name}(${parameters?.join(', ')})\`](${sourceLink(symbol, name)}): ${firstSentence(checker, symbol)}`
}

/**
 * Returns the link to the file that declares a symbol. The link has no line number, because each edit would change the
 * number.
 *
 * @param {ts.Symbol} symbol
 * @param {string} name
 */
function sourceLink(symbol, name) {
  const source = symbol.declarations?.[0]?.getSourceFile()
  if (source === undefined) throw new Error(`${name} has no declaration`)
  return `../${relative(ROOT, source.fileName).split(sep).join('/')}`
}

/**
 * Returns the name of a parameter; for a rest parameter, the names in its tuple.
 *
 * @param {ts.TypeChecker} checker
 * @param {ts.Symbol} parameter
 * @returns {string[]}
 */
function parameterNames(checker, parameter) {
  const declaration = parameter.valueDeclaration
  if (declaration === undefined || !ts.isParameter(declaration)) return [parameter.name]
  const type = checker.getTypeOfSymbol(parameter)
  if (declaration.dotDotDotToken === undefined || !checker.isTupleType(type))
    return [parameterName(declaration)]
  const { labeledElementDeclarations: labels = [] } = /** @type {ts.TupleType} */ (
    /** @type {ts.TypeReference} */ (type).target
  )
  return labels.flatMap((label) =>
    label !== undefined && ts.isParameter(label) ? [parameterName(label)] : [],
  )
}

/** @param {ts.ParameterDeclaration} declaration */
function parameterName({ name, questionToken, initializer, dotDotDotToken }) {
  const text = ts.isIdentifier(name) ? name.text.replace(/^_/, '') : patternText(name)
  const optional = questionToken !== undefined || initializer !== undefined
  return `${dotDotDotToken === undefined ? '' : '...'}${text}${optional ? '?' : ''}`
}

/**
 * @param {ts.TypeChecker} checker
 * @param {ts.Symbol} symbol
 */
function firstSentence(checker, symbol) {
  const text = (documentation(checker, symbol).split(/\n\s*\n|\n-/)[0] ?? '')
    .replaceAll(/\{@link\s+([^}|]+)(?:\|[^}]*)?\}/g, '`$1`')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const end = /[.:](?=\s+[A-Z`*]|$)/.exec(text)
  return (end === null ? text : text.slice(0, end.index)).trim()
}

/**
 * @param {ts.TypeChecker} checker
 * @param {ts.Symbol} symbol
 */
function documentation(checker, symbol) {
  const own = ts.displayPartsToString(symbol.getDocumentationComment(checker))
  const declaration = symbol.declarations?.[0]
  if (own !== '' || declaration === undefined) return own
  const value = namedValue(checker, declaration)
  return ts.displayPartsToString(value?.getDocumentationComment(checker))
}

/**
 * Returns the named value of an object's property; `undefined` if the value has no name.
 *
 * @param {ts.TypeChecker} checker
 * @param {ts.Declaration} declaration
 */
function namedValue(checker, declaration) {
  if (ts.isShorthandPropertyAssignment(declaration))
    return checker.getShorthandAssignmentValueSymbol(declaration)
  return ts.isPropertyAssignment(declaration)
    ? checker.getSymbolAtLocation(declaration.initializer)
    : undefined
}

/**
 * Returns the names in a destructured parameter.
 *
 * @param {ts.BindingPattern} pattern
 */
function patternText(pattern) {
  const names = pattern.elements.flatMap((element) =>
    ts.isBindingElement(element) && element.dotDotDotToken === undefined ? [element.name.getText()] : [],
  )
  return `{ ${names.join(', ')} }`
}
