import { REFERRAL_STATUSES, RESULT_STATUSES } from '../../contract/enums.js'
import type { Referral, Result } from '../../contract/types.js'
import type { FakeCore } from '../core/fake-core.js'
import {
  canTransition,
  REFERRAL_TRANSITIONS,
  type ReferralTransitionName,
} from '../domain/referrals-transitions.js'
import { referralView } from '../domain/referrals-view.js'
import { resultView } from '../domain/results.js'
import { type ReferralRow, type ResultRow, resultStatus } from '../state/orders.js'
import { json, labelOf, plural } from './format.js'
import { orderForm } from './send.js'
import { timelineOf } from './timeline.js'
import {
  type Button,
  button,
  byStatus,
  deletedMark,
  factsOf,
  link,
  type Part,
  type Section,
  type View,
} from './view.js'

const MAIN_ACTIONS = ['issue', 'verify', 'partialResults', 'complete', 'release']
const ENDING_ACTIONS = ['failBilling', 'failTest', 'refund', 'softDelete']

/** Fields of a response that have a place of their own on the page. */
const SHOWN_ELSEWHERE = [
  ...['uuid', 'object', 'status', 'person', 'referralAttachment', 'resultsUuid', 'deletedAt'],
  ...['referralUuid', 'resultAttachment', 'biomarkers', 'biomarkerSummary', 'report', 'labPatient'],
]

/** Conditions under which the console offers a change of a result, by the name of the control method (§3.2). */
const RESULT_CHANGES: Readonly<Record<string, (row: ResultRow) => boolean>> = {
  complete: (row) => row.referralUuid === null && row.arrived !== 'COMPLETE',
  amend: (row) => row.arrived === 'COMPLETE' && !row.reportOnly,
  hold: (row) => row.arrived !== null && !row.held,
  release: (row) => row.held,
  review: (row) => row.arrived !== null,
  softDelete: (row) => row.deletedAt === null,
}

export const referrals: View<ReferralRow> = {
  name: 'referrals',
  tab: 'Referrals',
  records: 'referrals',
  searchHint: 'Name, reference or UUID',
  whenEmpty: 'No referrals yet. Place an order over the API, or with the button above.',
  buttons: [{ label: 'Place an order', href: '#/referrals/new' }],
  filters: {
    status: byStatus(REFERRAL_STATUSES, (row) => row.status),
  },
  pages: { new: orderForm },
  rows: ({ state }) => state.orders.referralLists.own,
  position: (row) => row.sequence,
  texts: (row) => [nameOf(row), row.reference, row.referenceNumber, row.uuid],
  show: (row) => ({
    id: row.uuid,
    title: nameOf(row),
    below: [
      row.reference,
      row.referenceNumber,
      plural(row.tests.length, 'test'),
      row.medicare ? 'Medicare' : null,
    ],
    mark: { status: row.status },
    time: row.createdAt,
    isDeleted: row.deletedAt !== null,
  }),
  page: (core, id) => {
    const row = core.state.orders.referrals.get(id)
    if (row?.organisation !== 'own') throw new Error(`the fake has no referral ${id}`)
    return referralPage(core, row)
  },
}

function referralPage({ context, state }: FakeCore, row: ReferralRow) {
  const referral = referralView(context, row)
  const { uuid, status, deletedAt, resultsUuid, siblingUuid } = row
  return {
    title: nameOf(row),
    id: uuid,
    marks: [{ status }, deletedMark(deletedAt)],
    links: [
      resultsUuid && link(`results/${resultsUuid}`, 'Result'),
      pdfLink(referral.referralAttachment),
      siblingUuid && link(`referrals/${siblingUuid}`, 'Other referral of the order'),
    ],
    buttons: transitionsOf(row).map((name) => changeButton('referrals', name, uuid)),
    sections: [
      {
        title: 'Timeline',
        timeline: timelineOf(context, row, state.orders.results.get(resultsUuid ?? '')),
        whenEmpty: 'No entries.',
      },
      { title: 'Order', facts: detailsOf(referral) },
      { title: 'Patient', facts: factsOf(referral.person) },
      { title: 'API response', folded: true, text: json(referral) },
    ],
  }
}

export const results: View<ResultRow> = {
  name: 'results',
  tab: 'Results',
  records: 'results',
  searchHint: 'Name, reference or UUID',
  whenEmpty: 'No results yet. Complete a referral, or create a result with the buttons above.',
  buttons: [
    incomingButton('New incoming result', {}, 'A complete INCOMING result of an invented patient'),
    incomingButton('New partial result', { partial: true }, 'An INCOMING result with some of its biomarkers'),
  ],
  filters: {
    status: byStatus(RESULT_STATUSES, resultStatus),
  },
  rows: ({ state }) => state.orders.resultLists.own,
  position: (row) => row.sequence,
  texts: (row) => [nameOf(row), row.reference, row.referenceNumber, row.uuid, row.referralUuid],
  show: (row) => ({
    id: row.uuid,
    title: nameOf(row),
    below: [labelOf(row.provenance), row.reference],
    mark: { status: resultStatus(row) },
    time: row.resultDate,
    isDeleted: row.deletedAt !== null,
  }),
  page: (core, id) => {
    const row = core.state.orders.results.get(id)
    if (row?.organisation !== 'own') throw new Error(`the fake has no result ${id}`)
    return resultPage(core, row)
  },
}

