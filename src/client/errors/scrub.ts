import { isPlain } from './plain-words.js'

/**
 * What of someone else's words may be shown in an error's message. The service may repeat what it was sent, and tell
 * what it knows beside, so every value of the request is cut out, whatever looks like a number, a date, an address or
 * a token, and every word that is none of the field's own.
 */
function scrub(text: string, sent: string | undefined): string {
  let safe = text.slice(0, LONGEST)
  for (const value of sentValues(sent)) safe = replaceAllIgnoringCase(safe, value)
  for (const pattern of SUSPICIOUS) safe = safe.replace(pattern, REMOVED)
  return safe.replace(WORD, (word) => (isPlain(word) ? word : REMOVED)).replace(SEVERAL_REMOVED, REMOVED)
}

/** The parts of someone else's words in which something readable is left; `undefined` when there is none. */
export function readable(text: string, sent: string | undefined): string | undefined {
  const parts = scrub(text, sent).split('; ')
  return parts.filter((part) => LETTER.test(part.replaceAll(REMOVED, ''))).join('; ') || undefined
}

const LONGEST = 500
const LETTER = /\p{L}/u
/** What stands in the place of what must not be shown. */
const REMOVED = '[removed]'
const SEVERAL_REMOVED = /\[removed\](?:[^\p{L}\p{N}]*\[removed\])+/gu
const WORD = /[^\s"'`()[\]{}<>,;:=]+/g

const SUSPICIOUS = [
  /\bhttps?:\/\/\S+/gi,
  /[^\s@[\]"']+@[^\s@[\]"']+/g,
  /\b[\w-]{20,}(\.[\w-]+)*\b/g,
  /\b\d{4}-\d{2}-\d{2}\S*/g,
  /\b\d{1,2}\/\d{1,2}\/\d{2,4}\b/g,
  /\+?\d[\d\s-]{4,}\d\w?/g,
]

function sentValues(sent: string | undefined): string[] {
  if (sent === undefined) return []
  const values = new Set<string>()
  collect(JSON.parse(sent), values)
  return [...values].sort((a, b) => b.length - a.length)
}

function collect(value: unknown, into: Set<string>): void {
  if (typeof value === 'string') {
    if (value.trim().length > 1 && !FIELD_WORD.test(value)) into.add(value.trim())
  } else if (typeof value === 'number') {
    into.add(String(value))
  } else if (typeof value === 'object' && value !== null) {
    for (const nested of Object.values(value)) collect(nested, into)
  }
}

/** Words that name no one and would punch holes into every sentence. */
const FIELD_WORD = /^(male|female|true|false|null|name|email|phone|is|in|of|a|an|the|must|be|to)$/i

function replaceAllIgnoringCase(text: string, value: string): string {
  const escaped = value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return text.replace(new RegExp(escaped, 'gi'), REMOVED)
}
