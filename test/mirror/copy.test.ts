import { sharedPGlite } from '../support/pglite.js'
import { copySuite } from './copy-suite.js'
import { flowSuite } from './flow-suite.js'
import type { TestDatabase } from './world.js'

const pglite = await sharedPGlite()

const database: TestDatabase = {
  source: pglite,
  query: async (text, values = []) =>
    values.length === 0
      ? last(await pglite.exec(text))
      : (await pglite.query<Record<string, unknown>>(text, values)).rows,
}

copySuite(() => database)
flowSuite(() => database)

function last(results: readonly { rows: object[] }[]): Record<string, unknown>[] {
  return (results.at(-1)?.rows ?? []).map((row) => ({ ...row }))
}
