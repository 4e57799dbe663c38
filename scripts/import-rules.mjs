import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import ts from 'typescript'

/**
 * What each house of `src/` may import. Imports run downwards only, and what is heavy loads lazily:
 * - `houses`: other houses it may stand on (its own files are always allowed);
 * - `packages`: allowed at the top of a module;
 * - `lazy`: allowed by `import()` and `import type` only.
 * p-retry is small, and is needed when something has failed: then is no time to load it.
 * `node:` stands for every module built into Node.
 *
 * @typedef {{ houses: readonly string[], packages: readonly string[], lazy: readonly string[] }} HouseRule
 * @type {Readonly<Record<string, HouseRule>>}
 */
export const importRules = {
  common: { houses: [], packages: [], lazy: [] },
  contract: { houses: [], packages: ['zod'], lazy: [] },
  client: { houses: ['common', 'contract'], packages: ['node:', 'p-retry'], lazy: ['undici', 'zod', 'jose'] },
  webhooks: { houses: ['common', 'contract'], packages: [], lazy: ['node:', 'zod'] },
  testing: {
    houses: ['common', 'contract'],
    packages: ['node:', 'undici', 'zod'],
    lazy: ['jose', 'msw'],
  },
}

/**
 * @typedef {{ specifier: string, lazy: boolean }} Import
 * @param {ts.Node} node
 * @returns {Import | undefined}
 */
function importOf(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
    if (!node.moduleSpecifier || !ts.isStringLiteral(node.moduleSpecifier)) return undefined
    return { specifier: node.moduleSpecifier.text, lazy: isTypeOnly(node) }
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    const { literal } = node.argument
    return ts.isStringLiteral(literal) ? { specifier: literal.text, lazy: true } : undefined
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    const [target] = node.arguments
    return target && ts.isStringLiteralLike(target) ? { specifier: target.text, lazy: true } : undefined
  }
  return undefined
}

/** @param {ts.ImportDeclaration | ts.ExportDeclaration} node */
function isTypeOnly(node) {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly
  return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
}

/**
 * Every module a source text names, in order; `lazy` when nothing is loaded until later, or never (types).
 *
 * @param {string} file
 * @param {string} source
 * @returns {Import[]}
 */
export function importsOf(file, source) {
  /** @type {Import[]} */
  const found = []
  /** @param {ts.Node} node */
  const visit = (node) => {
    const entry = importOf(node)
    if (entry) found.push(entry)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest))
  return found
}

/** @param {string} specifier */
function packageOf(specifier) {
  if (isBuiltin(specifier)) return 'node:'
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

/**
 * @param {string} house
 * @param {HouseRule} rule
 * @param {string} file
 * @param {Import} entry
 * @returns {string | undefined} what is wrong with this import, if anything
 */
function problemWith(house, rule, file, { specifier, lazy }) {
  if (specifier.startsWith('.')) {
    const [root, target = ''] = posix.join(posix.dirname(file), specifier).split('/')
    if (root === 'src' && (target === house || rule.houses.includes(target))) return undefined
    return `${house} may not import '${specifier}'`
  }
  const name = packageOf(specifier)
  if (rule.packages.includes(name) || (lazy && rule.lazy.includes(name))) return undefined
  if (rule.lazy.includes(name)) {
    return `${house} may import '${specifier}' only by import() or import type`
  }
  return `${house} may not import '${specifier}'`
}

/**
 * Checks one module of `src/` against {@link importRules}.
 *
 * @param {string} file path from the project's root, with forward slashes
 * @param {string} source the module's text
 * @returns {string[]} one sentence per violation, empty when there is none
 */
export function importViolations(file, source) {
  const house = file.split('/')[1] ?? ''
  const rule = Object.hasOwn(importRules, house) ? importRules[house] : undefined
  if (!rule) return [`${file}: no import rule for 'src/${house}'`]
  return importsOf(file, source).flatMap((entry) => {
    const problem = problemWith(house, rule, file, entry)
    return problem ? [`${file}: ${problem}`] : []
  })
}