function resultPage({ context, state }: FakeCore, row: ResultRow) {
  const result = resultView(context, row)
  const { uuid, status, referralUuid, biomarkers, report, labPatient } = result
  return {
    title: nameOf(row),
    id: uuid,
    marks: [{ status }, deletedMark(result.deletedAt)],
    links: [
      labelOf(result.provenance),
      referralUuid && link(`referrals/${referralUuid}`, 'Referral'),
      pdfLink(result.resultAttachment),
    ],
    buttons: resultButtons(row, result, state.orders.referrals.get(referralUuid ?? '')),
    sections: [
      {
        title: 'Biomarkers',
        marks: biomarkerCounts(result),
        biomarkers,
        whenEmpty: report === null ? 'No biomarkers.' : 'No biomarkers, only report text.',
      },
      ...(report?.pit ?? []).map((text, place) => ({
        title: `Report text, message ${place + 1}`,
        folded: true,
        text,
      })),
      { title: 'Timeline', timeline: timelineOf(context, undefined, row), whenEmpty: 'No entries.' },
      { title: 'Patient', facts: factsOf(result.person) },
      ...(labPatient ? [{ title: 'Patient as recorded by the laboratory', facts: factsOf(labPatient) }] : []),
      { title: 'Result', facts: detailsOf(result) },
      { title: 'API response', folded: true, text: json(result) },
    ] satisfies Section[],
  }
}

function resultButtons(row: ResultRow, { biomarkers }: Result, referral: ReferralRow | undefined): Button[] {
  const arrivals = referral === undefined ? [] : transitionsOf(referral).filter(isArrival)
  const changes = Object.entries(RESULT_CHANGES).filter(([, can]) => can(row))
  const values = biomarkers.map(({ id, name }) => [id, name] as const)
  return [
    ...arrivals.map((name) => changeButton('referrals', name, referral?.uuid ?? '')),
    ...changes.map(([name]) => ({ ...changeButton('results', name, row.uuid), choices: { values } })),
  ]
}

function biomarkerCounts({ biomarkerSummary }: Result): Part[] {
  if (biomarkerSummary === null || biomarkerSummary.total === 0) return []
  const { normal, abnormal, critical, total } = biomarkerSummary
  return [
    { text: `${normal} normal`, tone: 'good' },
    { text: `${abnormal} abnormal`, tone: abnormal === 0 ? 'quiet' : 'warn' },
    { text: `${critical} critical`, tone: critical === 0 ? 'quiet' : 'bad' },
    { text: `of ${total}` },
  ]
}

function transitionsOf(row: ReferralRow): string[] {
  return Object.keys(REFERRAL_TRANSITIONS).filter((name) => isTransition(name) && canTransition(row, name))
}

function isTransition(name: string): name is ReferralTransitionName {
  return Object.hasOwn(REFERRAL_TRANSITIONS, name)
}

function isArrival(transition: string): boolean {
  return transition === 'partialResults' || transition === 'complete'
}

/** A press sends the change without fields, except a correction, which needs them. */
function changeButton(group: 'referrals' | 'results', name: string, uuid: string): Button {
  const path = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const label = labelOf(name)
  return button(`POST /${group}/{uuid}/${path}`, {
    params: { uuid },
    label,
    ...(name === 'amend' ? {} : { body: {} }),
    ...(MAIN_ACTIONS.includes(name) && { tone: 'main' }),
    ...(ENDING_ACTIONS.includes(name) && { tone: 'bad' }),
  })
}

function incomingButton(label: string, body: object, description: string): Button {
  return { label, description, method: 'POST', path: '/results/incoming', body, href: '#/results/{uuid}' }
}

function detailsOf(record: Referral | Result) {
  const metadata = record.metadata && JSON.stringify(record.metadata)
  return factsOf({ ...record, metadata }, SHOWN_ELSEWHERE)
}

/** A link to a signed document URL of the fake. */
function pdfLink(url: string | null): Part | null {
  return url !== null && /^https?:/.test(url) ? { text: 'PDF', href: url } : null
}

function nameOf({ person }: ReferralRow | ResultRow): string {
  return `${person.firstName} ${person.lastName}`.trim() || 'No name'
}
