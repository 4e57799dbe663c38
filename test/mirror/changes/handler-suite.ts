import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChangeHandlers } from 'pathology-sdk/mirror'
import { expect, it } from 'vitest'
import { completeOrder, createWorld, type TestDatabase } from '../world.js'

type Handler = NonNullable<ChangeHandlers['referral']>

/** Tests of handlers that fail in unusual ways, for each database. */
export function handlerSuite(database: TestDatabase): void {
  /** Delivers one change to a handler that is dead after one failure. Returns the recorded error. */
  const failureOf = async (referral: (schema: string) => Handler): Promise<string | null | undefined> => {
    const here = await createWorld(database)
    const mirror = here.mirrorOf({ attempts: { handler: 1 }, on: { referral: referral(here.schema) } })
    await here.subscribe(mirror)
    await here.order()
    await here.settle(mirror)
    expect(await here.rows('SELECT * FROM {schema}.delivery')).toEqual([])
    const [dead] = await mirror.dead.list()
    return dead?.error
  }

  it('a handler may reject with any value: the attempt is counted', async () => {
    const here = await createWorld(database)
    const reasons: unknown[] = [undefined, null, Symbol('reason'), Object.create(null)]
    const referral = () => Promise.reject(reasons.pop())
    const mirror = here.mirrorOf({ attempts: { handler: 1 }, on: { referral } })
    await here.subscribe(mirror)
    const uuids = await Promise.all(reasons.map(() => here.order()))
    await here.settle(mirror)
    const dead = await mirror.dead.list()
    expect(dead.map(({ uuid }) => uuid).sort()).toEqual(uuids.sort())
    for (const { error } of dead) expect(error).toMatch(/^(Error|unknown error)$/)
  })

  it('a change begins with its first attempt, though a change before it failed and has no handler any more', async () => {
    const here = await createWorld(database)
    const attempts: number[] = []
    const failing = (_: unknown, { attempt }: { readonly attempt: number }): never => {
      attempts.push(attempt)
      throw new Error('failed')
    }
    const earlier = here.mirrorOf({ attempts: { handler: 3 }, on: { referral: failing } })
    await here.subscribe(earlier)
    const uuid = await here.order()
    await here.settle(earlier)
    await here.again(earlier)
    here.fake.referrals.complete(uuid)
    await here.settle(earlier)
    await earlier.stop()
    const later = here.mirrorOf({ attempts: { handler: 2 }, on: { result: failing } })
    await here.again(later)
    expect(await later.dead.list()).toEqual([])
    await here.again(later)
    expect(attempts).toEqual([1, 2, 1, 2])
    expect(await later.dead.list()).toMatchObject([{ kind: 'deliver', attempts: 2 }])
  }, 30_000)

  it('a handler that ignores the error of a statement has failed: its transaction cannot be committed', async () => {
    const ignoring: Handler = (_, { tx }) => tx.query('SELECT 1 / 0').catch(() => undefined)
    expect(await failureOf(() => ignoring)).toMatch(/25P02$/)
  })

  it('a handler whose writes break a constraint at the commit has failed', async () => {
    const breaking =
      (schema: string): Handler =>
      async (_, { tx }) => {
        await tx.query(
          `CREATE TABLE ${schema}.pairs (id integer PRIMARY KEY, other integer REFERENCES ${schema}.pairs DEFERRABLE INITIALLY DEFERRED)`,
        )
        await tx.query(`INSERT INTO ${schema}.pairs VALUES (1, 2)`)
      }
    expect(await failureOf(breaking)).toMatch(/23503$/)
  })

  it('handlers in progress end before stop() does, however often it is called', async () => {
    const here = await createWorld(database)
    let started = (): void => undefined
    const isStarted = new Promise<void>((resolve) => {
      started = resolve
    })
    let isDone = false
    const referral = async (): Promise<void> => {
      started()
      await sleep(100)
      isDone = true
    }
    const mirror = here.mirrorOf({ on: { referral } })
    await here.subscribe(mirror)
    await mirror.start()
    await here.order()
    await here.fake.clock.advance({ seconds: 1 })
    await isStarted
    void mirror.stop()
    await mirror.stop()
    expect(isDone).toBe(true)
  })

  it('handlers that do not finish in time are rolled back, and a later rejection is not unhandled', async () => {
    const here = await createWorld(database)
    let isLate = false
    const mirror = here.mirrorOf({
      handlerTimeout: 50,
      attempts: { handler: 1 },
      on: {
        referral: async (_, { tx }) => {
          try {
            await tx.query(`CREATE TABLE ${here.schema}.traces (id integer)`)
            await sleep(200)
          } finally {
            isLate = true
          }
          throw new Error('late')
        },
      },
    })
    await here.subscribe(mirror)
    await here.order()
    await here.settle(mirror)
    await expect.poll(() => isLate).toBe(true)
    expect(await mirror.dead.list()).toMatchObject([{ error: 'PathologyError HANDLER_TIMEOUT' }])
    expect(await here.rows(`SELECT to_regclass('{schema}.traces') AS found`)).toEqual([{ found: null }])
  })

  it("a mirror returns, repeats and retries only its own organisations' changes", async () => {
    const here = await createWorld(database, { seedReferrals: 3 })
    const failing = (): never => {
      throw new Error('failing')
    }
    const shared = { attempts: { handler: 1 }, on: { '*': failing } }
    const north = here.mirrorOf({
      ...shared,
      consumers: { reports: { on: { referral: () => undefined } } },
      organisations: { north: { client: here.clientOf() } },
    })
    await north.backfill()
    await north.drain()
    const south = here.mirrorOf({ ...shared, organisations: { south: { client: here.clientOf() } } })
    await south.drain()
    expect((await north.changes().next()).value).toMatchObject({ organisation: 'north' })
    expect(await south.changes().next()).toEqual({ value: undefined, done: true })
    const [dead] = await north.dead.list()
    expect(dead).toMatchObject({ organisation: 'north', kind: 'deliver' })
    expect(await north.dead.list({ uuid: dead?.uuid.toUpperCase(), kind: 'deliver' })).toEqual([dead])
    expect(await north.dead.list({ uuid: dead?.uuid, kind: 'referral' })).toEqual([])
    expect(await north.dead.list({ uuid: randomUUID() })).toEqual([])
    expect(await south.dead.list()).toEqual([])
    expect(await south.dead.retry()).toBe(0)
    expect(await south.dead.skip({ position: dead?.position ?? 0 })).toBe(0)
    expect(await south.replay({ consumer: 'default' })).toBe(0)
    await expect(south.replay({ consumer: 'reports' })).rejects.toThrow(
      /Consumers of these organisations: default$/,
    )
    expect(await north.dead.skip({ position: dead?.position ?? 0 })).toBe(1)
  })

  it('replay after a position does not skip changes that were never delivered', async () => {
    const here = await createWorld(database)
    let isBroken = true
    const delivered: number[] = []
    const mirror = here.mirrorOf({
      attempts: { handler: 1 },
      on: {
        '*': ({ position }) => {
          if (isBroken) throw new Error('broken')
          delivered.push(position)
        },
      },
    })
    await here.subscribe(mirror)
    await completeOrder(here, mirror)
    const positions = (await here.rows('SELECT position FROM {schema}.change ORDER BY position')).map((row) =>
      Number(row['position']),
    )
    isBroken = false
    expect(await mirror.replay({ consumer: 'default', after: positions.at(-1) ?? 0 })).toBe(0)
    expect(await mirror.replay({ consumer: 'default', after: positions.at(-2) ?? 0 })).toBe(1)
    await mirror.drain()
    expect(delivered).toEqual(positions)
  })

  it('no change comes after the abort of the signal', async () => {
    const here = await createWorld(database, { seedReferrals: 5 })
    const mirror = here.mirrorOf()
    await mirror.backfill()
    const abort = new AbortController()
    const changes = mirror.changes({ signal: abort.signal })
    expect((await changes.next()).done).toBe(false)
    abort.abort(new Error('enough'))
    await expect(changes.next()).rejects.toThrow('enough')
  })

  it('replay with the UUID of a referral repeats the changes of its results too', async () => {
    const here = await createWorld(database)
    const delivered: string[] = []
    const mirror = here.mirrorOf({ on: { '*': ({ kind }) => void delivered.push(kind) } })
    await here.subscribe(mirror)
    const { referral, result } = await completeOrder(here, mirror)
    const [last] = await here.rows('SELECT max(position) AS position FROM {schema}.change')
    const { biomarkers } = here.fake.results.retrieve(result)
    here.fake.results.amend(result, { values: { [biomarkers[0]?.id ?? '']: '1' } })
    await here.settle(mirror)
    expect(delivered.at(-1)).toBe('result')
    delivered.length = 0
    const after = Number(last?.['position'])
    expect(await mirror.replay({ consumer: 'default', uuid: referral, after })).toBe(1)
    await mirror.drain()
    expect(delivered).toEqual(['result'])
  })
}
