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
