import { describe, expect, it, onTestFinished } from 'vitest'
import { sharedPGlite } from '../support/pglite.js'
import { FOREIGN_PARSERS } from './parsers.js'
import { wholeFlow } from './whole-flow.js'
import type { TestDatabase } from './world.js'

const pglite = await sharedPGlite()
const own = { ...pglite.parsers }

const database: TestDatabase = {
  source: pglite,
  query: async (text, values = []) =>
    (await pglite.query<Record<string, unknown>>(text, values, { parsers: own })).rows,
}

describe('a PGlite whose application has parsers of its own', () => {
  it.each([...FOREIGN_PARSERS])(
    'that return %s: the mirror reads its values, and a handler gets those of the application',
    async (name, parse) => {
      onTestFinished(() => {
        pglite.parsers = own
      })
      pglite.parsers = Object.fromEntries(Object.keys(own).map((oid) => [oid, parse]))
      const row = await wholeFlow(database, name !== 'errors')
      if (name === 'errors') return
      const json = JSON.stringify({ a: 1 }).replace(':', ': ')
      expect(JSON.stringify(row)).toBe(
        JSON.stringify({ number: parse('7'), text: parse('a'), truth: parse('t'), json: parse(json) }),
      )
    },
    60_000,
  )
})
