import { randomUUID } from 'node:crypto'
import type { Mirror } from 'pathology-sdk/mirror'
import { expect, it } from 'vitest'
import { createWorld, type TestDatabase, type World } from '../world.js'

const COUNT = 6

/** Delivers events of these records at the same time. Returns the statuses of the responses. */
const announce = (here: World, mirror: Mirror, uuids: readonly string[]): Promise<number[]> =>
  Promise.all(uuids.map((uuid) => here.announce(mirror, { uuid })))

/** Makes every statement fail that writes a row of a table on this condition. */
async function refuse({ rows }: World, table: string, condition: string): Promise<void> {
  const body = `BEGIN IF ${condition} THEN RAISE EXCEPTION 'poison'; END IF; RETURN NEW; END`
  await rows(`CREATE FUNCTION {schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ ${body} $$`)
  await rows(
    `CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON {schema}.${table} FOR EACH ROW EXECUTE FUNCTION {schema}.refuse()`,
  )
}

/** Tests of events and records that are stored together, for each database. */
export function batchSuite(database: TestDatabase): void {
  const orders = async (here: World) => {
    const uuids: string[] = []
    for (let n = 0; n < COUNT; n += 1) uuids.push(await here.order())
    return uuids.sort()
  }
  const copied = ({ rows }: World) =>
    rows('SELECT uuid FROM {schema}.referral ORDER BY uuid').then((found) => found.map(({ uuid }) => uuid))

  it('records that are read at the same time are stored in one transaction, and handled once each', async () => {
    const here = await createWorld(database)
    const handled: string[] = []
    const points: string[] = []
    const on = { referral: ({ uuid }: { uuid: string }) => void handled.push(uuid) }
    const mirror = here.mirrorOf({ on, concurrency: COUNT }, (point) => void points.push(point))
    await mirror.drain()
    const uuids = await orders(here)
    points.length = 0
    expect(await announce(here, mirror, uuids)).toEqual(uuids.map(() => 200))
    expect(points.filter((point) => point === 'receive:committed').length).toBeLessThan(COUNT)
    await mirror.drain()
    expect(points.filter((point) => point === 'fetch:after')).toHaveLength(COUNT)
    expect(points.filter((point) => point === 'store:committed').length).toBeLessThan(COUNT)
    expect(await copied(here)).toEqual(uuids)
    expect(handled.sort()).toEqual(uuids)
  })

  it('a record that the database refuses holds back no other record', async () => {
    const here = await createWorld(database)
    const mirror = here.mirrorOf({ attempts: { fetch: 1 } })
    await mirror.drain()
    const [poison = '', ...others] = await orders(here)
    await refuse(here, 'referral', `NEW.uuid = '${poison}'`)
    await announce(here, mirror, [poison, ...others])
    await mirror.drain()
    expect(await copied(here)).toEqual(others)
    expect(await mirror.dead.list()).toMatchObject([{ kind: 'referral', uuid: poison }])
  })

  it('an event that the database refuses holds back no other event', async () => {
    const here = await createWorld(database)
    const mirror = here.mirrorOf()
    await mirror.drain()
    const uuids = await orders(here)
    await refuse(here, 'event', `NEW.key = '${uuids[2]}'`)
    const statuses = await announce(here, mirror, uuids)
    expect(statuses).toEqual(uuids.map((_, place) => (place === 2 ? 503 : 200)))
    await mirror.drain()
    expect(await copied(here)).toEqual(uuids.filter((_, place) => place !== 2))
  })

  it('a record whose lease was lost is not stored, and the others of its batch are', async () => {
    const here = await createWorld(database)
    let late = ''
    const mirror = here.mirrorOf({}, async (point) => {
      if (point !== 'store:collected' || late === '') return
      const key = late
      late = ''
      await here.rows(
        `UPDATE {schema}.work SET lease = $2, run_at = now() + interval '1 hour' WHERE key = $1`,
        [key, randomUUID()],
      )
    })
    await mirror.drain()
    const [first = '', ...others] = await orders(here)
    late = first
    await announce(here, mirror, [first, ...others])
    await mirror.drain()
    expect(await copied(here)).toEqual(others)
    expect(await here.rows('SELECT key FROM {schema}.work')).toEqual([{ key: first }])
  })
}
