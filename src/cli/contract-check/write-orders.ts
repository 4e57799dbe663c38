import { ORDER_KEY_FIELD } from '../../client/index.js'
import { isFields } from '../../contract/check.js'
import { endpoints } from '../../contract/endpoints.js'
import { typeName } from '../../contract/field-differences.js'
import { SAMPLE_CARD, sampleOrder } from '../../testing/rules/order-samples.js'
import { type Samples, UNKNOWN_UUID } from '../../testing/rules/rule.js'
import { checkSuccess, checkWrapper } from './check-response.js'
import { CreatedRecords, recordsIn, type WriteContext } from './created-records.js'
import { checkDeletion, checkResults, checkUpdate, waitUntilIssued } from './order-lifecycle.js'
import { recordDifferences } from './record-rules.js'
import { checkRefusal, needsNoRecord } from './refusals.js'
import type { ReportPlace } from './report.js'

type Fields = Readonly<Record<string, unknown>>

const { create, list, update, delete: remove, generateResults } = endpoints.referrals

/** Endpoints that are checked with a referral that the check has ordered. */
const AFTER_ORDER = [update, remove, generateResults]

/**
 * Places orders in staging, checks one referral from its order to its deletion, and deletes every created referral.
 * Returns whether a referral may have been created.
 */
export async function checkOrders(context: WriteContext, samples: Samples): Promise<boolean> {
  const [test] = samples.tests
  if (test === undefined) {
    const reason =
      'no test is medicareListed. API version 1.0.0 accepts only blood tests, and only this field shows them'
    for (const { id } of [create, ...AFTER_ORDER]) context.report.notChecked(id, reason)
    return false
  }
  const created = createdReferrals(context)
  try {
    await checkLifecycle(context, test, created)
    const body = sampleOrder({ tests: [test] })
    const old = { body, situation: 'order in version 1.0.0', version: '1.0.0', shape: 'object' } as const
    await placeOrder(context, old, created)
    await checkMedicare(context, test, samples.practitioner, created)
    await checkRefusedOrders(context, created)
  } finally {
    await created.cleanUp()
  }
  return created.mayHaveCreated
}

/**
 * Returns an empty collection of created referrals. The order key of each order with metadata is the id of this run, so
 * that `referrals find` finds the referrals.
 */
function createdReferrals(context: WriteContext): CreatedRecords {
  const { run } = context
  return new CreatedRecords(context, {
    ...{ list, remove, idField: 'uuid' },
    isOfRun: ({ metadata, deletedAt }) =>
      isFields(metadata) && metadata[ORDER_KEY_FIELD] === run && typeof deletedAt !== 'string',
    lost: `The outcome of an order of this check is unknown: find its referrals with npx pathology referrals find --key ${run}, and delete them with client.referrals.delete()`,
    left: (uuid) =>
      `The referral ${uuid} of this check could not be deleted: delete it with client.referrals.delete()`,
  })
}

/** Returns `true` when the environment has the endpoint for dummy results. Only staging has this endpoint. */
export async function isStaging(context: WriteContext): Promise<boolean> {
  const code = 'REFERRAL_NOT_FOUND'
  const refusal = { endpoint: generateResults, situation: 'unknown UUID', id: UNKNOWN_UUID, code }
  const { json } = await checkRefusal(context, refusal)
  return isFields(json) && json['code'] === code
}

async function checkRefusedOrders(context: WriteContext, created: CreatedRecords): Promise<void> {
  for (const refusal of context.refusals) {
    const { endpoint, body } = refusal
    if (endpoint === create) {
      const sent = isFields(body) ? { ...refusal, body: ofRun(body, context) } : refusal
      await checkRefusal(context, sent, { send: created.send })
    } else if (AFTER_ORDER.some((each) => each === endpoint) && needsNoRecord(refusal))
      await checkRefusal(context, refusal)
  }
}

