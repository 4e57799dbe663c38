import { createWebhookReceiver, parseWebhookEvent, type WebhookEvent } from 'pathology-sdk/webhooks'
import { expect, it, vi } from 'vitest'
import { deferred, deliveryOf, eventOf, ManualClock, settled } from '../support.js'
import { SECRET } from '../verification/vectors.js'

function setUp() {
  const clock = new ManualClock()
  const log: string[] = []
  const running = new Map<string, ReturnType<typeof deferred<void>>>()
  const receiver = createWebhookReceiver({
    secret: SECRET,
    clock,
    onError: () => undefined,
    on: {
      '*': async (event: WebhookEvent) => {
        log.push(`start ${event.version}`)
        const work = deferred()
        running.set(event.version, work)
        await work.promise
        log.push(`end ${event.version}`)
      },
    },
  })
  /** The version distinguishes the events of a test. */
  const send = (label: string, data: object = { uuid: 'entity' }) =>
    receiver.receive(deliveryOf(eventOf({ version: label, data })))
  const finish = async (label: string): Promise<void> => {
    running.get(label)?.resolve()
    await settled()
  }
  return { clock, log, running, receiver, send, finish }
}

it('events of one entity are handled one after another, in the order of arrival (§6)', async () => {
  const { log, send, finish } = setUp()
  const answers = [send('a'), send('b'), send('c')]
  await settled()
  expect(log).toEqual(['start a'])
  await finish('a')
  await finish('b')
  await finish('c')
  expect(log).toEqual(['start a', 'end a', 'start b', 'end b', 'start c', 'end c'])
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200])
})

it('events do not wait for other entities; events without an entity do not wait either (§6)', async () => {
  const { log, send, finish } = setUp()
  const answers = [
    send('a'),
    send('b', { uuid: 'other' }),
    send('c', { runUuid: 'r' }),
    send('d', { runUuid: 'r' }),
  ]
  await settled()
  expect(log).toEqual(['start a', 'start b', 'start c', 'start d'])
  for (const label of ['d', 'c', 'b', 'a']) await finish(label)
  expect((await Promise.all(answers)).every(({ status }) => status === 200)).toBe(true)
})

it('events of one entity continue after one that failed (§6)', async () => {
  const { log, running, send, finish } = setUp()
  const answers = [send('a'), send('b')]
  await settled()
  running.get('a')?.reject(new Error('no'))
  await settled()
  await finish('b')
  expect(log).toEqual(['start a', 'start b', 'end b'])
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([500, 200])
})

it('events get a 409, unhandled, when the event before them exceeds its time: none runs concurrently (§6)', async () => {
  const { clock, log, send, finish } = setUp()
  const first = send('a')
  await clock.advance(1_000)
  const waiting = [send('b'), send('c')]
  await clock.advance(1_490)
  waiting.push(send('d'))
  await clock.advance(10)
  expect(await first).toMatchObject({ status: 500, body: '{"outcome":"timeout"}' })
  for (const answer of waiting)
    expect(await answer).toMatchObject({ status: 409, body: '{"outcome":"busy"}' })
  expect(log).toEqual(['start a'])
  await finish('a')
  expect(log).toEqual(['start a', 'end a'])
  expect(clock.timers).toBe(0)
})

it('an event gets a 409, unhandled, when its own time ends together with the event before it (§6)', async () => {
  const { clock, log, send, finish } = setUp()
  const first = send('a')
  const second = send('b')
  await settled()
  clock.jump(2_500) // no timer has run yet, as when a handler blocks the process
  await finish('a')
  expect(await first).toMatchObject({ status: 200 })
  expect(await second).toMatchObject({ status: 409 })
  expect(log).toEqual(['start a', 'end a'])
})

it('an event behind a cancelled dispatch gets a 409 while a handler runs that exceeded its timeout (§6)', async () => {
  const { clock, log, receiver, send, finish } = setUp()
  const first = send('a')
  await settled()
  const controller = new AbortController()
  const event = parseWebhookEvent(eventOf({ version: 'b', data: { uuid: 'entity' } }))
  const dispatched = receiver.dispatch(event, { signal: controller.signal })
  controller.abort(new Error('cancelled'))
  await expect(dispatched).rejects.toThrow('cancelled')
  await clock.advance(100)
  const last = send('c')
  await clock.advance(2_400)
  expect(await first).toMatchObject({ status: 500, body: '{"outcome":"timeout"}' })
  expect(await last).toMatchObject({ status: 409, body: '{"outcome":"busy"}' })
  expect(log).toEqual(['start a'])
  await finish('a')
})

