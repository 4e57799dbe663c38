import { entriesOf, fieldOf } from './read.js'

/** What the report functions read of a result; every `Result` is one (§2.5). */
export interface ReportSource {
  /** The laboratory's report; `null` when the result has no report text. */
  readonly report: {
    /**
     * Line-numbered report text (PIT format): one entry for each laboratory message that had any, in order of
     * arrival.
     */
    readonly pit: readonly string[]
  } | null
}

/** One line of a laboratory's report. */
export interface ReportLine {
  /** Which laboratory message the line is from: its index in `report.pit`, from 0. */
  readonly message: number
  /** The line's three-digit PIT code, or `null` where the line has none. */
  readonly code: string | null
  /** The line without its code and the one space after it; further leading spaces are layout and stay. */
  readonly text: string
}

/**
 * The formatting codes of PIT text that are removed when a laboratory's message still holds some
 * (§2.5). A row is written between tildes, alone or several together: `~SBLD~`, `~SBLDSUND~`. This
 * list is closed: whatever is not on it is taken for report text and kept.
 */
export const PIT_FORMATTING_CODES = [
  { pattern: '[SE]BLD', examples: ['SBLD', 'EBLD'], meaning: 'bold starts, ends' },
  { pattern: '[SE]UND', examples: ['SUND', 'EUND'], meaning: 'underlining starts, ends' },
  { pattern: '[SE]BLK', examples: ['SBLK', 'EBLK'], meaning: 'blinking starts, ends' },
  { pattern: 'FG\\d\\d', examples: ['FG04', 'FG99'], meaning: 'foreground colour by two-digit number' },
  { pattern: 'BG\\d\\d', examples: ['BG01', 'BG99'], meaning: 'background colour by two-digit number' },
  { pattern: 'DFLT', examples: ['DFLT'], meaning: 'back to the default appearance' },
] as const

/**
 * The codes in their three spellings: between tildes, between tildes that HL7 escaped as `\R\`, and
 * HL7's own highlighting `\H\` and `\N\`.
 */
const FORMATTING = /* @__PURE__ */ formatting()

function formatting(): RegExp {
  const codes = `(?:${PIT_FORMATTING_CODES.map((code) => code.pattern).join('|')})+`
  return new RegExp(`~${codes}~|\\\\R\\\\${codes}\\\\R\\\\|\\\\[HN]\\\\`, 'g')
}

const LINE_END = /\r\n|\n|\r/
const CODED_LINE = /^(\d{3})(?: (.*))?$/s

/**
 * Reads a result's report text, line by line (§2.5).
 *
 * A laboratory message is line-numbered PIT text when its first line that is not blank has a code: three
 * digits, then a space or the end of the line. In such a message a line without a code is kept with
 * `code: null`. In any other message no code is looked for, so that a line beginning with a value of
 * three digits (`140 mmol/L`) keeps its value. Left-over formatting codes (see `PIT_FORMATTING_CODES`)
 * are removed; nothing else is.
 *
 * @returns the lines of all messages in the order received; empty where the result has no report, or anything else than
 *   a report in its place
 */
export function reportLines(result: ReportSource): ReportLine[] {
  return messagesOf(result).flat()
}

/**
 * A result's report text for reading, without line codes and left-over formatting codes (§2.5): lines
 * end in `\n`, a blank line separates laboratory messages, and the spaces that lay out columns stay, so
 * show it in a fixed-width face. Lines are recognised as {@link reportLines} says.
 *
 * @returns the text; an empty string where the result has no report
 */
export function reportText(result: ReportSource): string {
  return messagesOf(result)
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => line.text).join('\n'))
    .join('\n\n')
}

/** What is no text holds no lines: a result may come from a store that changed it. */
function messagesOf(result: ReportSource): ReportLine[][] {
  const pit = fieldOf(fieldOf(result, 'report'), 'pit')
  return entriesOf(typeof pit === 'string' ? [pit] : pit).map(([message, content]) =>
    typeof content === 'string' ? linesOfMessage(content, message) : [],
  )
}

function linesOfMessage(content: string, message: number): ReportLine[] {
  const lines = content.split(LINE_END)
  if (lines.at(-1) === '') lines.pop()
  const numbered = CODED_LINE.test(lines.find((line) => line.trim() !== '') ?? '')
  return lines.map((line) => {
    const coded = numbered ? CODED_LINE.exec(line) : null
    const text = coded ? (coded[2] ?? '') : line
    return { message, code: coded?.[1] ?? null, text: text.replace(FORMATTING, '') }
  })
}
