import { type DedupeStore, memoryDedupeStore } from 'pathology-sdk/webhooks'
import { expect, it, vi } from 'vitest'
import {
  deferred,
  deliveryOf,
  eventOf,
  ManualClock,
  outcomeOf,
  plainStore,
  receiverWith,
  settled,
} from '../support.js'

it('an event that was handled is acknowledged and not handled again (§6)', async () => {
  const handler = vi.fn()
  const receiver = receiverWith(handler)
  const delivery = deliveryOf()
  expect(outcomeOf(await receiver.receive(delivery))).toBe('handled')
  expect(await receiver.receive(delivery)).toMatchObject({ status: 200, body: '{"outcome":"duplicate"}' })
  expect(handler).toHaveBeenCalledOnce()
})

it('an event that was handled is recognised by its eventUuid, whatever else differs (§6)', async () => {
  const handler = vi.fn()
  const receiver = receiverWith(handler)
  const { eventUuid } = eventOf()
  await receiver.receive(deliveryOf(eventOf({ eventUuid })))
  expect(
    outcomeOf(await receiver.receive(deliveryOf(eventOf({ eventUuid, eventName: 'result.updated' })))),
  ).toBe('duplicate')
  expect(handler).toHaveBeenCalledOnce()
})

it('an event that was handled is forgotten after dedupeTtl', async () => {
  const clock = new ManualClock()
  const handler = vi.fn()
  const receiver = receiverWith(handler, { clock, dedupeTtl: 60_000 })
  const delivery = deliveryOf()
  await receiver.receive(delivery)
  await clock.advance(59_999)
  expect(outcomeOf(await receiver.receive(delivery))).toBe('duplicate')
  await clock.advance(1)
  expect(outcomeOf(await receiver.receive(delivery))).toBe('handled')
})

it('an event is handled each time when de-duplication is disabled', async () => {
  const handler = vi.fn()
  const receiver = receiverWith(handler, { dedupe: false })
  const delivery = deliveryOf()
  await Promise.all([receiver.receive(delivery), receiver.receive(delivery)])
  expect(handler).toHaveBeenCalledTimes(2)
})

it('an event that could not be verified is not claimed', async () => {
  const dedupe = plainStore()
  const receiver = receiverWith(() => undefined, { dedupe })
  const { body } = deliveryOf()
  await receiver.receive({ headers: { 'x-svc-hmac-sha256': '0'.repeat(64) }, body })
  expect(dedupe.claim).not.toHaveBeenCalled()
})

it('an event whose handler failed is released, so that the next delivery handles it (§6)', async () => {
  const dedupe = plainStore()
  const handler = vi.fn().mockRejectedValueOnce(new Error('no'))
  const receiver = receiverWith(handler, { dedupe })
  const event = eventOf()
  expect(await receiver.receive(deliveryOf(event))).toMatchObject({ status: 500 })
  expect(dedupe.release).toHaveBeenCalledExactlyOnceWith(event.eventUuid)
  expect(outcomeOf(await receiver.receive(deliveryOf(event)))).toBe('handled')
  expect(outcomeOf(await receiver.receive(deliveryOf(event)))).toBe('duplicate')
  expect(handler).toHaveBeenCalledTimes(2)
  expect(dedupe.release).toHaveBeenCalledOnce()
})

it.each([
  ['succeeds', 200, ['handled', 'duplicate', 'duplicate']],
  ['fails', 500, ['failed', 'failed', 'failed']],
] as const)(
  'a duplicate that arrives while the first is handled gets the same response when the first %s (§6)',
  async (end, status, outcomes) => {
    const work = deferred()
    const handler = vi.fn(() => work.promise)
    const receiver = receiverWith(handler)
    const delivery = deliveryOf()
    const answers = [receiver.receive(delivery), receiver.receive(delivery), receiver.receive(delivery)]
    const early = await Promise.race([...answers, settled()])
    expect(early).toBeUndefined()
    if (end === 'succeeds') work.resolve()
    else work.reject(new Error('no'))
    const responses = await Promise.all(answers)
    expect(responses.map((response) => response.status)).toEqual([status, status, status])
    expect(responses.map(outcomeOf)).toEqual(outcomes)
    expect(handler).toHaveBeenCalledOnce()
  },
)

