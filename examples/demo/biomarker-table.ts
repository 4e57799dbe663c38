import type { Biomarker, Result } from 'pathology-sdk'
import { type BiomarkerFlag, flagOf, formatRange } from 'pathology-sdk/display'

const WIDTH = 24

const MARKS: Readonly<Record<BiomarkerFlag, string>> = { low: '↓', high: '↑', normal: ' ', unknown: '?' }

/** Margin of the picture on each side, as a multiple of the range's width. */
const MARGIN = 0.5

/**
 * Formats a result's biomarkers as a table with their reference ranges. The fake generates the values. Never print the values
 * of real results: show them only to clinicians.
 */
export function biomarkerTable(result: Result): string {
  const { normal, abnormal, critical, total } = result.biomarkerSummary ?? {
    normal: 0,
    abnormal: 0,
    critical: 0,
    total: 0,
  }
  const head = `\nResult (${result.status}): ${total} biomarkers, ${normal} normal, ${abnormal} abnormal, ${critical} critical\n`
  return head + result.biomarkers.map(row).join('')
}

function row(biomarker: Biomarker): string {
  const name = biomarker.name.slice(0, 36).padEnd(36)
  const value = biomarker.formattedValue.slice(0, 18).padStart(18)
  const flag = MARKS[flagOf(biomarker)]
  return `  ${name} ${value} ${flag} ${picture(biomarker)}  ${formatRange(biomarker)}\n`
}

/** Draws the range as a line and the value as a dot. A side without a limit has no end mark. */
function picture({ value, refIntervalLow: low, refIntervalHigh: high }: Biomarker): string {
  const number = Number(value)
  if (Number.isNaN(number) || value.trim() === '' || (low === null && high === null)) return ' '.repeat(WIDTH)
  const from = low ?? Math.min(0, number)
  const to = high ?? Math.max(number, from * 2, from + 1)
  const span = to - from || 1
  const place = (x: number): number => {
    const share = (x - from + span * MARGIN) / (span * (1 + 2 * MARGIN))
    return Math.round(Math.min(1, Math.max(0, share)) * (WIDTH - 1))
  }
  const cells = Array.from({ length: WIDTH }, (_, index) => cell(index, place(from), place(to)))
  if (low !== null) cells[place(from)] = '├'
  if (high !== null) cells[place(to)] = '┤'
  cells[place(number)] = '●'
  return cells.join('')
}

function cell(index: number, start: number, end: number): string {
  return index >= start && index <= end ? '─' : '·'
}
