import { isKnownReferralStatus, isKnownResultStatus } from '../../contract/enums.js'
import { isPlain } from '../../contract/plain-words.js'
import { MARK, normalised, type RequestValues } from './request-values.js'

/** Characters of the longest text that is shown. */
const LONGEST = 500
/** Characters that are read for it: what is removed makes room for what follows. */
const READ = 2 * LONGEST

const WORD = /[^\s"'`()[\]{}<>,;:=*]+/g
const ASCII = /^[!-~]+$/
const LETTER = /[a-z]/i
const SEVERAL_MARKS = /\*{3}(?:[^A-Za-z0-9*]*\*{3})+/g

/**
 * The readable part of the service's or the platform's text, in at most 500 ASCII characters; `undefined` when nothing
 * is left. A word is shown when it is one of the field's own words, or the id of a test or bundle that was asked for,
 * and when no value of the request with three or more characters overlaps it. Numbers are never shown. A value of one
 * or two characters can remain only where it is such a word, as "No" is.
 */
export function redact(text: string, values: RequestValues): string | undefined {
  if (!values.isComplete) return undefined
  const shown = normalised(beginning(text)).replace(/\[\d+\]/g, '[]')
  const places = values.placesIn(shown.toLowerCase())
  const marked = shown.replace(WORD, (word, at: number) => {
    const isHidden = places.subarray(at, at + word.length).includes(1)
    return !isHidden && isShown(word, values) ? word : MARK
  })
  return joined(marked.split('; ')) || undefined
}

/** The text's first characters, up to the end of a word: the rest of a cut word could be a part of a value. */
function beginning(text: string): string {
  return text.length <= READ ? text : text.slice(0, READ).replace(/\S*$/, '')
}

function isShown(word: string, values: RequestValues): boolean {
  return ASCII.test(word) && (isPlain(word) || values.isCatalogueId(word.replace(/[.!?]$/, '')))
}

/** The parts that hold a word, as many as there is room for. */
function joined(parts: readonly string[]): string {
  let text = ''
  for (const each of parts) {
    const part = each.replace(SEVERAL_MARKS, MARK).trim()
    if (!LETTER.test(part)) continue
    if (text === '') text = shortened(part)
    else if (text.length + 2 + part.length <= LONGEST) text += `; ${part}`
  }
  return text
}

function shortened(part: string): string {
  if (part.length <= LONGEST) return part
  const text = part
    .slice(0, LONGEST + 1)
    .replace(/\S*$/, '')
    .trim()
  return LETTER.test(text) ? text : ''
}

const CODE = /^[A-Z][A-Z0-9_]{2,63}$/
/** The form of the token service's codes. */
const NUMERIC_CODE = /^\d{3}$/

/**
 * A code that this version does not know, when it looks like one and repeats no value of the request. A code of one word
 * must be a word of the field: a name in capitals has the same form.
 */
export function safeCode(code: string, values: RequestValues): string | undefined {
  const looksRight = NUMERIC_CODE.test(code) || (CODE.test(code) && (code.includes('_') || isPlain(code)))
  return looksRight && !values.isIn(code) ? code : undefined
}

const ID = /^(?=.*[A-Za-z])(?=.*\d)[A-Za-z0-9._:/+=-]{1,128}$/

/** An id that the service gave a request: letters and digits, and no value of the request. */
export function safeId(id: string, values: RequestValues): string | undefined {
  return ID.test(id) && !values.isIn(id) ? id : undefined
}

/** A status in words. One that this version does not know is shown only when its words are the field's own. */
export function statusSeen(status: unknown): string {
  if (typeof status !== 'string' || status === '') return 'no status of it was seen'
  const isShown = isKnownReferralStatus(status) || isKnownResultStatus(status) || isPlainStatus(status)
  return isShown ? `its status is ${status}` : 'its status is one that this version does not know'
}

function isPlainStatus(status: string): boolean {
  return /^[A-Z][A-Z_]{2,39}$/.test(status) && isPlain(status)
}
