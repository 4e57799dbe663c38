import { channel } from 'node:diagnostics_channel'
import { expect, it, onTestFinished } from 'vitest'
import { CANARIES } from '../../support/canaries.js'
import { clientOf, rejection } from '../../support/clients.js'
import { referral, UUID } from '../../support/samples.js'
import { type Script, ScriptedServer } from '../../support/scripted-server.js'
import { SkippingClock } from '../../support/skipping-clock.js'

const ROUTE = `GET /v1/referrals/${UUID}`
const CALL = { operation: 'referrals.retrieve', method: 'GET', path: '/v1/referrals/{uuid}' }

/** Copies of the events of one channel, under its documented name. */
function eventsOf(phase: 'start' | 'asyncEnd' | 'error'): object[] {
  const events: object[] = []
  const followed = channel(`tracing:pathology-sdk:request:${phase}`)
  const listener = (event: unknown): void => void events.push({ ...Object(event) })
  followed.subscribe(listener)
  onTestFinished(() => void followed.unsubscribe(listener))
  return events
}

async function setUp(...replies: Script[]) {
  const server = await ScriptedServer.start()
  server.on(ROUTE, ...replies)
  const clock = new SkippingClock()
  return { server, clock, client: clientOf(server.origin, { clock }) }
}

it('the start event has no result, and the end event has the duration of this call only (§8)', async () => {
  const good = { json: referral({ uuid: UUID }) }
  const { client, clock } = await setUp(good, { status: 503, headers: { 'retry-after': '2' } }, good)
  const [starts, ends] = [eventsOf('start'), eventsOf('asyncEnd')]
  clock.advance(7_000)
  await client.referrals.retrieve(UUID)
  await client.referrals.retrieve(UUID)
  expect(starts).toStrictEqual([CALL, CALL])
  expect(ends).toStrictEqual([
    { ...CALL, status: 200, outcome: 'success', attempts: 1, duration: 0 },
    { ...CALL, status: 200, outcome: 'success', attempts: 2, duration: 2_100 },
  ])
})

it.each<[string, Script, object]>([
  [
    'an error with a code',
    { status: 404, json: { error: true, code: 'REFERRAL_NOT_FOUND', message: 'x', errorList: [] } },
    { status: 404, outcome: 'NotFoundError', errorCode: 'REFERRAL_NOT_FOUND' },
  ],
  ['an error without a code', { status: 502, text: '<html>' }, { status: 502, outcome: 'ServerError' }],
  ['no response', { reset: 'before' }, { outcome: 'ConnectionError', errorCode: 'CONNECTION_RESET' }],
  [
    'an unusable response',
    { text: 'x' },
    { status: 200, outcome: 'InvalidResponseError', errorCode: 'RESPONSE_NOT_JSON' },
  ],
  [
    'an encoding that was not requested',
    { text: 'x', headers: { 'content-encoding': 'br' } },
    { status: 200, outcome: 'InvalidResponseError', errorCode: 'RESPONSE_ENCODING' },
  ],
])('the error event and the end event of %s have its known properties', async (_, reply, facts) => {
  const { client } = await setUp(reply)
  const [errors, ends] = [eventsOf('error'), eventsOf('asyncEnd')]
  await rejection(client.referrals.retrieve(UUID, { maxRetries: 0 }))
  expect(errors).toStrictEqual([{ ...CALL, ...facts, attempts: 1, duration: 0 }])
  expect(ends).toStrictEqual(errors)
})

it('the event of a call without a token has no status and no attempt', async () => {
  const { client, server, clock } = await setUp({ status: 500 })
  server.on('POST /oauth/token', { hang: 'before' })
  const ends = eventsOf('asyncEnd')
  const call = rejection(client.referrals.retrieve(UUID, { maxRetries: 0, timeout: 100_000 }))
  await expect.poll(() => server.tokenRequests.length).toBe(1)
  clock.advance(99_000)
  expect(await call).toMatchObject({ name: 'TokenError', status: undefined })
  expect(ends).toStrictEqual([
    { ...CALL, outcome: 'TokenError', errorCode: 'TIMEOUT', attempts: 0, duration: 99_000 },
  ])
})

it.each<[string, unknown, string]>([
  ['a DOMException, which has a code', new DOMException('stop', 'AbortError'), 'AbortError'],
  ['an error', new RangeError('stop'), 'RangeError'],
  ['an error with a personal name', Object.assign(new Error('stop'), { name: CANARIES.lastName }), 'Error'],
  ['a text', CANARIES.lastName, 'Error'],
  ['an object with a status', { status: 7, name: CANARIES.lastName }, 'Error'],
])('the event of a call that is aborted with %s has only a name', async (_, reason, outcome) => {
  const { client, server } = await setUp({ hang: 'before' })
  const ends = eventsOf('asyncEnd')
  const abort = new AbortController()
  const call = rejection(client.referrals.retrieve(UUID, { signal: abort.signal }))
  await expect.poll(() => server.calls.length).toBe(1)
  abort.abort(reason)
  expect(await call).toBe(reason)
  expect(ends).toStrictEqual([{ ...CALL, outcome, attempts: 1, duration: 0 }])
})
