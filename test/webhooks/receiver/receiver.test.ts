import {
  createWebhookReceiver,
  parseWebhookEvent,
  type WebhookErrorInfo,
  type WebhookEvent,
  type WebhookReceiverOptions,
} from 'pathology-sdk/webhooks'
import { afterEach, expect, it, vi } from 'vitest'
import { deliveryOf, eventOf, rejection, sign } from '../support.js'
import { NEXT_SECRET, SECRET } from '../verification/vectors.js'

const quiet = { onError: () => undefined }

function receiverWith(options: Partial<WebhookReceiverOptions> = {}) {
  const seen: WebhookEvent[] = []
  const receiver = createWebhookReceiver({
    secret: SECRET,
    on: { 'referral.issued': (event) => void seen.push(event) },
    ...quiet,
    ...options,
  })
  return { receiver, seen }
}

afterEach(() => void vi.clearAllMocks())

it('a signed event goes to its handler, and the response is 200 (§6)', async () => {
  const { receiver, seen } = receiverWith()
  const event = eventOf()
  const response = await receiver.receive(deliveryOf(event))
  expect(response).toEqual({
    status: 200,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: '{"outcome":"handled"}',
  })
  expect(seen).toEqual([event])
})

it("a handler gets the delivery's time, and no previous failures (§6)", async () => {
  const handler = vi.fn()
  const { receiver } = receiverWith({ on: { '*': handler } })
  const { headers, body } = deliveryOf()
  await receiver.receive({ headers: { ...headers, 'x-svc-delivery-time': '2026-03-09T22:14:05Z' }, body })
  expect(handler.mock.calls[0]?.[1]).toMatchObject({
    deliveredAt: new Date('2026-03-09T22:14:05Z'),
    previousFailures: 0,
    signal: { aborted: false },
  })
})

it('a receiver accepts both secrets while one replaces the other (§6)', async () => {
  const { receiver, seen } = receiverWith({ secret: [NEXT_SECRET, SECRET] })
  const body = JSON.stringify(eventOf())
  const other = JSON.stringify(eventOf())
  expect(await receiver.receive({ headers: { 'x-svc-hmac-sha256': sign(body) }, body })).toMatchObject({
    status: 200,
  })
  const headers = { 'x-svc-hmac-sha256': sign(other, NEXT_SECRET) }
  expect(await receiver.receive({ headers, body: other })).toMatchObject({ status: 200 })
  expect(seen).toHaveLength(2)
})

const body = JSON.stringify(eventOf())
const signed = (text: string) => ({ headers: { 'x-svc-hmac-sha256': sign(text) }, body: text })
it.each([
  ['no signature', { headers: {}, body }, 401, 'refused'],
  ['a wrong signature', { headers: { 'x-svc-hmac-sha256': sign(body, 'other') }, body }, 401, 'refused'],
  [
    'a signature with more behind it',
    { headers: { 'x-svc-hmac-sha256': `${sign(body)}zz` }, body },
    401,
    'refused',
  ],
  ['a changed body', { ...signed(body), body: `${body} ` }, 401, 'refused'],
  ['signed text that is not JSON', signed('{'), 400, 'malformed'],
  ['signed JSON that is not an event', signed('{}'), 400, 'malformed'],
  ['an empty body', signed(''), 400, 'malformed'],
  ['more than 1 MiB', signed(`"${'x'.repeat(2 ** 20)}"`), 413, 'body-too-large'],
  ['GET', { ...signed(body), method: 'GET' }, 405, 'method-not-allowed'],
])('a receiver refuses %s without calling a handler (§6)', async (_title, request, status, outcome) => {
  const { receiver, seen } = receiverWith()
  const response = await receiver.receive(request)
  expect(response.status).toBe(status)
  expect(JSON.parse(response.body)).toMatchObject({ outcome })
  expect(seen).toEqual([])
})

it('a receiver accepts the method in lower case, as hapi gives it', async () => {
  const { receiver } = receiverWith()
  expect(await receiver.receive({ ...deliveryOf(), method: 'post' })).toMatchObject({ status: 200 })
})

