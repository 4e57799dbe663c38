import { isKnownEventName } from '../../contract/events.js'
import { isPlain } from '../../contract/plain-words.js'
import { ownFieldOf } from '../../contract/read.js'

/** Text that replaces each part that must not be shown. It has no letter or digit, so no request value matches it. */
const MARK = '***'

/** Maximum length of the returned text, in characters. */
const MAX_LENGTH = 500

/**
 * Maximum number of characters that are read. This maximum is larger than the maximum length of the returned text,
 * because redaction shortens the text.
 */
const MAX_READ = 2 * MAX_LENGTH

const WORD = /[^\s"'`()[\]{}<>,;:=*]+/g
const ASCII = /^[!-~]+$/
const LETTER = /[a-z]/i
const SEVERAL_MARKS = /\*{3}(?:[^A-Za-z0-9*]*\*{3})+/g

/**
 * Removes request values from a text of the service or the platform. Returns at most 500 ASCII characters; `undefined`
 * when nothing remains. Also returns `undefined` when the request has too many values to collect all of them.
 *
 * Keeps only words of the list of plain words, names of known events, and IDs of requested tests and bundles. Also
 * replaces a plain word that overlaps a request value of three or more characters. A value of one or two characters
 * remains only where it is a plain word, such as "No".
 */
export function redact(text: string, values: RequestValues): string | undefined {
  if (!values.isComplete) return undefined
  const shown = normalised(cut(text, MAX_READ)).replace(/\[\d+\]/g, '[]')
  const places = values.placesIn(shown.toLowerCase())
  const marked = shown.replace(WORD, (word, at: number) => {
    const isHidden = places.subarray(at, at + word.length).includes(1)
    return !isHidden && isShown(word, values) ? word : MARK
  })
  return joined(marked.split('; ')) || undefined
}

/** Cuts a text at the end of a word: a cut request value would not be found, so its first part would be shown. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length + 1).replace(/\S*$/, '')
}

function isShown(word: string, values: RequestValues): boolean {
  return (
    ASCII.test(word) &&
    (isPlain(word) || isKnownEventName(word) || values.isCatalogueId(word.replace(/[.!?]$/, '')))
  )
}

/** Joins the parts that contain a letter, up to the maximum length. */
function joined(parts: readonly string[]): string {
  let text = ''
  for (const each of parts) {
    const part = cut(each.replace(SEVERAL_MARKS, MARK).trim(), MAX_LENGTH).trim()
    if (!LETTER.test(part)) continue
    if (text === '') text = part
    else if (text.length + 2 + part.length <= MAX_LENGTH) text += `; ${part}`
  }
  return text
}

const CODE = /^[A-Z][A-Z0-9_]{2,63}$/
/** Pattern of the token service's codes. */
const NUMERIC_CODE = /^\d{3}$/

/**
 * Returns an unknown code when it has the form of a code and does not repeat a request value. A single word must be
 * a plain word, because a name in capitals has the same form.
 */
export function safeCode(code: string, values: RequestValues): string | undefined {
  const looksRight = NUMERIC_CODE.test(code) || (CODE.test(code) && (code.includes('_') || isPlain(code)))
  return looksRight && !values.isIn(code) ? code : undefined
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Format of a request ID. */
export const REQUEST_ID: RegExp = /^(?=.*[A-Za-z])(?=.*\d)[A-Za-z0-9._:/+=-]{1,128}$/

/** Returns a request ID of the service if it has the format of an ID and does not repeat a request value. */
export function safeId(id: string, values: RequestValues): string | undefined {
  // Nearly every request ID is a UUID. A UUID is unsafe only if the request contains it. This check is faster than
  // `isIn`.
  if (UUID.test(id)) return values.contains(id) ? undefined : id
  return REQUEST_ID.test(id) && !values.isIn(id) ? id : undefined
}

/** Parts of a request that contain values. */
export interface RequestParts {
  /** JSON body, as sent. */
  readonly body?: string | undefined
  /** Path and query, as sent. */
  readonly path?: string | undefined
  /** Returns secrets of the request, such as the client secret and the access token. */
  readonly secrets?: () => readonly (string | undefined)[]
}

/** Minimum length of a value to search for. Shorter values occur in nearly every word. */
const MIN_VALUE_LENGTH = 3
/** A value with at most this number of words is split, such as a name or a street: its words count as values too. */
const MAX_SPLIT_WORDS = 4
/** Maximum length of a value that is split, in characters. */
const MAX_SPLIT_LENGTH = 100
/** A code or an ID that contains a value of at least this length, in characters, is not shown. */
const MIN_REVEALING_LENGTH = 5
/** Maximum number of values in a request. If a request has more values, no text of the service is shown. */
const MAX_VALUES = 20_000
/** Maximum number of matches in a text. A text with more matches is not shown. */
const MAX_OCCURRENCES = 10_000

/** Format of the catalogue's IDs: words with hyphens, or a UUID. */
const CATALOGUE_ID =
  /^(?=.{3,64}$)(?:[a-z][a-z0-9]*(?:-[a-z0-9]+)*|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/**
 * Values of a request that an error message must not contain. The values are collected once, on first use. The cost of
 * a search grows with the number of values and with the length of the text.
 */
export class RequestValues {
  readonly #parts: RequestParts
  #collected: Collected | undefined

  constructor(parts: RequestParts) {
    this.#parts = parts
  }

  /** `true` when every value was collected. */
  get isComplete(): boolean {
    return this.#all.isComplete
  }

  /** Returns `true` for the ID of a requested test or bundle that is not also another request value. */
  isCatalogueId(word: string): boolean {
    if (!CATALOGUE_ID.test(word)) return false
    const { ids, values } = this.#all
    const times = ids.filter((id) => id === word).length
    return times > 0 && times === values.filter((value) => value === word).length
  }

  /**
   * Returns an array with a 1 for each character of the text that belongs to a request value, and a 0 for any other.
   * IDs of requested tests and bundles and known event names get a 0. With too many matches, all characters get a 1.
   *
   * @param text - Text in lower case.
   */
  placesIn(text: string): Uint8Array {
    const places = new Uint8Array(text.length)
    let occurrences = 0
    for (const value of this.#valuesIn(text)) {
      for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1)) {
        occurrences += 1
        if (occurrences > MAX_OCCURRENCES) return places.fill(1)
        places.fill(1, at, at + value.length)
      }
    }
    return places
  }

  /** Returns `true` when the request contains a text, as given or in upper case. */
  contains(text: string): boolean {
    const { body = '', path = '', secrets } = this.#parts
    const given = [path, body, ...(secrets?.() ?? [])]
    return [text, text.toUpperCase()].some((form) => given.some((part) => part?.includes(form)))
  }

  /** Returns `true` when a code or an ID repeats part of the request, or contains a value of the request. */
  isIn(token: string): boolean {
    const lower = token.toLowerCase()
    const words = lower.split(/[^a-z0-9]+/).filter((word) => word.length >= MIN_VALUE_LENGTH)
    const { everything, isComplete } = this.#all
    const repeats = [lower, words.join(' '), ...words.filter((word) => !isPlain(word))]
    if (!isComplete || repeats.some((part) => part.length >= MIN_VALUE_LENGTH && everything.includes(part)))
      return true
    const values = [...this.#valuesIn(lower)]
    return values.some((value) => value.length >= MIN_REVEALING_LENGTH || words.includes(value))
  }

  /** Returns the values in a text, except event names, catalogue IDs and values without letters and digits. */
  #valuesIn(text: string): ReadonlySet<string> {
    const found = new Set(this.#all.values.filter((value) => text.includes(value)))
    for (const value of found) {
      if (!LETTER_OR_DIGIT.test(value) || isKnownEventName(value) || this.isCatalogueId(value))
        found.delete(value)
    }
    return found
  }

  get #all(): Collected {
    this.#collected ??= collect(this.#parts)
    return this.#collected
  }
}

/** The values with their words, and the complete request as one text, both in lower case. */
interface Collected {
  readonly values: readonly string[]
  /** IDs of the requested tests and of the requested bundle. */
  readonly ids: readonly unknown[]
  readonly everything: string
  readonly isComplete: boolean
}

function collect({ body = '', path = '', secrets }: RequestParts): Collected {
  const [, query = ''] = path.split('?')
  const outside = [...new URLSearchParams(query).values()].flatMap((value) => value.split(','))
  for (const secret of secrets?.() ?? []) if (secret !== undefined) outside.push(secret)
  const content: unknown = body === '' ? undefined : JSON.parse(body)
  const texts = textsOf(content)
  const values: string[] = []
  for (const each of [...outside, ...texts]) {
    const text = each.toLowerCase()
    for (const value of ORDINARY.test(text) ? [text] : normalised(text).split(MARK))
      addWithWords(value.trim(), values)
  }
  const everything = [body, path, ...outside].join('\n').toLowerCase()
  const ids = ID_FIELDS.flatMap((name) => ownFieldOf(content, name))
  return { values, ids, everything, isComplete: texts.length <= MAX_VALUES }
}

function addWithWords(value: string, values: string[]): void {
  if (value.length < MIN_VALUE_LENGTH) return
  values.push(value)
  if (value.length > MAX_SPLIT_LENGTH || !value.includes(' ')) return
  const words = value.split(' ')
  if (words.length <= MAX_SPLIT_WORDS)
    for (const word of words) if (word.length >= MIN_VALUE_LENGTH) values.push(word)
}

/** Returns the strings in parsed JSON, except property names and short strings, up to one more than the maximum. */
function textsOf(content: unknown): string[] {
  const texts: string[] = []
  const found = [content]
  while (found.length > 0 && texts.length <= MAX_VALUES) {
    const next = found.pop()
    if (typeof next === 'string' && next.length >= MIN_VALUE_LENGTH) texts.push(next)
    if (typeof next !== 'object' || next === null) continue
    for (const entry of Object.values(next)) found.push(entry)
  }
  return texts
}

const ID_FIELDS = ['tests', 'medicareTests', 'bundleId'] as const

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u

/** Escape sequences that colour a terminal or move its cursor. */
const ESCAPE_SEQUENCE = /\p{Cc}\[[\d;?]*[A-Za-z]/gu

/** Text that `normalised` does not change, or an empty text. */
const ORDINARY = /^(?:[!-)+-~]+(?: [!-)+-~]+)*)?$/

/**
 * Puts a text on one line, without control, format and bidirectional characters, and with ASCII quotes and dashes.
 * Asterisks remain only in redaction marks. Conversion to lower case keeps the length of the result, so positions are
 * the same in both forms.
 */
function normalised(text: string): string {
  return text
    .replace(/\*+/g, (run) => (run === MARK ? run : ' '))
    .replace(ESCAPE_SEQUENCE, ' ')
    .replace(/[\s\p{C}\p{Z}]+/gu, ' ')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/[\u2013\u2014]/g, '-')
    .replaceAll('\u0130', 'I')
    .trim()
}
