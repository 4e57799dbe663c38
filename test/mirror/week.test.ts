import { sharedPGlite } from '../support/pglite.js'
import { boundSuite } from './bound-suite.js'
import { modelSuite } from './model-suite.js'
import type { TestDatabase } from './world.js'

const pglite = await sharedPGlite()

const database: TestDatabase = {
  source: pglite,
  query: async (text, values = []) => {
    if (values.length > 0) return (await pglite.query<Record<string, unknown>>(text, values)).rows
    const [result] = (await pglite.exec(text)).slice(-1)
    return (result?.rows ?? []).map((row) => ({ ...row }))
  },
}

boundSuite(() => database, { days: 3, recentPerDay: 3, orders: 4 })
modelSuite(() => database, 3)