/** Sets the id of this run as the order key of an order with metadata. */
function ofRun(body: object, { run }: WriteContext): object {
  if (!('metadata' in body) || !isFields(body.metadata)) return body
  return { ...body, metadata: { ...body.metadata, [ORDER_KEY_FIELD]: run } }
}

interface Placed {
  readonly referrals: readonly Fields[]
  readonly place: ReportPlace
}

interface CheckedOrder {
  readonly body: object
  readonly situation: string
  readonly version: string
  /** Expected shape of the response. */
  readonly shape: 'array' | 'object'
}

/** Places an order and compares its referrals. */
async function placeOrder(
  context: WriteContext,
  { body, situation, version, shape }: CheckedOrder,
  created: CreatedRecords,
): Promise<Placed> {
  const { report } = context
  const place = report.at(create.id, situation)
  const response = await created.send(create, { body: ofRun(body, context), version })
  const referrals = response.status < 300 ? recordsIn(response.json) : []
  if (!checkSuccess(place, response)) return { referrals: [], place }
  checkWrapper(place, create.response, response.json)
  const seen = typeName(response.json)
  // The interface describes both shapes for version 1.1.0, so another shape is not a violation.
  place.expect(seen === shape, '(whole response)', shape, seen, shape === 'array' ? 'reading' : 'contract')
  report.countRecords(create.id, referrals.length)
  for (const referral of referrals)
    report.at(create.id, 'record').add(recordDifferences('Referral', referral))
  return { referrals, place }
}

async function checkLifecycle(context: WriteContext, test: string, created: CreatedRecords): Promise<void> {
  const { report } = context
  const body = sampleOrder({ tests: [test] })
  const order = { body, situation: 'order in version 1.1.0', version: '1.1.0', shape: 'array' } as const
  const { referrals, place } = await placeOrder(context, order, created)
  const [referral] = referrals
  if (referral === undefined) {
    for (const { id } of AFTER_ORDER) report.notChecked(id, 'no order could be placed')
    return
  }
  const isEchoed = referral['referenceNumber'] === body.referenceNumber && hasCheckMetadata(referral)
  place.expect(isEchoed, 'referenceNumber, metadata', 'as ordered', 'another value')
  const uuid = String(referral['uuid'])
  const issued = await waitUntilIssued(context, uuid, place)
  if (issued) await checkUpdate(context, uuid)
  const again = issued && (await waitUntilIssued(context, uuid, report.at(update.id, 'reissue')))
  if (again) await checkResults(context, uuid)
  await checkDeletion(context, uuid, created)
}

function hasCheckMetadata({ metadata }: Fields): boolean {
  return isFields(metadata) && metadata['contractCheck'] === 'pathology-sdk'
}

async function checkMedicare(
  context: WriteContext,
  test: string,
  practitioner: Samples['practitioner'],
  created: CreatedRecords,
): Promise<void> {
  if (practitioner === undefined)
    return context.report.notChecked('referrals.create (Medicare)', 'no provider has a signature')
  const body = sampleOrder({
    tests: [test],
    medicareTests: [test],
    medicareCardNumber: SAMPLE_CARD,
    orderingPractitioner: practitioner,
  })
  const order = { body, situation: 'order with Medicare tests', version: '1.1.0', shape: 'array' } as const
  const { referrals, place } = await placeOrder(context, order, created)
  if (referrals.length === 0) return
  const isPair = referrals.length === 2
  place.expect(isPair, '(whole response)', 'two referrals', 'another number of referrals')
  const medicare = referrals.find((each) => isFields(each['orderingPractitioner']))
  place.expect(medicare !== undefined, '[].orderingPractitioner', 'object on the Medicare referral', 'null')
  if (medicare === undefined) return
  const { routingMessage: message } = medicare
  const expected = 'string on the Medicare referral'
  place.expect(typeof message === 'string', '[].routingMessage', expected, typeName(message))
}
