import { ORDER_KEY_FIELD, OrderOutcomeUnknownError } from 'pathology-sdk'
import { clientOf, rejection } from '../../support/clients.js'
import { type Fate, OrderBook } from '../../support/order-book.js'
import { referral } from '../../support/samples.js'
import { type Reply, ScriptedServer } from '../../support/scripted-server.js'
import { SkippingClock } from '../../support/skipping-clock.js'

export const POST = 'POST /v1/referrals'
export const LIST = 'GET /v1/referrals'
export const KEY = 'job-77'
export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const UUID_TEXT = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Metadata of an order under a key. */
export const withKey = (orderKey = KEY) => ({
  metadata: { [ORDER_KEY_FIELD]: orderKey },
})

export const ago = (ms: number): Date => new Date(Date.now() - ms)

export const error = (status: number): Reply => ({
  status,
  json: { error: true, code: 'X', message: 'x', errorList: [] },
})

/** Every way to lose the response to a placed order. */
export const LOSSES: Readonly<Record<string, Reply>> = {
  'reset after commit': { reset: 'before' },
  'reset in the answer': { json: referral(), reset: 'in-body' },
  'time-out after commit': { hang: 'before' },
  'time-out in the answer': { json: referral(), hang: 'in-body' },
  '408 after commit': error(408),
  '500 after commit': error(500),
  '502 after commit': { status: 502, text: '<html></html>' },
  '503 after commit': error(503),
  '504 after commit': { status: 504, text: '' },
  '524 after commit': { status: 524, text: 'a timeout occurred' },
  'a redirect after commit': { status: 303, headers: { location: '/v1/referrals/1' } },
  'HTML after commit': { text: '<html></html>' },
  'empty answer after commit': { text: '' },
  'null after commit': { json: null },
  'an empty list after commit': { json: [] },
  'a list of nothing after commit': { json: [null] },
  'a number after commit': { json: 7 },
  'an error envelope after commit': { ...error(200) },
  'an error envelope with a referral after commit': { json: { ...referral(), error: true, code: 'X' } },
  'an error envelope in data after commit': { json: { data: { error: true, code: 'X', errorList: [] } } },
  'a list of an error envelope after commit': { json: [{ error: true, code: 'X', errorList: [] }] },
  'an object after commit': { json: {} },
  'a list in an object after commit': { json: { referrals: [referral()] } },
  'a referral as HTML after commit': { json: referral(), headers: { 'content-type': 'text/html' } },
  'an unknown encoding after commit': { json: referral(), headers: { 'content-encoding': 'br' } },
  'too large an answer after commit': { json: { padding: 'x'.repeat(70_000) } },
  'lists in lists after commit': { text: '['.repeat(1_000) + ']'.repeat(1_000) },
}

export async function setUp(fates: readonly Fate[] = ['answer']) {
  const server = await ScriptedServer.start()
  const book = new OrderBook(server, fates)
  const clock = new SkippingClock()
  const client = clientOf(server.origin, { clock, maxResponseBytes: 65_536 })
  return { server, book, clock, client }
}

/** Returns the error of an order whose outcome is unknown. Fails for any other outcome. */
export async function unknownOutcome(promise: PromiseLike<unknown>): Promise<OrderOutcomeUnknownError> {
  const reason = await rejection(promise)
  if (reason instanceof OrderOutcomeUnknownError) return reason
  throw reason
}
