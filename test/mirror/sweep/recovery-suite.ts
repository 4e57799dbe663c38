import { describe, expect, it } from 'vitest'
import { createWorld, type TestDatabase } from '../world.js'

/** Removes `updatedAt` from the records of the responses. */
const withoutTimes: typeof globalThis.fetch = async (input, init) => {
  const response = await fetch(input, init)
  const text = (await response.text()).replaceAll(/"updatedAt":"[^"]*",?/g, '')
  return new Response(text, { status: response.status, headers: response.headers })
}

/** Tests of the rule that decides whether a change is recovered, on Postgres. */
export function recoverySuite(database: TestDatabase): void {
  describe('recovered changes', () => {
    it.each([
      { event: '20 minutes before the change', minutes: -20, recovered: 1 },
      { event: '2 minutes before the change', minutes: -2, recovered: 0 },
      { event: '30 minutes after the change', minutes: 30, recovered: 0 },
      { event: '40 minutes after the change', minutes: 40, recovered: 1 },
    ])(
      'a change after an event without updatedAt, $event, is recovered: $recovered',
      async ({ minutes, recovered }) => {
        const here = await createWorld(database, { seedReferrals: 1 })
        const mirror = here.mirrorOf()
        await mirror.backfill()
        const uuid = await here.order()
        const order = here.fake.referrals.all().find((referral) => referral.uuid === uuid)
        await here.rows(
          `INSERT INTO {schema}.event (organisation, event_uuid, event_name, kind, key, received_at)
         VALUES ('default', 'one', 'referral.issued', 'referral', $1, $2::timestamptz + $3::integer * interval '1 minute')`,
          [uuid, order?.updatedAt, minutes],
        )
        expect(await mirror.sweep('recent')).toMatchObject({ new: 1, recovered })
      },
    )

    it.each([
      { state: 'the same', recovered: 0 },
      { state: 'a newer', recovered: 1 },
    ])(
      'a record that the service returns again, in $state state, is recovered: $recovered',
      async ({ state, recovered }) => {
        const here = await createWorld(database, { seedReferrals: 0 })
        const mirror = here.mirrorOf()
        const uuid = await here.order()
        await mirror.backfill()
        await here.rows('UPDATE {schema}.referral SET gone_at = now()')
        if (state !== 'the same') here.fake.referrals.complete(uuid)
        await mirror.sweep('recent')
        expect(await here.rows("SELECT recovered FROM {schema}.change WHERE action = 'returned'")).toEqual([
          { recovered: recovered === 1 },
        ])
      },
    )

    it.each([
      { event: 'half an hour ago', minutes: 30, recovered: 0 },
      { event: 'an hour ago', minutes: 60, recovered: 1 },
    ])(
      'a change of a record without updatedAt, with an event $event, is recovered: $recovered',
      async ({ minutes, recovered }) => {
        const here = await createWorld(database, { seedReferrals: 1 })
        const mirror = here.mirrorOf({
          client: here.clientOf({ fetch: withoutTimes, responseValidation: 'off' }),
        })
        await mirror.backfill()
        await here.rows(
          `INSERT INTO {schema}.event (organisation, event_uuid, event_name, kind, key, promised_at, received_at)
         SELECT 'default', 'one', 'referral.issued', 'referral', $1, received_at, received_at
         FROM (SELECT now() - $2::integer * interval '1 minute' AS received_at) AS event`,
          [await here.order(), minutes],
        )
        expect(await mirror.sweep('recent')).toMatchObject({ new: 1, recovered })
      },
    )
  })
}
