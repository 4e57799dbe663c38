import type { ReferralTransitionName } from '../domain/referrals-transitions.js'
import { type ControlAction, methodAction } from './control-action.js'

const ARRIVAL = {
  values: 'object: values by biomarker id, in standard units; other values are generated',
  replace:
    'boolean: discards the earlier laboratory messages and generates new values; values that earlier requests set stay',
}

const transition = (name: ReferralTransitionName, path: string, description: string): ControlAction =>
  methodAction(`POST /referrals/{uuid}/${path}`, `referrals.${name}`, description, { verb: path })

export const REFERRAL_ACTIONS: readonly ControlAction[] = [
  methodAction(
    'GET /referrals',
    'referrals.all',
    "returns every referral of the client's organisation, in order of creation",
  ),
  methodAction(
    'GET /referrals/of-other-organisation',
    'referrals.ofOtherOrganisation',
    'returns the referrals of another organisation; the API responds to their ids with REFERRAL_NOT_FOUND',
  ),
  methodAction(
    'GET /referrals/emails',
    'referrals.emails',
    'returns the emails that the service would have sent to patients',
  ),
  methodAction('GET /referrals/{uuid}', 'referrals.retrieve', 'returns a referral of any organisation'),
  methodAction(
    'POST /referrals/next-orders',
    'referrals.nextOrders',
    'queues the outcome of the next orders, after outcomes that are already queued',
    {
      body: {
        outcome: 'accepted, pending-verification or billing-failed',
        times: 'integer: number of orders, default 1',
      },
      from: ['.outcome', '.times'],
    },
  ),
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
  methodAction(
    'POST /referrals/{uuid}/transfer',
    'referrals.transfer',
    'transfers the referral to another person; the status becomes TRANSFERRED',
    {
      verb: 'transfer',
      body: {
        firstName: 'string: first name of the other person',
        lastName: 'string',
        email: 'string',
        phone: 'string',
        dob: 'string YYYY-MM-DD',
        gender: 'male or female',
        address: 'object: the complete address',
      },
    },
  ),
  methodAction(
    'POST /referrals/{uuid}/partial-results',
    'referrals.partialResults',
    'delivers a part of the results; the status becomes PARTIAL_RESULTS',
    { verb: 'partial', body: ARRIVAL },
  ),
  methodAction(
    'POST /referrals/{uuid}/complete',
    'referrals.complete',
    'delivers the remaining results; the status becomes COMPLETE',
    { verb: 'complete', body: ARRIVAL },
  ),
]

export const RESULT_ACTIONS: readonly ControlAction[] = [
  methodAction(
    'GET /results',
    'results.all',
    "returns every result of the client's organisation, in order of creation",
  ),
  methodAction(
    'GET /results/of-other-organisation',
    'results.ofOtherOrganisation',
    'returns the results of another organisation; the API responds to their ids with RESULT_NOT_FOUND',
  ),
  methodAction('GET /results/{uuid}', 'results.retrieve', 'returns a result of any organisation'),
  methodAction('POST /results/incoming', 'results.receiveIncoming', 'creates an INCOMING result', {
    verb: 'receive-incoming',
    body: {
      tests: 'list of test ids, default two tests of the catalogue',
      person: 'object: the patient, default an invented person',
      labPatient: 'object: the patient as the laboratory recorded them',
      values: 'object: values by biomarker id, in standard units; other values are generated',
      partial: 'boolean: delivers a part of the results',
      reportOnly: 'boolean: report text without biomarkers',
    },
  }),
  methodAction(
    'POST /results/{uuid}/complete',
    'results.complete',
    'delivers the rest of an INCOMING result',
    { verb: 'complete-incoming', body: { values: 'object: values by biomarker id, in standard units' } },
  ),
  methodAction(
    'POST /results/{uuid}/amend',
    'results.amend',
    'corrects a complete result: the values and the report change',
    { verb: 'amend', body: { values: 'object: new values by biomarker id, in standard units' } },
  ),
  methodAction(
    'POST /results/{uuid}/hold',
    'results.hold',
    'holds a result for review; the status becomes IN_REVIEW',
    { verb: 'hold' },
  ),
  methodAction(
    'POST /results/{uuid}/release',
    'results.release',
    'releases a held result; the status becomes PARTIAL_RESULTS or COMPLETE',
    { verb: 'release', body: { reviewedBy: 'object: uuid, firstName and lastName of the doctor' } },
  ),
  methodAction('POST /results/{uuid}/review', 'results.review', 'sets the doctor who reviewed a result', {
    body: {
      uuid: "string: the doctor's id; pass all three fields, or none for an invented doctor",
      firstName: 'string',
      lastName: 'string',
    },
    from: ['{uuid}', 'body?'],
  }),
  methodAction(
    'POST /results/{uuid}/soft-delete',
    'results.softDelete',
    'soft-deletes a result: sets deletedAt and removes its PDF',
  ),
]
