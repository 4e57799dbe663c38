import { sharedPGlite } from '../support/pglite.js'
import { serviceSuite } from './service-suite.js'
import type { TestDatabase } from './world.js'

const pglite = await sharedPGlite()

const database: TestDatabase = {
  source: pglite,
  query: async (text, values = []) =>
    values.length === 0
      ? ((await pglite.exec(text)).at(-1)?.rows ?? []).map((row) => ({ ...row }))
      : (await pglite.query<Record<string, unknown>>(text, values)).rows,
}

serviceSuite(() => database)
