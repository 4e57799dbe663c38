import { createWebhookReceiver, memoryDedupeStore, type WebhookReceiverOptions } from 'pathology-sdk/webhooks'
import { describe, expect, it, vi } from 'vitest'
import { deferred, deliveryOf, eventOf, ManualClock, outcomeOf, settled } from '../support.js'
import { SECRET } from '../verification/vectors.js'

function setUp(work: WebhookReceiverOptions['enqueue'], options: Partial<WebhookReceiverOptions> = {}) {
  const clock = new ManualClock()
  const onError = vi.fn()
  const dedupe = memoryDedupeStore({ clock })
  const receiver = createWebhookReceiver({
    secret: SECRET,
    on: { '*': work },
    clock,
    onError,
    dedupe,
    ...options,
  })
  return { clock, onError, dedupe, receiver }
}

describe.each([
  [
    'inline',
    { status: 500, outcome: 'timeout', message: /not handled.* with enqueue/ },
    (work: NonNullable<WebhookReceiverOptions['enqueue']>) => setUp(work),
  ],
  [
    'enqueue',
    {
      status: 503,
      outcome: 'store-unavailable',
      message: /not stored.*database or the queue that stores it/,
    },
    (work: NonNullable<WebhookReceiverOptions['enqueue']>) =>
      setUp(undefined, { on: undefined, enqueue: work }),
  ],
] as const)('work that takes too long, %s (§6, §8)', (mode, expected, start) => {
  it(`in the mode ${mode}, work that takes too long gets an error at 2,500 ms, before the service aborts at 3,000 (§6, §8)`, async () => {
    const { receiver, clock, onError } = start(() => new Promise(() => undefined))
    const answered = vi.fn()
    const response = receiver.receive(deliveryOf())
    void response.then(answered)
    await clock.advance(2_499)
    expect(answered).not.toHaveBeenCalled()
    await clock.advance(1)
    const { status, message } = expected
    expect(await response).toMatchObject({ status, body: JSON.stringify({ outcome: expected.outcome }) })
    expect(onError.mock.calls[0]?.[0]).toMatchObject({
      code: 'WEBHOOK_TIMEOUT',
      message: expect.stringMatching(message),
    })
    expect(clock.timers).toBe(0)
  })

  it(`in the mode ${mode}, work that takes too long is told by its signal, and its later rejection is ignored (§6)`, async () => {
    const { receiver, clock, onError } = start(
      (_event, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    )
    const response = receiver.receive(deliveryOf())
    await clock.advance(2_500)
    expect(outcomeOf(await response)).toBe(expected.outcome)
    expect(onError).toHaveBeenCalledOnce()
  })

  it(`in the mode ${mode}, an event whose work takes too long is released, so that the next delivery calls it again (§6)`, async () => {
    const work = vi
      .fn()
      .mockReturnValueOnce(new Promise(() => undefined))
      .mockReturnValue(undefined)
    const { receiver, clock } = start(work)
    const delivery = deliveryOf()
    const first = receiver.receive(delivery)
    await clock.advance(2_500)
    expect(await first).toMatchObject({ status: expected.status })
    expect(await receiver.receive(delivery)).toMatchObject({ status: 200 })
    expect(work.mock.calls.map(([, { previousFailures }]) => previousFailures)).toEqual([0, 1])
  })

  it(`in the mode ${mode}, work that succeeds after the deadline is not called again (§6)`, async () => {
    const slow = deferred()
    const work = vi.fn(() => slow.promise)
    const { receiver, clock } = start(work)
    const delivery = deliveryOf()
    const first = receiver.receive(delivery)
    await clock.advance(2_500)
    expect(await first).toMatchObject({ status: expected.status })
    slow.resolve()
    await clock.advance(60_000)
    expect(outcomeOf(await receiver.receive(delivery))).toBe('duplicate')
    expect(work).toHaveBeenCalledOnce()
  })

  it(`in the mode ${mode}, work that fails after the deadline is called again (§6)`, async () => {
    const slow = deferred()
    const work = vi.fn().mockReturnValueOnce(slow.promise)
    const { receiver, clock } = start(work)
    const delivery = deliveryOf()
    const first = receiver.receive(delivery)
    await clock.advance(2_500)
    await first
    slow.reject(new Error('too late'))
    await settled()
    expect(await receiver.receive(delivery)).toMatchObject({ status: 200 })
    expect(work).toHaveBeenCalledTimes(2)
  })

  it(`in the mode ${mode}, late work does not change the claim of the attempt that replaced it (§6)`, async () => {
    const slow = deferred()
    const second = deferred()
    const work = vi.fn().mockReturnValueOnce(slow.promise).mockReturnValueOnce(second.promise)
    const { receiver, clock, dedupe } = start(work)
    const event = eventOf()
    const first = receiver.receive(deliveryOf(event))
    await clock.advance(2_500)
    await first
    const retry = receiver.receive(deliveryOf(event))
    await settled()
    slow.resolve()
    await settled()
    expect(dedupe.isConfirmed(event.eventUuid)).toBe(false)
    second.reject(new Error('no'))
    expect(await retry).toMatchObject({ status: 500 })
    expect(dedupe.claim(event.eventUuid, 1)).toBe(true)
  })
})

it('a delivery that is finished in time leaves no timer', async () => {
  const { receiver, clock } = setUp(() => undefined)
  await receiver.receive(deliveryOf())
  await receiver.receive({ headers: {}, body: '{}' })
  expect(clock.timers).toBe(0)
})

it('the option timeout is the deadline of a delivery', async () => {
  const { receiver, clock } = setUp(() => new Promise(() => undefined), { timeout: 100 })
  const response = receiver.receive(deliveryOf())
  await clock.advance(100)
  expect(await response).toMatchObject({ status: 500 })
})

it('a slow confirmation in the store does not delay the response: the event is handled', async () => {
  const clock = new ManualClock()
  const dedupe = { ...memoryDedupeStore({ clock }), confirm: () => new Promise(() => undefined) }
  const { receiver } = setUp(() => undefined, { clock, dedupe })
  const response = receiver.receive(deliveryOf())
  await clock.advance(2_500)
  expect(await response).toMatchObject({ status: 200 })
})
