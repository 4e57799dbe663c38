import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Types of the contract that the built package declares in other words than its sources: they were written out field
 * by field, and each must still take and give what the schema does.
 */
export function changedTypes(): string[] {
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, ROOT)
  const [built, source] = [`${ROOT}dist/index.d.cts`, `${ROOT}src/contract/types.ts`]
  const program = ts.createProgram([built, source], options)
  const checker = program.getTypeChecker()
  const declared = interfacesOf(program, checker, built)
  const inferred = [...interfacesOf(program, checker, source)]
  if (inferred.length === 0) throw new Error('no type was compared')
  return inferred
    .filter(([name, type]) => {
      const other = declared.get(name)
      if (other === undefined) return true
      return !checker.isTypeAssignableTo(type, other) || !checker.isTypeAssignableTo(other, type)
    })
    .map(([name]) => name)
}

function interfacesOf(program: ts.Program, checker: ts.TypeChecker, file: string): Map<string, ts.Type> {
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error(`${file} is not built: run npm run build first`)
  const symbols = checker.getExportsOfModule(module).map((symbol) => {
    const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0
    return [symbol.name, isAlias ? checker.getAliasedSymbol(symbol) : symbol] as const
  })
  const interfaces = symbols.filter(([, { flags }]) => (flags & ts.SymbolFlags.Interface) !== 0)
  return new Map(interfaces.map(([name, symbol]) => [name, checker.getDeclaredTypeOfSymbol(symbol)]))
}
