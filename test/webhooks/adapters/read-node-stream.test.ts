import { Readable } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { discardRest, readNodeStream } from '../../../src/webhooks/adapters/read-node-stream.js'
import { ManualClock, settled } from '../support.js'

const bounds = (maxBytes = 1_000) => ({ maxBytes, signal: new AbortController().signal })
const endless = (): Readable => new Readable({ read: () => undefined })

it('the chunks of a Node stream are joined, and only a listener for errors is left', async () => {
  const stream = Readable.from([Buffer.from('ab'), Buffer.from('c')], { objectMode: false })
  expect(Buffer.from(await readNodeStream(stream, bounds())).toString()).toBe('abc')
  expect(['data', 'end', 'close'].map((name) => stream.listenerCount(name))).toEqual([0, 0, 0])
  expect(() => stream.emit('error', new Error('too late to matter'))).not.toThrow()
})

it('a body from a Node stream may have exactly the limit, and not one byte more', async () => {
  const three = () => Readable.from([Buffer.from('abc')], { objectMode: false })
  await expect(readNodeStream(three(), bounds(3))).resolves.toHaveLength(3)
  await expect(readNodeStream(three(), bounds(2))).rejects.toMatchObject({ reason: 'body-too-large' })
})

it('reading a Node stream ends when it closes without having ended', async () => {
  const stream = endless()
  const reading = readNodeStream(stream, bounds())
  stream.destroy()
  await expect(reading).rejects.toThrow(/closed before/)
})

it('reading a Node stream that is already closed does not wait', async () => {
  const stream = endless().destroy()
  await settled()
  await expect(readNodeStream(stream, bounds())).rejects.toThrow(/closed before/)
  expect(['data', 'end', 'close'].map((name) => stream.listenerCount(name))).toEqual([0, 0, 0])
})

it('text from a Node stream is rejected, because it may have lost bytes', async () => {
  const stream = Readable.from([Buffer.from('é')], { objectMode: false }).setEncoding('latin1')
  await expect(readNodeStream(stream, bounds())).rejects.toMatchObject({ reason: 'body-not-raw' })
})

it('reading a Node stream ends with its signal', async () => {
  const controller = new AbortController()
  const stream = endless()
  const reading = readNodeStream(stream, { maxBytes: 10, signal: controller.signal })
  controller.abort(new Error('time is up'))
  await expect(reading).rejects.toThrow('time is up')
  expect(stream.isPaused()).toBe(true)
})

it('the rest of a body is read to its end, and leaves no timer', async () => {
  const clock = new ManualClock()
  const stream = Readable.from([Buffer.alloc(100_000)], { objectMode: false })
  discardRest(stream, clock, 2_500)
  await vi.waitFor(() => expect(stream.readableEnded).toBe(true))
  expect(clock.timers).toBe(0)
})

it('the connection of a sender that does not stop is closed', async () => {
  const clock = new ManualClock()
  const stream = endless()
  discardRest(stream, clock, 2_500)
  await clock.advance(2_499)
  expect(stream.destroyed).toBe(false)
  await clock.advance(1)
  expect(stream.destroyed).toBe(true)
  await settled()
})

it('a body whose connection is already closed is left alone', async () => {
  const clock = new ManualClock()
  const stream = endless()
  stream.destroy()
  await settled()
  discardRest(stream, clock, 2_500)
  expect(clock.timers).toBe(0)
})

it('a body that was read is left alone', async () => {
  const clock = new ManualClock()
  const stream = Readable.from([Buffer.from('a')], { objectMode: false })
  await readNodeStream(stream, bounds())
  discardRest(stream, clock, 2_500)
  expect(clock.timers).toBe(0)
})
