const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MAX_TEXT = 20_000
const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const

/** Labels that {@link labelOf} can't derive from the name. */
const LABELS = new Map([
  ['pendingVerification', 'Require verification'],
  ['softDelete', 'Soft-delete'],
  ['API', 'API'],
  ['dob', 'Born'],
  ['nth', 'First request'],
  ['perMs', 'Period in milliseconds'],
])

/** Formats a time in UTC: `09:00:12` on the fake's current day, else `2 Mar 09:00`, or `2 Mar 2025` in another year. */
export function shortTime(iso: string, now: string): string {
  const date = new Date(iso)
  if (iso.slice(0, 10) === now.slice(0, 10)) return iso.slice(11, 19)
  const day = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`
  return iso.slice(0, 4) === now.slice(0, 4) ? `${day} ${iso.slice(11, 16)}` : `${day} ${iso.slice(0, 4)}`
}

/** Formats a time as `2026-03-02 09:00:12.345 UTC`. */
export function longTime(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 23)} UTC`
}

/** Formats a time for the clock: `Mon 2 Mar 2026` and `09:00:12`. */
export function clockTime(ms: number): { readonly day: string; readonly time: string } {
  const date = new Date(ms)
  const day = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
  return { day: `${DAYS[date.getUTCDay()]} ${day}`, time: date.toISOString().slice(11, 19) }
}

/** Formats a duration by its two largest units: `1 d 4 h` or `3 s`; `now` for 0 and less. */
export function span(ms: number): string {
  let rest = Math.max(0, Math.ceil(ms / 1000))
  const parts = UNITS.map(([seconds, unit]) => {
    const count = Math.floor(rest / seconds)
    rest -= count * seconds
    return { count, text: `${count} ${unit}` }
  })
  const first = parts.findIndex(({ count }) => count > 0)
  if (first === -1) return 'now'
  return parts
    .slice(first, first + 2)
    .filter(({ count }) => count > 0)
    .map(({ text }) => text)
    .join(' ')
}

export function number(count: number): string {
  return count.toLocaleString('en-AU')
}

/** Formats a count with its noun: `1 test` or `3 tests`. */
export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${number(count)} ${count === 1 ? noun : nouns}`
}

/** Formats a duration: `3.1 ms`; empty without one. */
export function ms(duration: number | null): string {
  return duration === null ? '' : `${duration < 10 ? duration.toFixed(1) : Math.round(duration)} ms`
}

export function size(bytes: number): string {
  return bytes < 1_024 ? `${bytes} bytes` : `${(bytes / 1_024).toFixed(1)} kB`
}

/** Returns a status or a name in words: `PARTIAL_RESULTS`, `partialResults` or `bad-signature`. */
export function labelOf(name: string): string {
  const known = LABELS.get(name)
  if (known !== undefined) return known
  const isCamel = /[A-Z]/.test(name) && /[a-z]/.test(name)
  const words = (isCamel ? name.replaceAll(/[A-Z]/g, ' $&') : name)
    .replaceAll(/[_-]/g, ' ')
    .toLowerCase()
    .replaceAll(/\b(?:uuid|url)\b/g, (word) => word.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Returns the description of an action as a sentence. */
export function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
}

/** Returns a value, or a text of JSON, on several lines, cut after 20,000 characters. */
export function json(value: unknown): string {
  const text = typeof value === 'string' ? pretty(value) : JSON.stringify(value, null, 2)
  const rest = text.length - MAX_TEXT
  return rest <= 0 ? text : `${text.slice(0, MAX_TEXT)}\n… and ${number(rest)} characters more`
}

/** Returns a text as JSON on several lines, or unchanged if it isn't JSON. */
export function pretty(text: string): string {
  const value = parsedJson(text)
  return value === text ? text : JSON.stringify(value, null, 2)
}

/** Returns the value of a JSON text, and any other text unchanged. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Formats headers as in HTTP, sorted by name. */
export function headerLines(headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return lines.sort().join('\n')
}
