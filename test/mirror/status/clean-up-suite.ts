import { expect, it } from 'vitest'
import { createWorld, type TestDatabase } from '../world.js'
import { cleanUp } from './erase-suite.js'

/** Tests of the clean-up that fails, for each database. */
export function cleanUpSuite(database: TestDatabase): void {
  it('a clean-up that fails is repeated after an hour, and logged from the third failure', async () => {
    const here = await createWorld(database)
    const mirror = here.mirrorOf()
    await mirror.status()
    await here.rows('ALTER TABLE {schema}.event RENAME TO other')
    await cleanUp(here, mirror)
    const work =
      'SELECT round(EXTRACT(EPOCH FROM run_at - now()) / 60)::integer AS minutes, dead FROM {schema}.work'
    expect(await here.rows(work)).toEqual([{ minutes: 60, dead: false }])
    expect(here.logs).toEqual([])
    for (let failures = 2; failures <= 4; failures += 1) {
      await here.again(mirror)
    }
    expect(here.logs).toEqual(
      [3, 4].map((failures) =>
        expect.stringMatching(
          new RegExp(
            `^mirror: the clean-up of organisation default failed \\(${failures} attempts, .*42P01\\), so events .* are still stored\\. The clean-up is repeated every hour$`,
          ),
        ),
      ),
    )
    await here.rows('ALTER TABLE {schema}.other RENAME TO event')
    await here.again(mirror)
    expect(await here.rows(work)).toEqual([])
    expect(here.logs).toHaveLength(2)
  })
}
