import type { Biomarker } from '../../contract/types.js'
import type { FakeContext } from '../state/context.js'
import type { LaboratoryMessage, ResultRow } from '../state/orders.js'
import { biomarkersOfTests, reportedBiomarkers } from './results-biomarkers.js'

const NAME_WIDTH = 38
const VALUE_WIDTH = 12
const UNIT_WIDTH = 18

/** Returns the laboratory's report text: one entry for each message, in the order received (§2.5). */
export function reportMessages(
  context: FakeContext,
  row: ResultRow,
  biomarkers: readonly Biomarker[],
): string[] {
  return row.messages.map((message, index) => {
    const before = row.messages[index - 1]
    const now = message.values === row.values ? biomarkers : biomarkersAt(context, row, message)
    const shown =
      message.kind === 'corrected' && before !== undefined
        ? changedBiomarkers(now, biomarkersAt(context, row, before))
        : now.slice(before?.reported ?? 0, message.reported)
    const body = row.reportOnly ? narrative(context, row) : shown.map(valueLine)
    return numbered([...heading(row, message.receivedAt), ...body, '', CLOSING[message.kind]])
  })
}

const CLOSING: Readonly<Record<LaboratoryMessage['kind'], string>> = {
  interim: 'INTERIM REPORT: further results follow',
  final: 'FINAL REPORT',
  corrected: 'CORRECTED REPORT: replaces the values reported before',
}

/** Returns the biomarkers with their values directly after a message. */
function biomarkersAt(context: FakeContext, row: ResultRow, message: LaboratoryMessage): Biomarker[] {
  return reportedBiomarkers(context, { ...row, values: message.values, messages: [message] })
}

function changedBiomarkers(now: readonly Biomarker[], before: readonly Biomarker[]): Biomarker[] {
  return now.filter(({ value }, index) => value !== before[index]?.value)
}

function heading(row: ResultRow, receivedAt: string): string[] {
  const { firstName, lastName, dob } = row.labPatient ?? row.person
  return [
    `Patient: ${(lastName ?? '').toUpperCase()}, ${firstName ?? ''}`,
    `Born:    ${dob ?? 'not stated'}`,
    `Printed: ${receivedAt.slice(0, 10)}`,
    '',
    `${'Test'.padEnd(NAME_WIDTH)}${'Result'.padStart(VALUE_WIDTH)} ${'Units'.padEnd(UNIT_WIDTH)}Reference`,
  ]
}

function valueLine(biomarker: Biomarker): string {
  const mark = biomarker.isAbnormal === true ? '*' : ' '
  const unit = (biomarker.unit ?? '').padEnd(UNIT_WIDTH)
  const value = biomarker.value.padStart(VALUE_WIDTH)
  return `${mark}${biomarker.name.padEnd(NAME_WIDTH - 1)}${value} ${unit}${interval(biomarker)}`.trimEnd()
}

function interval({ refIntervalLow, refIntervalHigh }: Biomarker): string {
  if (refIntervalLow !== null && refIntervalHigh !== null) return `(${refIntervalLow} - ${refIntervalHigh})`
  if (refIntervalLow !== null) return `(>= ${refIntervalLow})`
  return refIntervalHigh === null ? '' : `(<= ${refIntervalHigh})`
}

function narrative(context: FakeContext, row: ResultRow): string[] {
  const names = biomarkersOfTests(context, row.tests).map((record) => record.name)
  return [
    'MICROSCOPIC REPORT',
    `Examined for: ${names.slice(0, 3).join(', ') || 'as requested'}.`,
    'No abnormality was seen. The specimen was adequate.',
  ]
}

function numbered(lines: readonly string[]): string {
  return lines.map((line, index) => `${301 + index} ${line}`.trimEnd()).join('\n')
}
