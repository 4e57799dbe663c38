import { expect, it } from 'vitest'
import { printMigrations } from '../../../src/mirror/schema/migrate.js'
import { createWorld, type TestDatabase } from '../world.js'

/** Tests of migrations, for each database. */
export function migrationSuite(database: TestDatabase): void {
  /** A schema of version 1. */
  const firstVersion = async () => {
    const here = await createWorld(database)
    const mirror = here.mirrorOf()
    await mirror.drain()
    await mirror.stop()
    await here.rows('DROP INDEX {schema}.work_due')
    await here.rows('DELETE FROM {schema}.migration WHERE version > 1')
    const added = async () => [
      ...(await here.rows('SELECT version FROM {schema}.migration WHERE version > 1 ORDER BY 1')),
      ...(await here.rows(
        "SELECT indexname AS name FROM pg_indexes WHERE schemaname = $1 AND indexname = 'work_due'",
        [here.schema],
      )),
    ]
    expect(await added()).toEqual([])
    return { here, added }
  }

  const ADDED = [{ version: 2 }, { name: 'work_due' }]

  it('migrations of a later version are applied to the schema of an earlier one', async () => {
    const { here, added } = await firstVersion()
    await here.mirrorOf().start()
    expect(await added()).toEqual(ADDED)
  })

  it('migrations as a printed script are applied to an empty database and to the schema of an earlier version, once', async () => {
    const { here, added } = await firstVersion()
    const script = printMigrations(here.schema)
    await here.rows(script)
    await here.rows(script)
    expect(await added()).toEqual(ADDED)
    await here.rows('DROP SCHEMA {schema} CASCADE')
    await here.rows(script)
    expect(await added()).toEqual(ADDED)
    await here.mirrorOf({ migrations: 'manual' }).start()
  })
}
