import { expect, it } from 'vitest'
import { sharedPGlite } from '../support/pglite.js'
import { handlerSuite } from './changes/handler-suite.js'
import { batchSuite } from './copy/batch-suite.js'
import { copySuite } from './copy/copy-suite.js'
import { documentSuite } from './copy/document-suite.js'
import { directorySuite } from './directory/directory-suite.js'
import { flowSuite } from './flow-suite.js'
import { keepSuite } from './keep-suite.js'
import { migrationSuite } from './schema/migration-suite.js'
import { serviceSuite } from './service-suite.js'
import { cleanUpSuite } from './status/clean-up-suite.js'
import { workSuite } from './work/work-suite.js'
import { createWorld, pgliteDatabase } from './world.js'

const database = pgliteDatabase(await sharedPGlite())

// The tests of sweeps, faults and erasure need no second database: copy.integration.test.ts runs them on Postgres.
copySuite(database)
batchSuite(database)
flowSuite(database)
handlerSuite(database)
keepSuite(database)
documentSuite(database)
serviceSuite(database)
cleanUpSuite(database)
directorySuite(database)
workSuite(database, { isSmall: true })
migrationSuite(database)

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
