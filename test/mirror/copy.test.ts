import { describe, expect, it } from 'vitest'
import { sharedPGlite } from '../support/pglite.js'
import { handlerSuite } from './changes/handler-suite.js'
import { batchSuite } from './copy/batch-suite.js'
import { copySuite } from './copy/copy-suite.js'
import { documentSuite } from './copy/document-suite.js'
import { directorySuite } from './directory/directory-suite.js'
import { flowSuite } from './flow-suite.js'
import { keepSuite } from './keep-suite.js'
import { migrationSuite } from './schema/migration-suite.js'
import { cleanUpSuite } from './status/clean-up-suite.js'
import { eraseSuite } from './status/erase-suite.js'
import { workSuite } from './work/work-suite.js'
import { createWorld, type TestDatabase } from './world.js'

const pglite = await sharedPGlite()

const database: TestDatabase = {
  source: pglite,
  query: async (text, values = []) =>
    values.length === 0
      ? last(await pglite.exec(text))
      : (await pglite.query<Record<string, unknown>>(text, values)).rows,
}

// The tests of sweeps and faults need no second database: copy.integration.test.ts runs them on Postgres.
copySuite(() => database)
batchSuite(() => database)
flowSuite(() => database)
handlerSuite(() => database)
keepSuite(() => database)
documentSuite(() => database)
eraseSuite(() => database)
cleanUpSuite(() => database)
directorySuite(() => database)
workSuite(() => database, { isSmall: true })
migrationSuite(() => database)

function last(results: readonly { rows: object[] }[]): Record<string, unknown>[] {
  return (results.at(-1)?.rows ?? []).map((row) => ({ ...row }))
}

describe('PGlite with one connection', () => {
  it("a handler that uses the mirror's methods instead of its tx gets an error instead of a deadlock", async () => {
    const world = await createWorld(database)
    const mirror = world.mirrorOf({
      attempts: { handler: 1 },
      on: { referral: async () => void (await mirror.changes().next()) },
    })
    await world.subscribe(mirror)
    await world.order()
    await world.settle(mirror)
    expect(await mirror.dead.list()).toMatchObject([{ error: 'ConfigurationError DATABASE_IN_TRANSACTION' }])
  })
})