it('maxBodyBytes counts bytes, not characters', async () => {
  const { receiver } = receiverWith({ maxBodyBytes: 1_000 })
  const text = JSON.stringify(eventOf({ data: { note: '€'.repeat(300) } }))
  expect(text.length).toBeLessThan(1_000)
  expect(Buffer.byteLength(text)).toBeGreaterThan(1_000)
  expect(await receiver.receive(deliveryOf(text))).toMatchObject({ status: 413 })
})

it('a parsed body, which cannot be verified, is reported as a configuration error', async () => {
  const onError = vi.fn()
  const { receiver } = receiverWith({ onError })
  const { headers, body: text } = deliveryOf()
  const response = await receiver.receive({ headers, body: JSON.parse(text) })
  expect(response.status).toBe(500)
  expect(JSON.parse(response.body)).toEqual({ outcome: 'misconfigured', reason: 'body-not-raw' })
  expect(onError.mock.calls[0]?.[0]).toMatchObject({ reason: 'body-not-raw' })
})

const own = vi.fn()
const rest = vi.fn()
const on = { 'referral.issued': own, '*': rest }

it('an event without any handler is acknowledged, because a rejection would delay its entity for half an hour (§6)', async () => {
  const response = await receiverWith().receiver.receive(
    deliveryOf(eventOf({ eventName: 'result.complete' })),
  )
  expect(response).toMatchObject({ status: 200, body: '{"outcome":"ignored"}' })
})

it.each(['referral.paused', 'constructor', '__proto__', 'hasOwnProperty'])(
  'the unknown event %s is acknowledged and reported (§6)',
  async (eventName) => {
    const onUnknown = vi.fn()
    const event = eventOf({ eventName })
    const { receiver } = receiverWith({ onUnknown })
    expect(await receiver.receive(deliveryOf(event))).toMatchObject({ status: 200 })
    expect(onUnknown).toHaveBeenCalledWith(event)
    const handled = await receiverWith({ on, onUnknown }).receiver.receive(deliveryOf(event))
    expect(handled).toMatchObject({ status: 200, body: '{"outcome":"handled"}' })
    expect(rest).toHaveBeenCalledOnce()
  },
)

it('an event with an unknown version is accepted (§6)', async () => {
  const { receiver, seen } = receiverWith()
  expect(await receiver.receive(deliveryOf(eventOf({ version: '2.0' })))).toMatchObject({ status: 200 })
  expect(seen).toHaveLength(1)
})

const fails = { 'referral.issued': () => Promise.reject(new TypeError('Marguerite Canary')) }

it("onError gets the handler's own error, the event and the response", async () => {
  const onError = vi.fn<(error: unknown, info: WebhookErrorInfo) => void>()
  const { receiver } = receiverWith({ on: fails, onError })
  const event = eventOf()
  expect(await receiver.receive(deliveryOf(event))).toMatchObject({
    status: 500,
    body: '{"outcome":"failed"}',
  })
  expect(onError).toHaveBeenCalledExactlyOnceWith(new TypeError('Marguerite Canary'), {
    outcome: 'failed',
    status: 500,
    event,
  })
})

it('the log has names and ids, and never the text of an error of other code', async () => {
  const lines: string[] = []
  const logger = { warn: (line: string) => lines.push(line), error: (line: string) => lines.push(line) }
  const { receiver } = receiverWith({ on: fails, logger })
  const event = eventOf()
  await receiver.receive(deliveryOf(event))
  await receiver.receive({ ...deliveryOf(event), headers: {} })
  expect(lines).toEqual([
    expect.stringMatching(new RegExp(`failed.*referral.issued.*${event.eventUuid}.*500.*TypeError`)),
    expect.stringMatching(/refused.*401.*x-svc-hmac-sha256/),
  ])
  expect(lines.join()).not.toContain('Canary')
})

