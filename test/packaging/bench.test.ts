import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const BENCH = fileURLToPath(new URL('../../bench', import.meta.url))
const SOURCE = /(?:from|import)\s*\(?'((?:\.\.\/)+src\/[^']+)'/g

it('the benchmarks import files of the sources that exist', () => {
  const files = readdirSync(BENCH, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.(mjs|ts)$/.test(path) && !path.includes('node_modules'),
  )
  const imported = files.flatMap((path) =>
    [...readFileSync(join(BENCH, path), 'utf8').matchAll(SOURCE)].map(([, source = '']) =>
      join(BENCH, path, '..', source),
    ),
  )
  expect(imported.length).toBeGreaterThan(0)
  expect(imported.filter((path) => !existsSync(path) && !existsSync(path.replace(/\.js$/, '.ts')))).toEqual(
    [],
  )
})
