import { fileURLToPath } from 'node:url'
import ts from 'typescript'

import { printed } from './printed.js'

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url))

/** Every entry of the package, and the declarations that TypeScript reads for it. */
const ENTRIES = {
  'pathology-sdk': 'index.d.cts',
  'pathology-sdk/webhooks': 'webhooks.d.cts',
  'pathology-sdk/webhooks/redis': 'webhooks-redis.d.cts',
  'pathology-sdk/webhooks/postgres': 'webhooks-postgres.d.cts',
  'pathology-sdk/testing': 'testing.d.cts',
} as const

/**
 * The public surface as text: every exported name of every entry with its declaration, in order of names, and what
 * these name without its being exported. It is read from the built declarations.
 */
export function apiReport(): string {
  const files = Object.values(ENTRIES).map((file) => DIST + file)
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.NodeNext,
    types: ['node'],
    skipLibCheck: true,
  })
  const surface = new Surface(program)
  const sections = Object.entries(ENTRIES).map(([entry, file]) => surface.section(entry, DIST + file))
  return `# The public surface

Every exported name with its declaration, from the built package. \`npm run api\` writes this page, and
\`npm run api:check\` fails where it is out of date: a change of the surface shows in review.

${[...sections, surface.unexported()].join('\n')}`
}

class Surface {
  readonly #program: ts.Program
  readonly #checker: ts.TypeChecker
  /** Where each declaration has been shown. */
  readonly #shown = new Map<ts.Symbol, string>()

  constructor(program: ts.Program) {
    this.#program = program
    this.#checker = program.getTypeChecker()
  }

  /** What one entry exports. */
  section(entry: string, file: string): string {
    const source = this.#program.getSourceFile(file)
    const module = source && this.#checker.getSymbolAtLocation(source)
    if (module === undefined) throw new Error(`${file} is not built: run npm run build first`)
    const exported = this.#checker.getExportsOfModule(module).toSorted(byName)
    return block(
      entry,
      exported.map((symbol) => this.#show(this.#resolved(symbol), symbol.name, entry)),
    )
  }

  /** What the exported declarations name, and no entry exports. */
  unexported(): string {
    const texts: [string, string][] = []
    for (const symbol of this.#shown.keys()) {
      for (const named of this.#namedBy(symbol)) {
        if (!this.#shown.has(named)) texts.push([named.name, this.#show(named, named.name, '')])
      }
    }
    return block(
      'Named by these, and not exported',
      texts.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text),
    )
  }

  #show(symbol: ts.Symbol, name: string, entry: string): string {
    const before = this.#shown.get(symbol)
    if (before !== undefined) return `// ${name}: as in ${before}`
    this.#shown.set(symbol, entry)
    return declarationsOf(symbol).map(printed).join('\n')
  }

  #resolved(symbol: ts.Symbol): ts.Symbol {
    return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : this.#checker.getAliasedSymbol(symbol)
  }

  #namedBy(symbol: ts.Symbol): Set<ts.Symbol> {
    const found = new Set<ts.Symbol>()
    const visit = (node: ts.Node): void => {
      const named = ts.isIdentifier(node) ? this.#checker.getSymbolAtLocation(node) : undefined
      const resolved = named && this.#resolved(named)
      if (resolved !== undefined && declarationsOf(resolved).some(isTopLevelHere)) found.add(resolved)
      ts.forEachChild(node, visit)
    }
    declarationsOf(symbol).forEach(visit)
    return found
  }
}

/** The statement or the variable's statement that declares a symbol. */
function declarationsOf(symbol: ts.Symbol): ts.Node[] {
  return (symbol.declarations ?? []).map((declaration) =>
    ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration,
  )
}

function isTopLevelHere(node: ts.Node): boolean {
  return ts.isSourceFile(node.parent) && node.parent.fileName.startsWith(DIST)
}

function block(title: string, texts: readonly string[]): string {
  return `## ${title}\n\n\`\`\`ts\n${texts.join('\n')}\n\`\`\`\n`
}

function byName(a: ts.Symbol, b: ts.Symbol): number {
  return a.name < b.name ? -1 : 1
}