it('events of one entity keep their order when one of them could not wait for its turn (§6)', async () => {
  const { clock, log, receiver, send, finish } = setUp()
  const slowBody = deferred()
  const early = receiver.fetch(lateRequest('b', slowBody.promise))
  await clock.advance(2_400)
  const first = send('a')
  await settled()
  slowBody.resolve()
  await settled()
  await clock.advance(100)
  expect((await early).status).toBe(409)
  const third = send('c')
  await settled()
  expect(log).toEqual(['start a'])
  await finish('a')
  await finish('c')
  expect(log).toEqual(['start a', 'end a', 'start c', 'end c'])
  expect((await Promise.all([first, third])).map(({ status }) => status)).toEqual([200, 200])
})

it('events are enqueued at once while a worker handles them, however long it takes (§6)', async () => {
  const clock = new ManualClock()
  const worker = deferred()
  const enqueued: string[] = []
  const receiver = createWebhookReceiver({
    secret: SECRET,
    clock,
    enqueue: (event) => void enqueued.push(event.version),
    on: { '*': () => worker.promise },
  })
  const data = { uuid: 'entity' }
  const event: WebhookEvent = JSON.parse(JSON.stringify(eventOf({ version: 'a', data })))
  const working = receiver.dispatch(event)
  const answers = [receiver.receive(deliveryOf(eventOf({ version: 'b', data })))]
  answers.push(receiver.receive(deliveryOf(eventOf({ version: 'c', data }))))
  await clock.advance(2_500)
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200])
  expect(enqueued).toEqual(['b', 'c'])
  worker.resolve()
  await working
})

it('dispatch does not start an event when its signal aborts while the event waits for its turn', async () => {
  const { log, receiver, send, finish } = setUp()
  const answer = send('a')
  await settled()
  const abort = new AbortController()
  const event: WebhookEvent = JSON.parse(JSON.stringify(eventOf({ version: 'q', data: { uuid: 'entity' } })))
  const dispatched = receiver.dispatch(event, { signal: abort.signal })
  const after = send('b')
  abort.abort(new Error('the worker stops'))
  await expect(dispatched).rejects.toThrow('the worker stops')
  await finish('a')
  await finish('b')
  expect(log).toEqual(['start a', 'end a', 'start b', 'end b'])
  expect((await Promise.all([answer, after])).map(({ status }) => status)).toEqual([200, 200])
  await expect(receiver.dispatch(event, { signal: abort.signal })).rejects.toThrow('the worker stops')
  expect(log).toHaveLength(4)
})

it('dispatch rejects at once when its signal is already aborted, also behind a running handler', async () => {
  const { log, receiver, send, finish } = setUp()
  const first = send('a')
  await settled()
  const event = parseWebhookEvent(eventOf({ version: 'q', data: { uuid: 'entity' } }))
  const rejected = vi.fn()
  receiver.dispatch(event, { signal: AbortSignal.abort('the worker stops') }).catch(rejected)
  const last = send('b')
  await settled()
  expect(rejected).toHaveBeenCalledExactlyOnceWith('the worker stops')
  expect(log).toEqual(['start a'])
  await finish('a')
  await finish('b')
  expect(log).toEqual(['start a', 'end a', 'start b', 'end b'])
  expect((await Promise.all([first, last])).map(({ status }) => status)).toEqual([200, 200])
})

it('deliveries and dispatch of one entity wait for each other (§6)', async () => {
  const { log, receiver, send, finish } = setUp()
  const queued: WebhookEvent = JSON.parse(JSON.stringify(eventOf({ version: 'q', data: { uuid: 'entity' } })))
  const dispatched = receiver.dispatch(queued)
  const answer = send('a')
  await settled()
  expect(log).toEqual(['start q'])
  await finish('q')
  await dispatched
  await finish('a')
  expect(await answer).toMatchObject({ status: 200 })
})

/** A signed request whose body arrives only when `opened` resolves. */
function lateRequest(label: string, opened: Promise<unknown>): Request {
  const { headers, body } = deliveryOf(eventOf({ version: label, data: { uuid: 'entity' } }))
  const stream = new ReadableStream<Uint8Array>({
    async start(controller) {
      await opened
      controller.enqueue(new TextEncoder().encode(body))
      controller.close()
    },
  })
  return new Request('http://localhost/', { method: 'POST', headers, body: stream, duplex: 'half' })
}
