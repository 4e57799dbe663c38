const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Labels that {@link labelOf} cannot derive from the name. */
const LABELS = new Map([
  ['pendingVerification', 'Require verification'],
  ['softDelete', 'Soft-delete'],
  ['API', 'API'],
])

/**
 * Formats a time in UTC: `09:00:12` on the fake's current day, otherwise `2 Mar 09:00`, or `2 Mar 2025` in another
 * year.
 *
 * @param {string} iso
 * @param {string} now
 */
export function shortTime(iso, now) {
  const date = new Date(iso)
  if (iso.slice(0, 10) === now.slice(0, 10)) return iso.slice(11, 19)
  const day = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`
  const isThisYear = iso.slice(0, 4) === now.slice(0, 4)
  return isThisYear ? `${day} ${iso.slice(11, 16)}` : `${day} ${iso.slice(0, 4)}`
}

/**
 * Formats a time as `2026-03-02 09:00:12.345 UTC`.
 *
 * @param {string} iso
 */
export function longTime(iso) {
  return `${iso.slice(0, 10)} ${iso.slice(11, 23)} UTC`
}

/**
 * Formats a time for the clock: `Mon 2 Mar 2026` and `09:00:12`.
 *
 * @param {number} ms
 */
export function clockTime(ms) {
  const date = new Date(ms)
  const weekday = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][date.getUTCDay()]
  const day = `${weekday} ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
  return { day, time: date.toISOString().slice(11, 19) }
}

/**
 * Formats a duration by its two largest units: `1 d 4 h`, `12 min` or `3 s`. Returns `now` for 0 and for a
 * negative duration.
 *
 * @param {number} ms
 */
export function span(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  /** @type {(readonly [number, string])[]} */
  const units = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ]
  const first = units.findIndex(([count]) => count > 0)
  if (first === -1) return 'now'
  const shown = units.slice(first, first + 2).filter(([count]) => count > 0)
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ')
}

/** @param {number} count */
export function number(count) {
  return count.toLocaleString('en-AU')
}

/**
 * Formats a count with its noun: `1 test` or `3 tests`.
 *
 * @param {number} count
 * @param {string} noun
 */
export function plural(count, noun) {
  return `${number(count)} ${noun}${count === 1 ? '' : 's'}`
}

/**
 * Returns the label of a status or a name: `PARTIAL_RESULTS`, `partialResults` or `bad-signature` in words.
 *
 * @param {string} name
 */
export function labelOf(name) {
  const known = LABELS.get(name)
  if (known !== undefined) return known
  const words = (/[A-Z]/.test(name) && /[a-z]/.test(name) ? name.replaceAll(/[A-Z]/g, ' $&') : name)
    .replaceAll(/[_-]/g, ' ')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/**
 * Returns a JSON value on several lines, cut after `limit` characters.
 *
 * @param {unknown} value
 * @param {number} [limit]
 */
export function json(value, limit = 20_000) {
  const text = typeof value === 'string' ? pretty(value) : JSON.stringify(value, null, 2)
  if (text.length <= limit) return text
  return `${text.slice(0, limit)}\n… and ${number(text.length - limit)} characters more`
}

/** @param {string} text */
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
