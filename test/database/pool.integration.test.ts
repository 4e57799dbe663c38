import { afterAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/database/open.js'
import { withPostgres } from '../support/postgres.js'

const server = await withPostgres()
const database = await openDatabase(server?.url ?? 'postgres://127.0.0.1:9/none')

afterAll(async () => {
  await database.close()
  await server?.stop()
})

describe.skipIf(server === undefined)('a transaction whose work ignores a failed statement', () => {
  it('a transaction whose work ignores a failed statement rejects, because the server rolls it back', async () => {
    await database.run('CREATE TABLE kept (value integer)')
    const work = database.transaction(async (tx) => {
      await tx.query('INSERT INTO kept VALUES (1)')
      await tx.query('SELECT 1 FROM absent').catch(() => undefined)
    })
    await expect(work).rejects.toMatchObject({ code: '25P02' })
    expect((await database.run('SELECT value FROM kept')).rows).toEqual([])
  })

  it('a transaction commits after a return to a savepoint', async () => {
    await database.transaction(async (tx) => {
      await tx.query('SAVEPOINT before')
      await tx.query('SELECT 1 FROM absent').catch(() => undefined)
      await tx.query('ROLLBACK TO before')
      await tx.query('INSERT INTO kept VALUES (2)')
    })
    expect((await database.run('SELECT value FROM kept')).rows).toEqual([{ value: 2 }])
  })
})
