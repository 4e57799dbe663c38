import { endpoints } from '../../contract/endpoints.js'
import { typeName } from '../../contract/field-differences.js'
import { checkError, checkSuccess, expect, isFields, type Situation } from './check-response.js'
import type { ListRecords } from './lists.js'
import {
  checkDeletion,
  checkResults,
  checkUpdate,
  send,
  untilIssued,
  type WriteContext,
} from './order-life.js'
import { orderRefusals } from './order-refusals.js'
import { MARK, type OrderParts, orderParts, SAMPLE_CARD, sampleOrder } from './order-samples.js'
import { recordDifferences } from './record-rules.js'
import { checkRefusal, UNKNOWN_UUID } from './refusals.js'

type Fields = Readonly<Record<string, unknown>>

const { create, update, generateResults } = endpoints.referrals

/** Places orders in staging, follows one through its life, and deletes every referral that it created. */
export async function checkOrders(context: WriteContext, records: ListRecords): Promise<void> {
  const parts = orderParts(records)
  if (parts === undefined) return context.report.notChecked(create.id, 'no test is accepted by every version')
  if (!(await isStaging(context))) {
    return context.report.notChecked(
      create.id,
      'the environment has no endpoint for dummy results: is it production?',
    )
  }
  const created = new Set<string>()
  try {
    await checkRefusedOrders(context, parts, created)
    await checkLife(context, parts, created)
    await checkFirstVersion(context, parts, created)
    await checkMedicare(context, parts, created)
  } finally {
    for (const uuid of created) await send(context, 'DELETE', uuid).catch(() => undefined)
  }
}

/** Only staging has the endpoint for dummy results: nothing is ordered elsewhere. */
async function isStaging(context: WriteContext): Promise<boolean> {
  const expected = { status: 404, code: 'REFERRAL_NOT_FOUND' }
  const request = { endpoint: generateResults.id, method: 'PUT', path: `/v1/referrals/${UNKNOWN_UUID}` }
  const { json } = await checkRefusal(context, { situation: 'unknown UUID', request, expected })
  return isFields(json) && json['code'] === expected.code
}

async function checkRefusedOrders(
  context: WriteContext,
  parts: OrderParts,
  created: Set<string>,
): Promise<void> {
  for (const { situation, body, expected, version } of orderRefusals(parts)) {
    const request = {
      endpoint: create.id,
      method: 'POST',
      path: create.path,
      body,
      ...(version && { version }),
    }
    const response = await context.requester.send(request)
    checkError({ report: context.report, endpoint: create.id, situation }, response, expected)
    if (response.status < 300) for (const { uuid } of referralsIn(response.json)) created.add(String(uuid))
  }
}

function referralsIn(body: unknown): readonly Fields[] {
  return (Array.isArray(body) ? body : [body]).filter(isFields)
}

interface Placed {
  readonly referrals: readonly Fields[]
  readonly place: Situation
}

/** Places an order and compares its referrals. */
async function place(
  { requester, report }: WriteContext,
  order: {
    readonly body: object
    readonly situation: string
    readonly version: string
    readonly shape: string
  },
  created: Set<string>,
): Promise<Placed> {
  const { body, situation, version, shape } = order
  const where: Situation = { report, endpoint: create.id, situation }
  const response = await requester.send({
    endpoint: create.id,
    method: 'POST',
    path: create.path,
    body,
    version,
  })
  const referrals = response.status < 300 ? referralsIn(response.json) : []
  for (const { uuid } of referrals) created.add(String(uuid))
  if (!checkSuccess(where, response)) return { referrals: [], place: where }
  const seen = typeName(response.json)
  // In version 1.1.0 the interface describes both shapes.
  const level = shape === 'array' ? 'reading' : 'contract'
  expect(where, seen === shape, { path: '(whole response)', expected: shape, seen, level })
  report.countRecords(create.id, referrals.length)
  for (const referral of referrals) report.add(create.id, 'record', recordDifferences('Referral', referral))
  return { referrals, place: where }
}

async function checkLife(context: WriteContext, { test }: OrderParts, created: Set<string>): Promise<void> {
  const body = sampleOrder({ tests: [test] })
  const order = { body, situation: 'order in version 1.1.0', version: '1.1.0', shape: 'array' }
  const { referrals, place: where } = await place(context, order, created)
  const [referral] = referrals
  if (referral === undefined) return
  const isEchoed = referral['referenceNumber'] === body.referenceNumber && hasMark(referral)
  expect(where, isEchoed, {
    path: 'referenceNumber, metadata',
    expected: 'as ordered',
    seen: 'another value',
  })
  const uuid = String(referral['uuid'])
  const issued = await untilIssued(context, uuid, where)
  if (issued) await checkUpdate(context, uuid)
  const again =
    issued && (await untilIssued(context, uuid, { ...where, endpoint: update.id, situation: 'reissue' }))
  if (again) await checkResults(context, uuid)
  await checkDeletion(context, uuid)
}

function hasMark({ metadata }: Fields): boolean {
  return isFields(metadata) && metadata['contractCheck'] === MARK.contractCheck
}

async function checkFirstVersion(
  context: WriteContext,
  { test }: OrderParts,
  created: Set<string>,
): Promise<void> {
  const body = sampleOrder({ tests: [test] })
  const { referrals } = await place(
    context,
    { body, situation: 'order in version 1.0.0', version: '1.0.0', shape: 'object' },
    created,
  )
  for (const { uuid } of referrals) await send(context, 'DELETE', String(uuid))
}

async function checkMedicare(context: WriteContext, parts: OrderParts, created: Set<string>): Promise<void> {
  const { test, practitioner } = parts
  if (practitioner === undefined) {
    return context.report.notChecked('referrals.create (Medicare)', 'no provider has a signature')
  }
  const body = sampleOrder({
    ...{ tests: [test], medicareTests: [test], medicareCardNumber: SAMPLE_CARD },
    orderingPractitioner: practitioner,
  })
  const order = { body, situation: 'order with Medicare tests', version: '1.1.0', shape: 'array' }
  const { referrals, place: where } = await place(context, order, created)
  if (referrals.length === 0) return
  const path = '(whole response)'
  expect(where, referrals.length === 2, {
    path,
    expected: 'two referrals',
    seen: 'another number of referrals',
  })
  const medicare = referrals.find((each) => isFields(each['orderingPractitioner']))
  const found = { path: '[].orderingPractitioner', expected: 'object on the Medicare referral', seen: 'null' }
  if (!expect(where, medicare !== undefined, found)) return
  const message = medicare?.['routingMessage']
  const routing = {
    path: '[].routingMessage',
    expected: 'string on the Medicare referral',
    seen: typeName(message),
  }
  expect(where, typeof message === 'string', routing)
}