it('the log has the message of an error of another copy of this package', async () => {
  const lines: string[] = []
  const brand = Symbol.for('pathology-sdk.error')
  const thrown = Object.assign(new Error('The referral does not exist.'), { [brand]: true })
  const { receiver } = receiverWith({
    on: { '*': () => Promise.reject(thrown) },
    logger: { error: (line: string) => lines.push(line) },
  })
  await receiver.receive(deliveryOf())
  expect(lines).toEqual([expect.stringMatching(/ 500: The referral does not exist\.$/)])
})

it('names and ids with unusual characters are not logged', async () => {
  const lines: string[] = []
  const { receiver } = receiverWith({
    on: { '*': fails['referral.issued'] },
    logger: { error: (line: string) => lines.push(line) },
  })
  await receiver.receive(deliveryOf(eventOf({ eventName: 'a\nforged line', eventUuid: 'b forged line' })))
  expect(lines).toHaveLength(1)
  expect(lines.join()).not.toMatch(/forged|\n/)
})

it('a failed handler causes a process warning without a logger and onError', async () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue()
  const { receiver } = receiverWith({ on: fails, onError: undefined })
  await receiver.receive(deliveryOf())
  expect(emitWarning).toHaveBeenCalledExactlyOnceWith(
    expect.stringContaining('set onError'),
    'PathologyWebhookWarning',
  )
  await receiver.receive({ headers: {}, body: '{}' })
  expect(emitWarning).toHaveBeenCalledOnce()
})

it.each([
  [
    'throw',
    () => {
      throw new Error('broken hook')
    },
  ],
  ['reject', () => Promise.reject(new Error('broken hook'))],
])('hooks and loggers that %s have no effect', async (_title, broken) => {
  const { receiver } = receiverWith({
    on: fails,
    onError: broken,
    onUnknown: broken,
    logger: { warn: broken, error: broken },
  })
  expect(await receiver.receive(deliveryOf())).toMatchObject({ status: 500 })
  expect(await receiver.receive(deliveryOf(eventOf({ eventName: 'new.one' })))).toMatchObject({
    status: 200,
  })
  expect(await receiver.receive({ headers: {}, body: '{}' })).toMatchObject({ status: 401 })
})

it('a hook that returns a promise of another library causes no unhandled rejection', async () => {
  const then = vi.fn()
  const { receiver } = receiverWith({ on: { '*': fails['referral.issued'] }, onError: () => ({ then }) })
  expect(await receiver.receive(deliveryOf())).toMatchObject({ status: 500 })
  expect(then).toHaveBeenCalledExactlyOnceWith(expect.any(Function), expect.any(Function))
})

it('a handler gets the number of failures of its event, from zero again once it was handled', async () => {
  const failures: number[] = []
  const { receiver } = receiverWith({
    dedupe: false,
    on: {
      'referral.issued': (_event, { previousFailures }) => {
        failures.push(previousFailures)
        if (failures.length < 3) throw new Error('not yet')
      },
    },
  })
  const delivery = deliveryOf()
  const statuses: number[] = []
  for (let time = 0; time < 4; time += 1) statuses.push((await receiver.receive(delivery)).status)
  expect(statuses).toEqual([500, 500, 200, 200])
  expect(failures).toEqual([0, 1, 2, 0])
})

it('an event is acknowledged when the queue has accepted it, and no handler runs (§6)', async () => {
  const enqueue = vi.fn(async () => 'job 1')
  const { receiver, seen } = receiverWith({ enqueue })
  const event = eventOf()
  expect(await receiver.receive(deliveryOf(event))).toMatchObject({
    status: 200,
    body: '{"outcome":"enqueued"}',
  })
  expect(enqueue).toHaveBeenCalledExactlyOnceWith(event, expect.objectContaining({ previousFailures: 0 }))
  expect(seen).toEqual([])
})

it('an event that the queue rejects gets a 500, and is accepted the next time (§6)', async () => {
  const enqueue = vi.fn().mockRejectedValueOnce(new Error('queue down')).mockResolvedValue(undefined)
  const { receiver } = receiverWith({ mode: 'enqueue', enqueue, on: undefined })
  const delivery = deliveryOf()
  expect(await receiver.receive(delivery)).toMatchObject({ status: 500 })
  expect(await receiver.receive(delivery)).toMatchObject({ status: 200 })
  expect(await receiver.receive(delivery)).toMatchObject({ body: '{"outcome":"duplicate"}' })
  expect(enqueue).toHaveBeenCalledTimes(2)
})

