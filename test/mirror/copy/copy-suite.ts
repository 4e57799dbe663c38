import { expect, it } from 'vitest'
import { createWorld, type TestDatabase } from '../world.js'

/** Tests of receiving, reading and delivering, for each database. */
export function copySuite(database: TestDatabase): void {
  it('the record that an event announces is stored, and the handler gets each change once, in its transaction (§6)', async () => {
    const world = await createWorld(database)
    await world.rows('CREATE SCHEMA IF NOT EXISTS {schema}')
    await world.rows('CREATE TABLE {schema}.own (position bigint PRIMARY KEY, uuid text, status text)')
    const seen: string[] = []
    const mirror = world.mirrorOf({
      on: {
        '*': async (change, { tx }) => {
          seen.push(`${change.kind} ${change.action} ${change.status.before} ${change.status.after}`)
          await tx.query(`INSERT INTO ${world.schema}.own VALUES ($1, $2, $3)`, [
            String(change.position),
            change.uuid,
            change.status.after,
          ])
        },
      },
    })
    // On a busy machine, the first use can take longer than a delivery waits.
    await mirror.status()
    await world.subscribe(mirror)
    const uuid = await world.order()
    await world.settle(mirror)
    world.fake.referrals.complete(uuid)
    await world.settle(mirror)

    expect(world.logs.filter((line) => line.includes('failed'))).toEqual([])
    const [referral] = await world.rows('SELECT status, body, group_key FROM {schema}.referral')
    expect(referral).toMatchObject({ status: 'COMPLETE', group_key: uuid })
    expect(await world.rows('SELECT status, group_key FROM {schema}.result')).toEqual([
      { status: 'COMPLETE', group_key: uuid },
    ])
    expect(seen[0]).toMatch(/^referral added null (ISSUED|CREATED)$/)
    expect(seen).toContain('result added null COMPLETE')
    expect(await world.rows('SELECT count(*)::int AS n FROM {schema}.own')).toEqual([{ n: seen.length }])
    expect(await world.rows('SELECT * FROM {schema}.work')).toEqual([])
  })
}
