import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BUILT = ['index', 'display'].map((entry) => `${ROOT}dist/${entry}.d.cts`)
const SOURCE = `${ROOT}src/contract/types.ts`

function interfacesOf(program: ts.Program, file: string): Map<string, ts.Type> {
  const checker = program.getTypeChecker()
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

it('the built declarations contain their types of the contract as plain fields, equal to the type of its schema', {
  timeout: 60_000,
}, () => {
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, ROOT)
  const program = ts.createProgram([...BUILT, SOURCE], options)
  const checker = program.getTypeChecker()
  const declared = new Map(BUILT.flatMap((file) => [...interfacesOf(program, file)]))
  const inferred = [...interfacesOf(program, SOURCE)]
  const changed = inferred.filter(([name, type]) => {
    const other = declared.get(name)
    return other && !(checker.isTypeAssignableTo(type, other) && checker.isTypeAssignableTo(other, type))
  })
  expect(inferred.filter(([name]) => declared.has(name)).length).toBeGreaterThan(20)
  expect(changed.map(([name]) => name)).toEqual([])
})
