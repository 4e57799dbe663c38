import { expect, it, onTestFinished } from 'vitest'
import { sharedPGlite } from '../support/pglite.js'
import { foreignParser, foreignRow, throwingParser, wholeFlow } from './whole-flow.js'
import type { TestDatabase } from './world.js'

const pglite = await sharedPGlite()
const own = { ...pglite.parsers }

const database: TestDatabase = {
  source: pglite,
  query: async (text, values = []) =>
    (await pglite.query<Record<string, unknown>>(text, values, { parsers: own })).rows,
}

function replaceParsers(parse: (text: string) => unknown): void {
  onTestFinished(() => {
    pglite.parsers = own
  })
  pglite.parsers = Object.fromEntries(Object.keys(own).map((oid) => [oid, parse]))
}

it('a mirror reads its values although the parsers of its PGlite throw', async () => {
  replaceParsers(throwingParser)
  await wholeFlow(database, false)
}, 60_000)

it('a mirror reads its values although its PGlite has other parsers, and a handler gets those of the PGlite', async () => {
  replaceParsers(foreignParser)
  expect(JSON.stringify(await wholeFlow(database))).toBe(JSON.stringify(foreignRow('{"a": 1}')))
}, 60_000)