it('a duplicate in another process gets a 409 while the first may still fail (§6)', async () => {
  const dedupe = memoryDedupeStore()
  const work = deferred()
  const here = receiverWith(() => work.promise, { dedupe })
  const elsewhere = vi.fn()
  const there = receiverWith(elsewhere, { dedupe })
  const delivery = deliveryOf()
  const first = here.receive(delivery)
  await settled()
  expect(await there.receive(delivery)).toMatchObject({ status: 409, body: '{"outcome":"busy"}' })
  work.reject(new Error('no'))
  expect(await first).toMatchObject({ status: 500 })
  expect(await there.receive(delivery)).toMatchObject({ status: 200, body: '{"outcome":"handled"}' })
  expect(elsewhere).toHaveBeenCalledOnce()
})

it("the claim of a process that died expires before the service's next attempt, a minute later (§6)", async () => {
  const clock = new ManualClock()
  const dedupe = memoryDedupeStore({ clock })
  const delivery = deliveryOf()
  const dying = receiverWith(() => new Promise(() => undefined), { dedupe })
  void dying.receive(delivery)
  await settled()
  const survivor = receiverWith(() => undefined, { dedupe })
  await clock.advance(40_000)
  expect(outcomeOf(await survivor.receive(delivery))).toBe('busy')
  await clock.advance(20_000)
  expect(outcomeOf(await survivor.receive(delivery))).toBe('handled')
})

it('a de-duplication store with two functions is called once per delivery, for the complete time', async () => {
  const dedupe = plainStore()
  const receiver = receiverWith(() => undefined, { dedupe, dedupeTtl: 90_000_000 })
  const event = eventOf()
  await receiver.receive(deliveryOf(event))
  await receiver.receive(deliveryOf(event))
  expect(dedupe.claim.mock.calls).toEqual([
    [event.eventUuid, 90_000_000],
    [event.eventUuid, 90_000_000],
  ])
  expect(dedupe.release).not.toHaveBeenCalled()
})

it.each([
  [
    'throws',
    () => {
      throw new Error('store down')
    },
  ],
  ['rejects', () => Promise.reject(new Error('store down'))],
])(
  'a de-duplication store that %s makes the service send the event again, and is reported',
  async (_title, broken) => {
    const handler = vi.fn()
    const onError = vi.fn()
    const receiver = receiverWith(handler, { dedupe: { claim: broken, release: broken }, onError })
    expect(await receiver.receive(deliveryOf())).toMatchObject({
      status: 503,
      body: '{"outcome":"store-unavailable"}',
    })
    expect(handler).not.toHaveBeenCalled()
    expect(onError).toHaveBeenCalledWith(
      new Error('store down'),
      expect.objectContaining({ outcome: 'store-unavailable' }),
    )
  },
)

it('a store whose claim returns nothing has failed: the event is not a duplicate, and is sent again', async () => {
  const onError = vi.fn()
  const handler = vi.fn()
  const claim = (async () => undefined) as unknown as DedupeStore['claim']
  const receiver = receiverWith(handler, { dedupe: { claim, release: () => undefined }, onError })
  expect(await receiver.receive(deliveryOf())).toMatchObject({
    status: 503,
    body: '{"outcome":"store-unavailable"}',
  })
  expect(handler).not.toHaveBeenCalled()
  expect(onError).toHaveBeenCalledWith(
    expect.objectContaining({ name: 'ConfigurationError', message: expect.stringContaining('claim') }),
    expect.objectContaining({ outcome: 'store-unavailable' }),
  )
})

