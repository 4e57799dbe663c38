import { type ControlAction, methodAction } from './control-action.js'

const ARRIVAL = {
  values: 'object: values by biomarker id, in standard units; other values are generated',
  replace:
    'boolean: discards the earlier laboratory messages and generates new values; values that earlier requests set stay',
}

const transition = (name: string, path: string, description: string): ControlAction =>
  methodAction({
    method: 'POST',
    path: `/referrals/{uuid}/${path}`,
    description,
    verb: path,
    calls: ['referrals', name],
    from: ['{uuid}'],
  })

/** Actions on referrals. */
export const REFERRAL_ACTIONS: readonly ControlAction[] = [
  methodAction({
    method: 'GET',
    path: '/referrals',
    description: "returns every referral of the client's organisation, in order of creation",
    calls: ['referrals', 'all'],
    from: [],
  }),
  methodAction({
    method: 'GET',
    path: '/referrals/of-other-organisation',
    description:
      'returns the referrals of another organisation; the API responds to their ids with REFERRAL_NOT_FOUND',
    calls: ['referrals', 'ofOtherOrganisation'],
    from: [],
  }),
  methodAction({
    method: 'GET',
    path: '/referrals/emails',
    description: 'returns the emails that the service would have sent to patients',
    calls: ['referrals', 'emails'],
    from: [],
  }),
  methodAction({
    method: 'GET',
    path: '/referrals/{uuid}',
    description: 'returns a referral of any organisation',
    calls: ['referrals', 'retrieve'],
    from: ['{uuid}'],
  }),
  methodAction({
    method: 'POST',
    path: '/referrals/next-orders',
    description: 'queues the outcome of the next orders, after outcomes that are already queued',
    body: {
      outcome: 'accepted, pending-verification or billing-failed',
      times: 'integer: number of orders, default 1',
    },
    calls: ['referrals', 'nextOrders'],
    from: ['.outcome', '.times'],
  }),
  transition('issue', 'issue', 'issues a CREATED or SCHEDULED_REISSUE referral; the status becomes ISSUED'),
  transition(
    'pendingVerification',
    'pending-verification',
    'asks the patient of a CREATED referral for verification; the status becomes PENDING_VERIFICATION',
  ),
  transition(
    'verify',
    'verify',
    'verifies the patient of a PENDING_VERIFICATION referral; the status becomes ISSUED',
  ),
  transition(
    'failBilling',
    'fail-billing',
    'fails the billing of a CREATED referral; the status becomes BILLING_FAILED',
  ),
  transition('insufficientData', 'insufficient-data', 'sets the status INSUFFICIENT_DATA'),
  transition('refund', 'refund', 'refunds this referral; the status becomes REFUNDED'),
  transition('failTest', 'fail-test', 'fails a test; the status becomes FAILED_TEST'),
  transition(
    'reissue',
    'reissue',
    'schedules a reissue, as after an update; the status becomes SCHEDULED_REISSUE',
  ),
  methodAction({
    method: 'POST',
    path: '/referrals/{uuid}/transfer',
    verb: 'transfer',
    description: 'transfers the referral to another person; the status becomes TRANSFERRED',
    body: {
      firstName: 'string: first name of the other person',
      lastName: 'string',
      email: 'string',
      phone: 'string',
      dob: 'string YYYY-MM-DD',
      gender: 'male or female',
      address: 'object: the complete address',
    },
    calls: ['referrals', 'transfer'],
    from: ['{uuid}', 'body'],
  }),
  methodAction({
    method: 'POST',
    path: '/referrals/{uuid}/partial-results',
    verb: 'partial',
    description: 'delivers a part of the results; the status becomes PARTIAL_RESULTS',
    body: ARRIVAL,
    calls: ['referrals', 'partialResults'],
    from: ['{uuid}', 'body'],
  }),
  methodAction({
    method: 'POST',
    path: '/referrals/{uuid}/complete',
    verb: 'complete',
    description: 'delivers the remaining results; the status becomes COMPLETE',
    body: ARRIVAL,
    calls: ['referrals', 'complete'],
    from: ['{uuid}', 'body'],
  }),
]

/** Actions on results. */
export const RESULT_ACTIONS: readonly ControlAction[] = [
  methodAction({
    method: 'GET',
    path: '/results',
    description: "returns every result of the client's organisation, in order of creation",
    calls: ['results', 'all'],
    from: [],
  }),
  methodAction({
    method: 'GET',
    path: '/results/of-other-organisation',
    description:
      'returns the results of another organisation; the API responds to their ids with RESULT_NOT_FOUND',
    calls: ['results', 'ofOtherOrganisation'],
    from: [],
  }),
  methodAction({
    method: 'GET',
    path: '/results/{uuid}',
    description: 'returns a result of any organisation',
    calls: ['results', 'retrieve'],
    from: ['{uuid}'],
  }),
  methodAction({
    method: 'POST',
    path: '/results/incoming',
    verb: 'receive-incoming',
    description: 'creates an INCOMING result',
    body: {
      tests: 'list of test ids, default two tests of the catalogue',
      person: 'object: the patient, default an invented person',
      labPatient: 'object: the patient as the laboratory recorded them',
      values: 'object: values by biomarker id, in standard units; other values are generated',
      partial: 'boolean: delivers a part of the results',
      reportOnly: 'boolean: report text without biomarkers',
    },
    calls: ['results', 'receiveIncoming'],
    from: ['body'],
  }),
  methodAction({
    method: 'POST',
    path: '/results/{uuid}/complete',
    verb: 'complete-incoming',
    description: 'delivers the rest of an INCOMING result',
    body: { values: 'object: values by biomarker id, in standard units' },
    calls: ['results', 'complete'],
    from: ['{uuid}', 'body'],
  }),
  methodAction({
    method: 'POST',
    path: '/results/{uuid}/amend',
    verb: 'amend',
    description: 'corrects a complete result: the values and the report change',
    body: { values: 'object: new values by biomarker id, in standard units' },
    calls: ['results', 'amend'],
    from: ['{uuid}', 'body'],
  }),
  methodAction({
    method: 'POST',
    path: '/results/{uuid}/hold',
    verb: 'hold',
    description: 'holds a result for review; the status becomes IN_REVIEW',
    calls: ['results', 'hold'],
    from: ['{uuid}'],
  }),
  methodAction({
    method: 'POST',
    path: '/results/{uuid}/release',
    verb: 'release',
    description: 'releases a held result; the status becomes PARTIAL_RESULTS or COMPLETE',
    body: { reviewedBy: 'object: uuid, firstName and lastName of the doctor' },
    calls: ['results', 'release'],
    from: ['{uuid}', 'body'],
  }),
  methodAction({
    method: 'POST',
    path: '/results/{uuid}/review',
    description: 'sets the doctor who reviewed a result',
    body: {
      uuid: "string: the doctor's id; pass all three fields, or none for an invented doctor",
      firstName: 'string',
      lastName: 'string',
    },
    calls: ['results', 'review'],
    from: ['{uuid}', 'body?'],
  }),
  methodAction({
    method: 'POST',
    path: '/results/{uuid}/soft-delete',
    description: 'soft-deletes a result: sets deletedAt and removes its PDF',
    calls: ['results', 'softDelete'],
    from: ['{uuid}'],
  }),
]
