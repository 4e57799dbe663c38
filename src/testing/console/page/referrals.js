import { h } from './dom.js'
import { labelOf, plural } from './format.js'
import { actionBar, block, copyable, facts, foldedJson, pill, time, timeline } from './parts.js'

/**
 * @typedef {import('../views.js').ReferralSummary} ReferralSummary
 * @typedef {import('../views.js').ReferralDetail} ReferralDetail
 */

/** @type {import('./lists.js').ListView<ReferralSummary, ReferralDetail>} */
export const referrals = {
  name: 'referrals',
  label: 'Referrals',
  path: '/console/referrals',
  searchHint: 'Name, reference or UUID',
  filter: {
    name: 'status',
    any: 'Any status',
    choices: ({ referralStatuses }) => referralStatuses.map((status) => [status, labelOf(status)]),
  },
  tools: h('a', { class: 'button', href: '#/referrals/new' }, 'Place an order'),
  whenEmpty: 'No referrals yet. Place an order over the API, or with the button above.',
  idOf: ({ uuid }) => uuid,
  row: ({ name, status, reference, referenceNumber, tests, medicare, createdAt }, now) => [
    name,
    `${reference} · ${referenceNumber} · ${plural(tests, 'test')}${medicare ? ' · Medicare' : ''}`,
    pill(status),
    time(createdAt, now),
  ],
  detail: referralDetail,
  nothingSelected: 'Select a referral to see its history and its possible actions.',
}

/**
 * @param {ReferralDetail} detail
 * @param {string} now
 */
function referralDetail({ referral, actions, timeline: entries, siblingUuid }, now) {
  const { person, uuid, status, deletedAt, resultsUuid, referralAttachment } = referral
  return h(
    'article',
    { 'data-key': uuid },
    h(
      'header',
      null,
      h('h2', null, `${person.firstName} ${person.lastName}`, pill(status)),
      deletedAt === null ? null : h('span', { class: 'pill', 'data-tone': 'bad' }, 'Deleted'),
      copyable(uuid),
      h(
        'p',
        { class: 'links' },
        resultsUuid === null ? null : h('a', { href: `#/results/${resultsUuid}` }, 'Result'),
        referralAttachment === null ? null : pdfLink(referralAttachment),
        siblingUuid === null
          ? null
          : h('a', { href: `#/referrals/${siblingUuid}` }, 'Other referral of the order'),
      ),
    ),
    actionBar(actions, { roomy: true }),
    block('Timeline', timeline(entries, now)),
    block('Order', orderFacts(referral, now)),
    block('Patient', personFacts(person)),
    foldedJson('API response', referral),
  )
}

/**
 * @param {ReferralDetail['referral']} referral
 * @param {string} now
 */
function orderFacts(referral, now) {
  const { orderingPractitioner: practitioner, medicareCardNumber, metadata, productName } = referral
  return facts([
    ['Tests', referral.tests.join(', ')],
    ['Reference', referral.reference],
    ['Reference number', referral.referenceNumber],
    ['Origin', labelOf(referral.origin)],
    ['Product', productName],
    ['Ordered', time(referral.createdAt, now)],
    ['Updated', time(referral.updatedAt, now)],
    ['Emailed', time(referral.emailSentAt, now)],
    ...(practitioner === null || practitioner === undefined
      ? []
      : [/** @type {const} */ (['Practitioner', `${practitioner.name}, ${practitioner.providerNumber}`])]),
    ...(typeof medicareCardNumber !== 'string'
      ? []
      : [/** @type {const} */ (['Medicare card', medicareCardNumber])]),
    ['Metadata', metadata === null ? '' : JSON.stringify(metadata)],
  ])
}

/** @param {ReferralDetail['referral']['person']} person */
export function personFacts({ dob, gender, email, phone, address }) {
  const { addressLine1, addressLine2, city, state, postCode, country } = address
  const lines = [addressLine1, addressLine2, city, state, postCode, country]
  return facts([
    ['Born', dob],
    ['Gender', gender],
    ['Email', email],
    ['Phone', phone],
    ['Address', lines.filter((line) => typeof line === 'string' && line !== '').join(', ')],
  ])
}

/** @param {string} url a signed document URL of the fake */
export function pdfLink(url) {
  return h(
    'a',
    { href: /^https?:/.test(url) ? url : null, target: '_blank', rel: 'noreferrer noopener' },
    'PDF',
  )
}
