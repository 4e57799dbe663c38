import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, it } from 'vitest'
import { PGliteDatabase } from '../../src/database/pglite.js'
import { sharedPGlite } from '../support/pglite.js'

it('a database that is closed leaves no AsyncLocalStorage enabled, which would slow down the process', async () => {
  const running = new AsyncLocalStorage<{ isActive: boolean }>()
  const own = { isExclusive: true, close: async () => undefined }
  const database = new PGliteDatabase(await sharedPGlite(), running, own)
  await database.transaction(async () => {
    expect(running.getStore()).toEqual({ isActive: true })
    await database.close()
    expect(running.getStore()).toBeUndefined()
  })
}, 60_000)

it('timers fire between two statements, and a statement whose signal has aborted meanwhile never runs', async () => {
  const pglite = await sharedPGlite()
  const own = { isExclusive: true, close: async () => undefined }
  const database = await PGliteDatabase.of(pglite, own)
  await pglite.exec('CREATE TABLE turns (number integer)')
  const controller = new AbortController()
  const insert = (number: number) =>
    database.run('INSERT INTO turns VALUES ($1::integer)', [number], controller.signal)
  const first = insert(0).then(() => setTimeout(() => controller.abort(new Error('late')), 0))
  const others = await Promise.allSettled(Array.from({ length: 300 }, (_, number) => insert(number + 1)))
  await first
  const stored = others.filter(({ status }) => status === 'fulfilled').length
  expect(stored).toBeLessThan(300)
  await database.transaction(async (tx) => {
    // The statement that ran when the signal aborted may be stored too.
    const { rows } = await tx.run<{ count: number }>('SELECT count(*) AS count FROM turns')
    expect([stored + 1, stored + 2]).toContain(rows[0]?.count)
  })
  await database.close()
}, 60_000)
