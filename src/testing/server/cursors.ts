import { createHash } from 'node:crypto'

/** Where a list stands: the sort key of the last record seen. */
export type CursorPosition = readonly (string | number)[]

const CHECK_LENGTH = 12

/**
 * An opaque cursor: the position, with a check over it and what it is bound to, so that another list, other
 * filters, another order or a changed character make it unreadable (§4.7).
 *
 * @param key - The endpoint, order and filters that the cursor is bound to.
 */
export function writeCursor(key: string, position: CursorPosition): string {
  const body = JSON.stringify(position)
  return Buffer.from(`${check(key, body)}${body}`, 'utf8').toString('base64url')
}

/** The position in a cursor; `undefined` when it is unreadable or bound to something else. */
export function readCursor(text: string, key: string): CursorPosition | undefined {
  const plain = Buffer.from(text, 'base64url').toString('utf8')
  const body = plain.slice(CHECK_LENGTH)
  if (plain.slice(0, CHECK_LENGTH) !== check(key, body)) return undefined
  if (Buffer.from(plain, 'utf8').toString('base64url') !== text) return undefined
  const position: unknown = JSON.parse(body)
  return Array.isArray(position) ? position : undefined
}

function check(key: string, body: string): string {
  return createHash('sha256').update(`${key}\n${body}`).digest('base64url').slice(0, CHECK_LENGTH)
}
