import type { Address, Biomarker, Person } from '../../contract/types.js'
import { findTest } from '../state/catalogue.js'
import type { FakeContext } from '../state/context.js'
import { type ReferralRow, type ResultRow, resultStatus } from '../state/orders.js'
import type { PdfContent, PdfLine } from './document-pdf.js'
import { reportedBiomarkers } from './results-biomarkers.js'
import { reportMessages } from './results-report.js'

const NOTICE = 'Created by a fake of the service. The people and the values are invented.'

export function referralPages(context: FakeContext, row: ReferralRow): PdfContent {
  const title = row.medicare ? 'Medicare pathology request' : 'Pathology referral'
  return {
    title: `${title} ${row.reference}`,
    createdAt: new Date(row.updatedAt),
    lines: [
      { text: title, style: 'title' },
      ...facts([
        ['Reference', row.reference],
        ['Your reference', row.referenceNumber],
        ['Issued', row.issuedAt ?? row.updatedAt],
        ['Bundle', row.productName],
        ['Medicare card', row.medicareCardNumber],
        ['DVA file', row.dvaNumber],
      ]),
      ...personLines(row.person),
      ...practitionerLines(row),
      { text: 'Tests', style: 'heading' },
      ...row.tests.map((id) => ({ text: `- ${findTest(context.state.catalogue, id)?.name ?? id} (${id})` })),
      ...facts([['Clinical notes', row.clinicalNotes]]),
      { text: NOTICE },
    ],
  }
}

/** Returns the content of a result's PDF: the biomarkers with their intervals, and the report text if it is stored. */
export function resultPages(context: FakeContext, row: ResultRow): PdfContent {
  const biomarkers = reportedBiomarkers(context, row)
  return {
    title: `Pathology result ${row.reference}`,
    createdAt: new Date(row.updatedAt),
    lines: [
      { text: 'Pathology result', style: 'title' },
      ...facts([
        ['Reference', row.reference],
        ['Your reference', row.referenceNumber],
        ['Status', resultStatus(row)],
        ['Reported', row.resultDate],
      ]),
      ...personLines(row.person),
      { text: 'Biomarkers', style: 'heading' },
      { text: columns('Name', 'Value', 'Interval', ''), style: 'fixed' },
      ...biomarkers.map((biomarker): PdfLine => ({ text: biomarkerLine(biomarker), style: 'fixed' })),
      ...(row.keepsReport ? reportLines(reportMessages(context, row, biomarkers)) : []),
      { text: NOTICE },
    ],
  }
}

function personLines(person: Person): PdfLine[] {
  return [
    { text: 'Patient', style: 'heading' },
    ...facts([
      ['Name', `${person.firstName} ${person.lastName}`],
      ['Date of birth', person.dob],
      ['Gender', person.gender],
      ['Address', addressText(person.address)],
      ['Phone', person.phone],
      ['Email', person.email],
    ]),
  ]
}

function practitionerLines({ orderingPractitioner }: ReferralRow): PdfLine[] {
  if (orderingPractitioner === null) return []
  return [
    { text: 'Ordering practitioner', style: 'heading' },
    ...facts([
      ['Name', orderingPractitioner.name],
      ['Address', orderingPractitioner.address],
      ['Provider number', orderingPractitioner.providerNumber],
    ]),
  ]
}

function addressText(address: Address): string {
  const { addressLine1, addressLine2, city, state, postCode, country } = address
  return [addressLine1, addressLine2, city, state, postCode, country].filter(Boolean).join(', ')
}

/** Returns a line `label: text` for each row that has a text. */
function facts(rows: readonly (readonly [label: string, text: string | null])[]): PdfLine[] {
  return rows.flatMap(([label, text]) =>
    text === null || text === '' ? [] : [{ text: `${label}: ${text}` }],
  )
}

function biomarkerLine(biomarker: Biomarker): string {
  const { refIntervalLow: low, refIntervalHigh: high } = biomarker
  const interval = low === null && high === null ? '' : `${low ?? ''} - ${high ?? ''}`
  return columns(biomarker.name, biomarker.formattedValue, interval, biomarker.isAbnormal === true ? '*' : '')
}

function columns(name: string, value: string, interval: string, flag: string): string {
  return `${name.slice(0, 42).padEnd(44)}${value.slice(0, 22).padEnd(24)}${interval.padEnd(18)}${flag}`.trimEnd()
}

function reportLines(messages: readonly string[]): PdfLine[] {
  const lines = messages.flatMap((message) => message.split(/\r?\n/))
  return [{ text: 'Report', style: 'heading' }, ...lines.map((text): PdfLine => ({ text, style: 'fixed' }))]
}
