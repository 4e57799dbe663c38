import { isPlain } from '../../contract/plain-words.js'

/** Stands in the place of what must not be shown. No letter or digit is in it, so that no value occurs in it. */
export const MARK = '***'

/** Where the values of a request stand. */
export interface RequestParts {
  /** JSON, as it was sent. */
  readonly body?: string | undefined
  /** Path and query, as they were sent. */
  readonly path?: string | undefined
  /** The client's secret, the access token. */
  readonly secrets?: () => readonly (string | undefined)[]
}

/** Characters of the shortest value that is searched for: shorter ones occur in nearly every word. */
const SHORTEST = 3
/** Each word of a value with so few words, such as a name or a street, counts as a value too. */
const FEW_WORDS = 4
/** Characters of a value with so few words, at most. */
const FEW_WORDS_LENGTH = 100
/** Characters of a value that makes a code or an id unsafe wherever in it the value occurs. */
const TELLING = 5
/** A request with more values is not searched: then nothing of the service's text is shown. */
const MOST_VALUES = 20_000
/** A text with more occurrences of values is not shown. */
const MOST_OCCURRENCES = 10_000

const CATALOGUE_ID = /^(?=.{3,64}$)[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/

/**
 * The values that no error may repeat. They are collected once, when they are first needed. A search costs time in
 * proportion to their number and to the length of the text.
 */
export class RequestValues {
  readonly #parts: RequestParts
  #collected: Collected | undefined
  /** Fields with the names of id fields, at any depth: without the word in them, the body need not be parsed. */
  #idFields: string | undefined
  #ids: readonly string[] | undefined

  constructor(parts: RequestParts) {
    this.#parts = parts
  }

  /** Whether every value was collected. */
  get isComplete(): boolean {
    return this.#all.isComplete
  }

  /** Tells whether a word is the id of a test or a bundle that was asked for, and is no other value of the request. */
  isCatalogueId(word: string): boolean {
    const { body = '' } = this.#parts
    this.#idFields ??= body.match(ID_FIELD)?.join() ?? ''
    if (!CATALOGUE_ID.test(word) || !this.#idFields.includes(`"${word}"`)) return false
    this.#ids ??= catalogueIds(body)
    const times = this.#ids.filter((id) => id === word).length
    return times > 0 && times === this.#all.values.filter((value) => value === word).length
  }

  /**
   * Marks, with 1, the characters of a text at which a value stands.
   *
   * @param text - In lower case.
   */
  placesIn(text: string): Uint8Array {
    const places = new Uint8Array(text.length)
    let occurrences = 0
    for (const value of this.#valuesIn(text)) {
      for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1)) {
        occurrences += 1
        if (occurrences > MOST_OCCURRENCES) return places.fill(1)
        places.fill(1, at, at + value.length)
      }
    }
    return places
  }

  /** Tells whether a code or an id repeats something of the request, or holds a value. */
  isIn(token: string): boolean {
    const lower = token.toLowerCase()
    const words = lower.split(/[^a-z0-9]+/).filter((word) => word.length >= SHORTEST)
    const { everything, isComplete } = this.#all
    const repeats = [lower, words.join(' '), ...words.filter((word) => !isPlain(word))]
    if (!isComplete || repeats.some((part) => part.length >= SHORTEST && everything.includes(part)))
      return true
    const values = [...this.#valuesIn(lower)]
    return values.some((value) => value.length >= TELLING || words.includes(value))
  }

  /** The values that occur in a text. */
  #valuesIn(text: string): ReadonlySet<string> {
    const starts = new Uint8Array(HASHES)
    for (let at = 0; at + SHORTEST <= text.length; at += 1) starts[hashAt(text, at)] = 1
    const found = new Set<string>()
    for (const value of this.#all.values) {
      // Nearly no value gets beyond this: its first characters do not occur.
      if (starts[hashAt(value, 0)] === 1 && text.includes(value)) found.add(value)
    }
    for (const value of found) {
      if (!LETTER_OR_DIGIT.test(value) || this.isCatalogueId(value)) found.delete(value)
    }
    return found
  }

  get #all(): Collected {
    this.#collected ??= collect(this.#parts)
    return this.#collected
  }
}

