import type { PGlite } from '@electric-sql/pglite'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Database } from '../../src/database/database.js'
import { openDatabase } from '../../src/database/open.js'
import { sharedPGlite } from '../support/pglite.js'

let pglite: PGlite
let database: Database

beforeAll(async () => {
  pglite = await sharedPGlite()
  database = await openDatabase(pglite)
}, 60_000)
afterAll(() => database.close())
afterEach(() => vi.useRealTimers())

const TEXT =
  'SELECT $1::text AS text, $2::text[] AS list, $3::double precision AS number, $4::boolean AS truth'

/** Texts with the characters that mean something in SQL and in lists. */
const texts = fc.oneof(
  fc.string({
    unit: fc.constantFrom("'", '"', '\\', '{', '}', ',', ' ', '\n', '$1', 'NULL', 'E', ';', 'é', '👍'),
  }),
  fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0')),
)

const prepared = async () =>
  (await pglite.query("SELECT name FROM pg_prepared_statements WHERE name LIKE 'plan_%'")).rows.length

describe('statements with a kept plan', () => {
  it.each(['on', 'off'])(
    'a statement with a kept plan returns every value as it was passed, with standard_conforming_strings = %s',
    async (setting) => {
      await pglite.exec(`SET escape_string_warning = off; SET standard_conforming_strings = ${setting}`)
      const row = fc.tuple(
        fc.option(texts),
        fc.option(fc.array(fc.option(texts))),
        fc.option(fc.double({ noNaN: true })),
        fc.option(fc.boolean()),
      )
      await fc.assert(
        fc.asyncProperty(row, async ([text, list, number, truth]) => {
          const { rows } = await database.run(TEXT, [text, list, number, truth])
          expect(rows).toEqual([{ text, list, number: number === null ? null : number + 0, truth }])
        }),
      )
      await pglite.exec('RESET standard_conforming_strings; RESET escape_string_warning')
    },
  )

  it('kept plans run statements without values, with bytes, and those that cannot be planned', async () => {
    const bytes = new Uint8Array([0, 39, 92, 255])
    expect((await database.run('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
    expect((await database.run('SELECT $1::bytea AS bytes', [bytes])).rows).toEqual([{ bytes }])
    await database.run('CREATE TABLE counted (number integer)')
    const insert = () => database.run('INSERT INTO counted SELECT generate_series(1, $1::integer)', [3])
    expect((await insert()).rowCount).toBe(3)
    expect((await insert()).rowCount).toBe(3)
    await expect(database.run('SELECT $1::text AS text', ['a\0b'])).rejects.toThrow()
  })

  it('kept plans run although someone has removed the statements', async () => {
    await database.run(TEXT, ['a', [], 1, true])
    await pglite.exec('DEALLOCATE ALL')
    expect((await database.run(TEXT, ['b', [], 1, true])).rows).toMatchObject([{ text: 'b' }])
    expect((await database.run(TEXT, ['c', [], 1, true])).rows).toMatchObject([{ text: 'c' }])
    vi.useFakeTimers({ toFake: ['performance'] })
    for (let round = 0; round < 3; round += 1) {
      vi.advanceTimersByTime(6_000)
      await pglite.exec('DEALLOCATE ALL')
      expect((await database.run(TEXT, ['d', [], 1, true])).rows).toMatchObject([{ text: 'd' }])
    }
  })

  it('kept plans are made again after some seconds, and leave no statements behind', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    await pglite.exec('CREATE TABLE growing (id integer PRIMARY KEY)')
    const find = () => database.run('SELECT count(*) AS number FROM growing WHERE id = $1::integer', [1])
    for (let round = 0; round < 10; round += 1) {
      await Promise.all([
        find(),
        database.transaction(async (tx) => tx.run('SELECT $1::integer', [1])),
        find(),
      ])
      vi.advanceTimersByTime(6_000)
    }
    expect(await prepared()).toBeLessThan(10)
    const { rows } = await pglite.query<{ plans: number }>(
      "SELECT sum(generic_plans + custom_plans)::integer AS plans FROM pg_prepared_statements WHERE statement LIKE '%growing%'",
    )
    expect(rows[0]?.plans).toBeLessThanOrEqual(6)
  })

  it('statements with a kept plan fail as any statement does, and work again after the rollback', async () => {
    const divide = (tx: Pick<Database, 'run'>, by: number) => tx.run('SELECT 1 / $1::integer AS result', [by])
    await expect(
      database.transaction(async (tx) => divide({ run: tx.run.bind(tx) }, 0)),
    ).rejects.toMatchObject({
      code: '22012',
    })
    expect((await divide(database, 1)).rows).toEqual([{ result: 1 }])
  })
})