it.each(['confirm', 'release'] as const)(
  'a store whose %s fails does not change the response',
  async (broken) => {
    const onError = vi.fn()
    const store = { ...memoryDedupeStore(), [broken]: () => Promise.reject(new Error('store down')) }
    const receiver = receiverWith(
      () => (broken === 'release' ? Promise.reject(new Error('no')) : undefined),
      { dedupe: store, onError },
    )
    const { status } = await receiver.receive(deliveryOf())
    expect(status).toBe(broken === 'confirm' ? 200 : 500)
    expect(onError).toHaveBeenCalledWith(new Error('store down'), {
      outcome: 'store-unavailable',
      status: undefined,
      event: undefined,
    })
  },
)

it('a store that never responds takes no longer than the deadline, the error names it, and a late claim is released', async () => {
  const clock = new ManualClock()
  const answer = deferred<boolean>()
  const release = vi.fn()
  const handler = vi.fn()
  const onError = vi.fn()
  const receiver = receiverWith(handler, { clock, onError, dedupe: { claim: () => answer.promise, release } })
  const event = eventOf()
  const response = receiver.receive(deliveryOf(event))
  await clock.advance(2_500)
  expect(await response).toMatchObject({ status: 503 })
  expect(clock.timers).toBe(0)
  const [error] = onError.mock.calls[0] ?? []
  expect(error).toMatchObject({ code: 'WEBHOOK_TIMEOUT', message: expect.stringMatching(/store/) })
  expect(error.message).not.toMatch(/enqueue/)
  expect(release).not.toHaveBeenCalled()
  answer.resolve(true)
  await settled()
  expect(release).toHaveBeenCalledExactlyOnceWith(event.eventUuid)
  expect(handler).not.toHaveBeenCalled()
})

const stores = {
  memoryDedupeStore: () => memoryDedupeStore(),
  'a store without confirm': () => plainStore(),
}

it.each(Object.entries(stores))('receivers with names handle an event once each: %s', async (_, create) => {
  const dedupe = create()
  const billing = vi.fn()
  const clinical = vi.fn()
  const receivers = [
    receiverWith(billing, { dedupe, name: 'billing' }),
    receiverWith(clinical, { dedupe, name: 'clinical.v2' }),
  ]
  const delivery = deliveryOf()
  for (const receiver of [...receivers, ...receivers]) await receiver.receive(delivery)
  expect(billing).toHaveBeenCalledOnce()
  expect(clinical).toHaveBeenCalledOnce()
})

it('receivers with one name handle an event once between them', async () => {
  const dedupe = memoryDedupeStore()
  const handler = vi.fn()
  const processes = [1, 2].map(() => receiverWith(handler, { dedupe, name: 'billing' }))
  const delivery = deliveryOf()
  for (const receiver of processes) await receiver.receive(delivery)
  expect(handler).toHaveBeenCalledOnce()
})

it('a receiver with a name releases and confirms its own claims only', async () => {
  const dedupe = memoryDedupeStore()
  let fails = true
  const handler = vi.fn(() => {
    if (fails) throw new Error('not now')
  })
  const receiver = receiverWith(handler, { dedupe, name: 'billing' })
  const event = eventOf()
  expect((await receiver.receive(deliveryOf(event))).status).toBe(500)
  expect(dedupe.claim(`billing:${event.eventUuid}`, 1)).toBe(true)
  dedupe.release(`billing:${event.eventUuid}`)
  fails = false
  expect(outcomeOf(await receiver.receive(deliveryOf(event)))).toBe('handled')
  expect(dedupe.isConfirmed(`billing:${event.eventUuid}`)).toBe(true)
  expect(dedupe.isConfirmed(event.eventUuid)).toBe(false)
})

it('a receiver without a store takes no name', () => {
  expect(() => receiverWith(() => undefined, { dedupe: false, name: 'billing' })).toThrow(
    'createWebhookReceiver: name must be absent with dedupe: false',
  )
})

it.each(['', 'a:b', 'x'.repeat(41), 7])(
  'a name of a receiver is short and without separators, and not %j',
  (name) => {
    expect(() => receiverWith(() => undefined, { name: name as string })).toThrow(
      'createWebhookReceiver: name must have 1 to 40 letters, digits, _, - or .',
    )
  },
)
