import { biomarkerTables } from './biomarkers.js'
import { h } from './dom.js'
import { labelOf } from './format.js'
import {
  actionBar,
  block,
  button,
  copyable,
  empty,
  facts,
  field,
  foldedJson,
  pill,
  time,
  timeline,
} from './parts.js'
import { pdfLink, personFacts } from './referrals.js'

/**
 * @typedef {import('../views.js').ResultSummary} ResultSummary
 * @typedef {import('../views.js').ResultDetail} ResultDetail
 */

/** @type {import('./lists.js').ListView<ResultSummary, ResultDetail>} */
export const results = {
  name: 'results',
  label: 'Results',
  path: '/console/results',
  searchHint: 'Name, reference or UUID',
  filter: {
    name: 'status',
    any: 'Any status',
    choices: ({ resultStatuses }) => resultStatuses.map((status) => [status, labelOf(status)]),
  },
  tools: [
    button('New incoming result', {
      path: '/results/incoming',
      body: {},
      title: 'Creates a complete INCOMING result for an invented patient',
      done: 'Result created',
      go: '#/results/{uuid}',
    }),
    button('New partial result', {
      path: '/results/incoming',
      body: { partial: true },
      title: 'Creates an INCOMING result with the status PARTIAL_RESULTS and some of its biomarkers',
      done: 'Partial result created',
      go: '#/results/{uuid}',
    }),
  ],
  whenEmpty: 'No results yet. Complete a referral, or create a result with the buttons above.',
  idOf: ({ uuid }) => uuid,
  row: ({ name, status, provenance, reference, resultDate }, now) => [
    name === '' ? 'No name' : name,
    [labelOf(provenance), reference].filter((part) => part !== '').join(' · '),
    pill(status),
    time(resultDate, now),
  ],
  detail: resultDetail,
  nothingSelected: 'Select a result to see its biomarkers.',
}

/**
 * @param {ResultDetail} detail
 * @param {string} now
 */
function resultDetail({ result, texts, actions, timeline: entries }, now) {
  const { person, uuid, status, referralUuid, resultAttachment, biomarkers, report, labPatient } = result
  const name = `${person.firstName} ${person.lastName}`.trim()
  return h(
    'article',
    { 'data-key': uuid },
    h(
      'header',
      null,
      h('h2', null, name === '' ? 'No name' : name, pill(status)),
      result.deletedAt === null ? null : h('span', { class: 'pill', 'data-tone': 'bad' }, 'Deleted'),
      copyable(uuid),
      h(
        'p',
        { class: 'links' },
        h('span', { class: 'muted' }, labelOf(result.provenance)),
        referralUuid === null ? null : h('a', { href: `#/referrals/${referralUuid}` }, 'Referral'),
        resultAttachment === null ? null : pdfLink(resultAttachment),
      ),
    ),
    actionBar(actions.filter(({ name }) => name !== 'amend')),
    block(
      'Biomarkers',
      summary(result),
      biomarkers.length === 0
        ? empty(report === null ? 'No biomarkers.' : 'No biomarkers, only report text.')
        : biomarkerTables(biomarkers, texts),
    ),
    actions.some(({ name }) => name === 'amend') ? block('Correction', amendForm(result)) : null,
    report === null ? null : reportBlock(report.pit),
    block('Timeline', timeline(entries, now)),
    block('Patient', personFacts(person)),
    labPatient === null ? null : block('Patient as recorded by the laboratory', labFacts(labPatient)),
    block(
      'Result',
      facts([
        ['Date', time(result.resultDate, now)],
        ['Updated', time(result.updatedAt, now)],
        ['Reference', result.reference],
        ['Reference number', result.referenceNumber],
        [
          'Reviewed by',
          result.reviewedBy === null ? '' : `${result.reviewedBy.firstName} ${result.reviewedBy.lastName}`,
        ],
        ['Metadata', JSON.stringify(result.metadata)],
      ]),
    ),
    foldedJson('API response', result),
  )
}

/**
 * Returns the form that corrects one value of a complete result, as a laboratory does.
 *
 * @param {ResultDetail['result']} result
 */
function amendForm({ uuid, biomarkers }) {
  return h(
    'form',
    { class: 'form', 'data-form': 'amend', 'data-key': `amend ${uuid}` },
    h('input', { type: 'hidden', name: 'uuid', value: uuid }),
    field(
      'Biomarker',
      h(
        'select',
        { name: 'biomarker' },
        biomarkers.map(({ id, name }) => h('option', { value: id }, name)),
      ),
    ),
    field('New value', h('input', { name: 'value', required: true, size: 10, autocomplete: 'off' })),
    h('button', { class: 'button', 'data-tone': 'main' }, 'Amend'),
    h(
      'p',
      { class: 'hint' },
      'Enter the value in the unit of the table. The fake sends result.updated and the event of the status.',
    ),
  )
}

/** @param {ResultDetail['result']} result */
function summary({ biomarkerSummary }) {
  if (biomarkerSummary === null || biomarkerSummary.total === 0) return null
  const { normal, abnormal, critical, total } = biomarkerSummary
  return h(
    'p',
    { class: 'summary' },
    h('span', { class: 'pill', 'data-tone': 'good' }, `${normal} normal`),
    h('span', { class: 'pill', 'data-tone': abnormal === 0 ? 'quiet' : 'warn' }, `${abnormal} abnormal`),
    h('span', { class: 'pill', 'data-tone': critical === 0 ? 'quiet' : 'bad' }, `${critical} critical`),
    h('span', { class: 'muted' }, `of ${total}`),
  )
}

/** @param {readonly string[]} messages */
function reportBlock(messages) {
  return h(
    'details',
    { class: 'fold', 'data-key': 'report' },
    h(
      'summary',
      null,
      `Report text, ${messages.length === 1 ? 'one message' : `${messages.length} messages`}`,
    ),
    messages.map((message) => h('pre', { tabindex: 0 }, message)),
  )
}

/** @param {NonNullable<ResultDetail['result']['labPatient']>} patient */
function labFacts({ firstName, lastName, dob, gender, medicareNumber, email, phone }) {
  return facts([
    ['Name', `${firstName ?? ''} ${lastName ?? ''}`.trim()],
    ['Born', dob ?? ''],
    ['Gender', gender ?? ''],
    ['Medicare', medicareNumber ?? ''],
    ['Email', email ?? ''],
    ['Phone', phone ?? ''],
  ])
}
