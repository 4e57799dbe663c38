import { entriesOf, fieldOf } from '../contract/read.js'

/** Input of the report functions. Every `Result` has this shape. */
export interface ReportSource {
  /** The laboratory's report; `null` without report text. */
  readonly report: {
    /** Report text with line numbers (PIT format): one entry per laboratory message with text, in order of arrival. */
    readonly pit: readonly string[]
  } | null
}

/** One line of a laboratory's report. */
export interface ReportLine {
  /** Index of the laboratory message in `report.pit`, from 0. */
  readonly message: number
  /** The line's three-digit PIT code; `null` if it has none. */
  readonly code: string | null
  /** The line without its code, the space after the code, and formatting codes. Other leading spaces are kept. */
  readonly text: string
}

/** PIT's codes for bold, underline, blinking, foreground and background colours, and the default appearance. */
const CODES = '(?:[SE](?:BLD|UND|BLK)|[FB]G\\d\\d|DFLT)+'

/**
 * The three notations of formatting codes: one or several between tildes (`~SBLDSUND~`), between tildes that HL7 has
 * escaped as `\R\`, and HL7's own codes for highlighting (`\H\` and `\N\`). Any other text between tildes is kept.
 */
const FORMATTING = /* @__PURE__ */ new RegExp(`~${CODES}~|\\\\R\\\\${CODES}\\\\R\\\\|\\\\[HN]\\\\`, 'g')

/** A line end, also one that a transfer has doubled (CR CR LF), with the form feeds beside it. */
const LINE_END = /\f{0,9}(?:\r{0,9}\n|\r)\f{0,9}|\f+/
/** A byte order mark, also one that was read as Latin-1, and form feeds at the start of a message. */
const BEFORE_TEXT = /^(?:\uFEFF|\u00EF\u00BB\u00BF|\f)+/
/** Ctrl-Z, the end of a file in DOS. */
const END_OF_FILE = '\u001A'
const CODED_LINE = /^(\d{3})(?: (.*))?$/s

/**
 * Splits a result's report text into lines.
 *
 * A laboratory message is PIT text if its first non-blank line begins with a code: three digits, then a space or the
 * end of the line. In PIT text, a line without a code has `code: null`. In any other message, every line has
 * `code: null`, and a three-digit value at the start of a line (`140 mmol/L`) stays in the text. Formatting codes, such
 * as `~SBLD~` for bold, are always removed.
 *
 * @returns The lines of all messages in order of arrival; an empty list without a valid report.
 */
export function reportLines(result: ReportSource): ReportLine[] {
  return messagesOf(result).flat()
}

/**
 * Returns a result's report text without line codes and formatting codes. A `\n` separates lines, and a blank line
 * separates laboratory messages. Columns are aligned with spaces, so show the text in a monospaced font.
 * {@link reportLines} describes the rules.
 *
 * @returns The text; an empty string without a report.
 */
export function reportText(result: ReportSource): string {
  return messagesOf(result)
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => line.text).join('\n'))
    .join('\n\n')
}

/** Returns the lines of each message. Ignores entries that are not text, because the caller can pass a changed copy. */
function messagesOf(result: ReportSource): ReportLine[][] {
  const pit = fieldOf(fieldOf(result, 'report'), 'pit')
  return entriesOf(typeof pit === 'string' ? [pit] : pit).map(([message, content]) =>
    typeof content === 'string' ? linesOfMessage(content, message) : [],
  )
}

function linesOfMessage(content: string, message: number): ReportLine[] {
  const lines = textOf(content).split(LINE_END)
  if (lines.at(-1) === '') lines.pop()
  const numbered = CODED_LINE.test(lines.find((line) => line.trim() !== '') ?? '')
  return lines.map((line) => {
    const coded = numbered ? CODED_LINE.exec(line) : null
    const text = coded ? (coded[2] ?? '') : line
    return { message, code: coded?.[1] ?? null, text: text.replace(FORMATTING, '') }
  })
}

/** Returns a message without the marks that files have before and after their text. */
function textOf(content: string): string {
  const [text = '', ...others] = content.replace(BEFORE_TEXT, '').split(END_OF_FILE)
  const rest = others.join('')
  return rest.trim() === '' ? text : text + rest
}