const HASHES = 4_096

/** A hash of the first characters from a place, as many as the shortest value has. */
function hashAt(text: string, at: number): number {
  return (text.charCodeAt(at) * 289 + text.charCodeAt(at + 1) * 17 + text.charCodeAt(at + 2)) % HASHES
}

/** The values, their words, and the request as one text: all in lower case. */
interface Collected {
  readonly values: readonly string[]
  readonly everything: string
  readonly isComplete: boolean
}

function collect({ body = '', path = '', secrets }: RequestParts): Collected {
  const [, query = ''] = path.split('?')
  const outside = [...new URLSearchParams(query).values()].flatMap((value) => value.split(','))
  for (const secret of secrets?.() ?? []) if (secret !== undefined) outside.push(secret)
  const texts = textsOf(body.toLowerCase())
  const values: string[] = []
  for (const text of [...outside.map((each) => each.toLowerCase()), ...texts]) {
    for (const value of ORDINARY.test(text) ? [text] : normalised(text).split(MARK))
      addWithWords(value.trim(), values)
  }
  const everything = [body, path, ...outside].join('\n').toLowerCase()
  return { values, everything, isComplete: texts.length <= MOST_VALUES }
}

function addWithWords(value: string, values: string[]): void {
  if (value.length < SHORTEST) return
  values.push(value)
  if (value.length > FEW_WORDS_LENGTH || !value.includes(' ')) return
  const words = value.split(' ')
  if (words.length <= FEW_WORDS) for (const word of words) if (word.length >= SHORTEST) values.push(word)
}

/**
 * The texts in a JSON without white space, save names and those that are too short; one more than the most when there
 * are more. To parse it all would take several times as long.
 */
function textsOf(json: string): string[] {
  const texts: string[] = []
  for (let start = json.indexOf('"'); start !== -1 && texts.length <= MOST_VALUES; ) {
    const end = endOfText(json, start)
    const isName = json.charAt(end + 1) === ':'
    if (!isName && end - start > SHORTEST) texts.push(unescaped(json.slice(start, end + 1)))
    start = json.indexOf('"', end + 1)
  }
  return texts
}

function endOfText(json: string, start: number): number {
  let end = json.indexOf('"', start + 1)
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end
}

function isEscaped(json: string, at: number): boolean {
  let backslashes = 0
  while (json.charAt(at - 1 - backslashes) === '\\') backslashes += 1
  return backslashes % 2 === 1
}

function unescaped(literal: string): string {
  return literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1)
}

/** The ids of tests and bundles that a request asks for. */
function catalogueIds(body: string): readonly string[] {
  const order: unknown = JSON.parse(body)
  if (typeof order !== 'object' || order === null) return []
  return ID_FIELDS.flatMap((name): unknown => Reflect.get(order, name)).filter(isCatalogueForm)
}

const ID_FIELDS = ['tests', 'medicareTests', 'bundleId'] as const
const ID_FIELD = /"(?:tests|medicareTests)":\[[^\]]*\]|"bundleId":"[^"]*"/g

function isCatalogueForm(value: unknown): value is string {
  return typeof value === 'string' && CATALOGUE_ID.test(value)
}

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u

/** What colours a terminal, or moves its cursor. */
const ESCAPE_SEQUENCE = /\p{Cc}\[[\d;?]*[A-Za-z]/gu

/** Text that `normalised` leaves as it is, and an empty one. */
const ORDINARY = /^(?:[!-)+-~]+(?: [!-)+-~]+)*)?$/

/**
 * Text in one line, without control, format and bidirectional characters, with ASCII quotes and dashes. Asterisks remain
 * only as marks. Its lower case has the same length.
 */
export function normalised(text: string): string {
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
