import { type ControlAction, driverAction } from './control-action.js'

const ARRIVAL = {
  values: 'object: values to report, by biomarker id; the others are made',
  anew: 'boolean: throw away what has arrived before',
}

const move = (name: string, path: string, description: string): ControlAction =>
  driverAction({
    method: 'POST',
    path: `/referrals/{uuid}/${path}`,
    description,
    driver: ['referrals', name],
    from: ['{uuid}'],
  })

/** What can be done to referrals. */
export const REFERRAL_ACTIONS: readonly ControlAction[] = [
  driverAction({
    method: 'GET',
    path: '/referrals',
    description: "every referral of the credentials' organisation, in order of creation",
    driver: ['referrals', 'all'],
    from: [],
  }),
  driverAction({
    method: 'GET',
    path: '/referrals/of-other-organisation',
    description: 'referrals of the other organisation: their uuids give REFERRAL_NOT_FOUND',
    driver: ['referrals', 'ofOtherOrganisation'],
    from: [],
  }),
  driverAction({
    method: 'GET',
    path: '/referrals/emails',
    description: 'the emails that patients would have got',
    driver: ['referrals', 'emails'],
    from: [],
  }),
  driverAction({
    method: 'GET',
    path: '/referrals/{uuid}',
    description: 'one referral of either organisation',
    driver: ['referrals', 'retrieve'],
    from: ['{uuid}'],
  }),
  driverAction({
    method: 'POST',
    path: '/referrals/next-orders',
    description: 'how the next orders end',
    body: { outcome: 'accepted, pending-verification or billing-failed', times: 'whole number, default 1' },
    driver: ['referrals', 'nextOrders'],
    from: ['.outcome', '.times'],
  }),
  move('issue', 'issue', 'CREATED or SCHEDULED_REISSUE to ISSUED'),
  move('pendingVerification', 'pending-verification', 'CREATED to PENDING_VERIFICATION'),
  move('verify', 'verify', 'PENDING_VERIFICATION to ISSUED'),
  move('failBilling', 'fail-billing', 'CREATED to BILLING_FAILED'),
  move('insufficientData', 'insufficient-data', 'to INSUFFICIENT_DATA'),
  move('refund', 'refund', 'to REFUNDED'),
  move('failTest', 'fail-test', 'to FAILED_TEST'),
  move('reissue', 'reissue', 'to SCHEDULED_REISSUE, as after an edit'),
  driverAction({
    method: 'POST',
    path: '/referrals/{uuid}/transfer',
    description: 'to TRANSFERRED',
    body: {
      firstName: 'string: of the person it moved to',
      lastName: 'string',
      email: 'string',
      phone: 'string',
      dob: 'string YYYY-MM-DD',
      gender: 'male or female',
      address: 'object: an address (§2.1)',
    },
    driver: ['referrals', 'transfer'],
    from: ['{uuid}', 'body'],
  }),
  driverAction({
    method: 'POST',
    path: '/referrals/{uuid}/partial-results',
    description: 'some results, or some more, arrive: to PARTIAL_RESULTS',
    body: ARRIVAL,
    driver: ['referrals', 'partialResults'],
    from: ['{uuid}', 'body'],
  }),
  driverAction({
    method: 'POST',
    path: '/referrals/{uuid}/complete',
    description: 'the remaining results arrive: to COMPLETE',
    body: ARRIVAL,
    driver: ['referrals', 'complete'],
    from: ['{uuid}', 'body'],
  }),
]

/** What can be done to results. */
export const RESULT_ACTIONS: readonly ControlAction[] = [
  driverAction({
    method: 'GET',
    path: '/results',
    description: "every result of the credentials' organisation, in order of creation",
    driver: ['results', 'all'],
    from: [],
  }),
  driverAction({
    method: 'GET',
    path: '/results/of-other-organisation',
    description: 'results of the other organisation: their uuids give RESULT_NOT_FOUND',
    driver: ['results', 'ofOtherOrganisation'],
    from: [],
  }),
  driverAction({
    method: 'GET',
    path: '/results/{uuid}',
    description: 'one result of either organisation',
    driver: ['results', 'retrieve'],
    from: ['{uuid}'],
  }),
  driverAction({
    method: 'POST',
    path: '/results/incoming',
    description: 'releases an INCOMING result to a client',
    body: {
      tests: 'list of test ids',
      person: 'object: the client (§2.2)',
      labPatient: 'object: the patient as the laboratory has them',
      values: 'object: values to report, by biomarker id',
      partial: 'boolean: more will follow',
      reportOnly: 'boolean: report text and no biomarkers',
    },
    driver: ['results', 'receiveIncoming'],
    from: ['body'],
  }),
  driverAction({
    method: 'POST',
    path: '/results/{uuid}/complete',
    description: 'the rest of an INCOMING result arrives',
    body: { values: 'object: values to report, by biomarker id' },
    driver: ['results', 'complete'],
    from: ['{uuid}', 'body'],
  }),
  driverAction({
    method: 'POST',
    path: '/results/{uuid}/hold',
    description: 'holds a result for review: IN_REVIEW',
    driver: ['results', 'hold'],
    from: ['{uuid}'],
  }),
  driverAction({
    method: 'POST',
    path: '/results/{uuid}/release',
    description: 'releases a held result',
    body: { reviewedBy: 'object: uuid, firstName, lastName of the doctor' },
    driver: ['results', 'release'],
    from: ['{uuid}', 'body'],
  }),
  driverAction({
    method: 'POST',
    path: '/results/{uuid}/review',
    description: 'a doctor reviews a result',
    body: { uuid: 'string: of the doctor; default an invented one', firstName: 'string', lastName: 'string' },
    driver: ['results', 'review'],
    from: ['{uuid}', 'body'],
  }),
  driverAction({
    method: 'POST',
    path: '/results/{uuid}/soft-delete',
    description: 'deletes a result softly: deletedAt is set',
    driver: ['results', 'softDelete'],
    from: ['{uuid}'],
  }),
]
