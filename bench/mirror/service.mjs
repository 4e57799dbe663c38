import { token } from '../lib/bodies.mjs'
import { serve } from '../lib/serve.mjs'
import { recordText, uuidOf } from './records.mjs'

/**
 * The service of the mirror's benchmark: a separate process that responds from memory, as fast as node:http
 * can.
 */

const PAGE = 20
/** Pages of each list. */
const PAGES = Number(process.env['PAGES'] ?? 0)
const RECORD = /^\/v1\/(referral|result)s\/([0-9a-f-]{36})$/
const LIST = /^\/v1\/(referral|result)s$/
const TOKEN = Buffer.from(JSON.stringify(token()))
/** @type {Map<string, Buffer>} */
const pages = new Map()

/**
 * @param {import('./records.mjs').Kind} kind
 * @param {number} place
 */
function pageText(kind, place) {
  const items = Array.from({ length: PAGE }, (_, index) => recordText(kind, uuidOf(place * PAGE + index)))
  const cursor = { cursor: String(place + 1), count: PAGE, resultCount: PAGE }
  return `{"${kind}s":[${items.join(',')}],"cursor":${JSON.stringify(cursor)}}`
}

/**
 * @param {import('./records.mjs').Kind} kind
 * @param {number} place
 */
function page(kind, place) {
  const key = `${kind} ${place}`
  const ready = pages.get(key)
  if (ready !== undefined) return ready
  const body = Buffer.from(place < PAGES ? pageText(kind, place) : `{"${kind}s":[]}`)
  pages.set(key, body)
  return body
}

/**
 * Returns an empty list, for the catalogue and the directories.
 * @param {string} path
 */
function emptyList(path) {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return Buffer.from(JSON.stringify({ [name.replace(/-(.)/, (_, letter) => letter.toUpperCase())]: [] }))
}

/** @param {string} target */
function bodyFor(target) {
  const [path = '', query = ''] = target.split('?')
  if (path.endsWith('/oauth/token')) return TOKEN
  const record = RECORD.exec(path)
  if (record !== null) {
    const [, kind, uuid = ''] = record
    return Buffer.from(recordText(kind === 'result' ? 'result' : 'referral', uuid))
  }
  const list = LIST.exec(path)
  if (list === null) return emptyList(path)
  const cursor = Number(new URLSearchParams(query).get('cursor') ?? 0)
  return page(list[1] === 'result' ? 'result' : 'referral', cursor)
}

for (const kind of /** @type {const} */ (['referral', 'result'])) {
  for (let place = 0; place < PAGES; place += 1) page(kind, place)
}

process.send?.(await serve((url) => ({ body: bodyFor(url) })))
process.on('disconnect', () => process.exit(0))
