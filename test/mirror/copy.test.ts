import { sharedPGlite } from '../support/pglite.js'
import { copySuite } from './copy-suite.js'

const pglite = await sharedPGlite()

copySuite(() => ({
  source: pglite,
  query: async (text, values = []) =>
    values.length === 0
      ? last(await pglite.exec(text))
      : (await pglite.query<Record<string, unknown>>(text, values)).rows,
}))

function last(results: readonly { rows: object[] }[]): Record<string, unknown>[] {
  return (results.at(-1)?.rows ?? []).map((row) => ({ ...row }))
}