it('an unknown event is reported at its delivery, and not again when it is dispatched', async () => {
  const onUnknown = vi.fn()
  const queued: WebhookEvent[] = []
  const enqueue = (event: WebhookEvent) => queued.push(event)
  const { receiver } = receiverWith({ enqueue, onUnknown })
  await receiver.receive(deliveryOf(eventOf({ eventName: 'referral.paused' })))
  for (const event of queued) await receiver.dispatch(event)
  expect(onUnknown).toHaveBeenCalledExactlyOnceWith(queued[0])
})

it("a worker's own receiver without enqueue reports unknown events that it dispatches", async () => {
  const onUnknown = vi.fn()
  const { receiver } = receiverWith({ onUnknown })
  const queued: WebhookEvent = JSON.parse(JSON.stringify(eventOf({ eventName: 'referral.paused' })))
  await receiver.dispatch(queued)
  expect(onUnknown).toHaveBeenCalledExactlyOnceWith(queued)
})

it('dispatch runs the handlers for the worker, and rejects with their errors', async () => {
  const { receiver, seen } = receiverWith({ enqueue: () => undefined })
  const queued: WebhookEvent = JSON.parse(JSON.stringify(eventOf()))
  await receiver.dispatch(queued)
  expect(seen).toEqual([queued])
  const failing = receiverWith({ on: { '*': () => Promise.reject(new RangeError('no')) } })
  await expect(failing.receiver.dispatch(queued)).rejects.toThrow(RangeError)
})

it.each([{}, null, undefined, 'text', [], { eventName: 'result.complete', eventUuid: '1', version: '1.0' }])(
  'dispatch rejects %j, which is not an event, with an error that says so',
  async (given) => {
    const { receiver, seen } = receiverWith()
    // @ts-expect-error no event
    await expect(receiver.dispatch(given)).rejects.toMatchObject({
      name: 'WebhookVerificationError',
      reason: given === 'text' ? 'json-invalid' : 'envelope-invalid',
    })
    expect(seen).toEqual([])
  },
)

it.each<[string, object, RegExp]>([
  [
    'an unknown option',
    { previousFailure: 4 },
    /previousFailure is not an option of dispatch; did you mean previousFailures\?$/,
  ],
  ['an option in another case', { previousfailures: 4 }, /did you mean previousFailures\?$/],
  ['a signal that is not one', { signal: null }, /^dispatch: signal must be an AbortSignal$/],
  ['an event target', { signal: new EventTarget() }, /^dispatch: signal must be an AbortSignal$/],
  [
    'a negative count',
    { previousFailures: -1 },
    /^dispatch: previousFailures must be an integer of at least 0$/,
  ],
  ['a count that is not a number', { previousFailures: Number.NaN }, /previousFailures must be an integer/],
])('dispatch rejects %s, and calls no handler', async (_title, options, message) => {
  const { receiver, seen } = receiverWith()
  const error = await rejection(receiver.dispatch(parseWebhookEvent(eventOf()), options))
  expect(error).toMatchObject({ name: 'ConfigurationError', message: expect.stringMatching(message) })
  expect(seen).toEqual([])
})

it("dispatch passes the queue's previous failures and the signal to the handler", async () => {
  const handler = vi.fn()
  const { receiver } = receiverWith({ on: { '*': handler } })
  const { signal } = new AbortController()
  const event = parseWebhookEvent(eventOf())
  await receiver.dispatch(event)
  await receiver.dispatch(event, { previousFailures: 4, signal })
  expect(handler).toHaveBeenNthCalledWith(1, event, expect.objectContaining({ previousFailures: 0 }))
  expect(handler).toHaveBeenNthCalledWith(2, event, {
    previousFailures: 4,
    signal,
    deliveredAt: undefined,
    retrieve: expect.any(Function),
  })
})
