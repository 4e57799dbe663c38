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

/** Handlers of one entity. The test decides when each of them ends. */
function world(dedupe: DedupeStore = memoryDedupeStore()) {
  const clock = new ManualClock()
  const begun: ReturnType<typeof deferred<void>>[] = []
  const handler = vi.fn(() => {
    const work = deferred()
    begun.push(work)
    return work.promise
  })
  const onError = vi.fn()
  const receiver = receiverWith(handler, { clock, dedupe, onError })
  const data = { uuid: 'entity' }
  const [first, second] = [deliveryOf(eventOf({ data })), deliveryOf(eventOf({ data }))]
  return { clock, begun, handler, onError, receiver, first, second }
}

it('an event that waited behind a slow handler gets a 409 without a claim, and is handled when it is sent again (§6)', async () => {
  const dedupe = plainStore()
  const { clock, begun, handler, onError, receiver, first, second } = world(dedupe)
  const answers = [receiver.receive(first), receiver.receive(second), receiver.receive(second)]
  await clock.advance(2_500)
  expect((await Promise.all(answers)).map(outcomeOf)).toEqual(['timeout', 'busy', 'busy'])
  expect(handler).toHaveBeenCalledOnce()
  expect([...dedupe.claimed]).toEqual([])
  expect(onError).toHaveBeenCalledWith(
    expect.objectContaining({ code: 'WEBHOOK_BUSY', message: expect.stringContaining('was not handled') }),
    expect.objectContaining({ outcome: 'busy', status: 409 }),
  )
  begun[0]?.resolve()
  await clock.advance(60_000)
  const again = [receiver.receive(first), receiver.receive(second)]
  await settled()
  begun[1]?.resolve()
  expect((await Promise.all(again)).map(outcomeOf)).toEqual(['duplicate', 'handled'])
  expect(handler).toHaveBeenCalledTimes(2)
})

it('a claim that is granted after the time limit is released, and the handler is not called', async () => {
  const granted = deferred<boolean>()
  const store = { ...plainStore(), claim: () => granted.promise }
  const { clock, handler, receiver, first } = world(store)
  const answer = receiver.receive(first)
  await settled()
  clock.jump(2_500)
  granted.resolve(true)
  expect(outcomeOf(await answer)).toBe('busy')
  expect(handler).not.toHaveBeenCalled()
  expect(store.release).toHaveBeenCalledOnce()
})

it.each([
  ['is slow', () => new Promise<never>(() => undefined)],
  ['fails', () => Promise.reject(new Error('store down'))],
  [
    'throws',
    () => {
      throw new Error('store down')
    },
  ],
])(
  'a failed event whose release %s is not a duplicate: it is busy until the release succeeds',
  async (_, broken) => {
    const dedupe = plainStore()
    const { clock, begun, handler, receiver, first } = world(dedupe)
    dedupe.release.mockImplementationOnce(broken)
    const failed = receiver.receive(first)
    await settled()
    begun[0]?.reject(new Error('no'))
    await clock.advance(2_500)
    expect(outcomeOf(await failed)).toBe('failed')
    expect(outcomeOf(await receiver.receive(first))).toBe('busy')
    const again = receiver.receive(first)
    await settled()
    begun[1]?.resolve()
    expect(outcomeOf(await again)).toBe('handled')
    expect(outcomeOf(await receiver.receive(first))).toBe('duplicate')
    expect(handler).toHaveBeenCalledTimes(2)
  },
)

it('a repeated release of an event does not displace another event whose release failed', async () => {
  const dedupe = plainStore()
  dedupe.release.mockRejectedValue(new Error('store down'))
  const receiver = receiverWith(() => Promise.reject(new Error('no')), { dedupe })
  const deliveries = Array.from({ length: 1_000 }, () => deliveryOf())
  for (const delivery of deliveries) expect(outcomeOf(await receiver.receive(delivery))).toBe('failed')
  for (const index of [500, 0])
    expect(outcomeOf(await receiver.receive(deliveries[index] ?? deliveryOf()))).toBe('busy')
})

it('an event that exceeded its time, whose release fails and whose handler succeeds later, is a duplicate', async () => {
  const dedupe = plainStore()
  const { clock, begun, handler, receiver, first } = world(dedupe)
  dedupe.release.mockRejectedValueOnce(new Error('store down'))
  const overrun = receiver.receive(first)
  await clock.advance(2_500)
  expect(outcomeOf(await overrun)).toBe('timeout')
  begun[0]?.resolve()
  await clock.advance(60_000)
  expect(outcomeOf(await receiver.receive(first))).toBe('duplicate')
  expect(handler).toHaveBeenCalledOnce()
})

it.each(['handled', 'failed', 'timeout', 'failed late'])(
  'the claim of an event that ends as "%s" is released at most once (§6)',
  async (end) => {
    const dedupe = plainStore()
    const { clock, begun, receiver, first } = world(dedupe)
    const answer = receiver.receive(first)
    await settled()
    if (end === 'handled') begun[0]?.resolve()
    if (end === 'failed') begun[0]?.reject(new Error('no'))
    await clock.advance(2_500)
    begun[0]?.reject(new Error('too late'))
    await clock.advance(60_000)
    await answer
    expect(dedupe.release).toHaveBeenCalledTimes(end === 'handled' ? 0 : 1)
  },
)

it('a claim that is granted after its lease has ended is not released: another attempt may have it', async () => {
  const late = deferred<boolean>()
  const clock = new ManualClock()
  const memory = memoryDedupeStore({ clock })
  const claim = vi.fn(memory.claim).mockImplementationOnce((eventUuid, ttlMs) => {
    memory.claim(eventUuid, ttlMs)
    return late.promise as never
  })
  const work = deferred()
  const dedupe = { ...memory, claim }
  const receiver = receiverWith(() => work.promise, { clock, dedupe })
  const delivery = deliveryOf()
  const first = receiver.receive(delivery)
  await clock.advance(2_500)
  expect(outcomeOf(await first)).toBe('store-unavailable')
  await clock.advance(57_500)
  const second = receiver.receive(delivery)
  await settled()
  late.resolve(true)
  await settled()
  expect(outcomeOf(await receiverWith(() => undefined, { clock, dedupe }).receive(delivery))).toBe('busy')
  work.resolve()
  expect(outcomeOf(await second)).toBe('handled')
})

it('a handler that never ends delays neither later events nor the timer queue', async () => {
  const { clock, begun, receiver, first, second } = world()
  const hung = receiver.receive(first)
  await clock.advance(2_500)
  expect(await hung).toMatchObject({ status: 500 })
  const next = receiver.receive(second)
  await settled()
  begun[1]?.resolve()
  expect(outcomeOf(await next)).toBe('handled')
  expect(clock.timers).toBe(0)
})
