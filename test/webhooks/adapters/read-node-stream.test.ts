import { Readable } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { discardRest, readNodeStream } from '../../../src/webhooks/adapters/read-node-stream.js'
import { ManualClock, settled } from '../support.js'

const bounds = (maxBytes = 1_000) => ({ maxBytes, signal: new AbortController().signal })
const endless = (): Readable => new Readable({ read: () => undefined })

describe('reading a body from a Node stream', () => {
  it('joins its chunks, and leaves only a listener for errors', async () => {
    const stream = Readable.from([Buffer.from('ab'), Buffer.from('c')], { objectMode: false })
    expect(Buffer.from(await readNodeStream(stream, bounds())).toString()).toBe('abc')
    expect(['data', 'end', 'close'].map((name) => stream.listenerCount(name))).toEqual([0, 0, 0])
    expect(() => stream.emit('error', new Error('too late to matter'))).not.toThrow()
  })

  it('accepts exactly the limit, and not one byte more', async () => {
    const three = () => Readable.from([Buffer.from('abc')], { objectMode: false })
    await expect(readNodeStream(three(), bounds(3))).resolves.toHaveLength(3)
    await expect(readNodeStream(three(), bounds(2))).rejects.toMatchObject({ reason: 'body-too-large' })
  })

  it('ends when the stream closes without having ended', async () => {
    const stream = endless()
    const reading = readNodeStream(stream, bounds())
    stream.destroy()
    await expect(reading).rejects.toThrow(/closed before/)
  })

  it('does not wait for a stream that is already closed', async () => {
    const stream = endless().destroy()
    await settled()
    await expect(readNodeStream(stream, bounds())).rejects.toThrow(/closed before/)
    expect(['data', 'end', 'close'].map((name) => stream.listenerCount(name))).toEqual([0, 0, 0])
  })

  it('rejects text, which may have lost bytes', async () => {
    const stream = Readable.from([Buffer.from('é')], { objectMode: false }).setEncoding('latin1')
    await expect(readNodeStream(stream, bounds())).rejects.toMatchObject({ reason: 'body-not-raw' })
  })

  it('ends with its signal', async () => {
    const controller = new AbortController()
    const stream = endless()
    const reading = readNodeStream(stream, { maxBytes: 10, signal: controller.signal })
    controller.abort(new Error('time is up'))
    await expect(reading).rejects.toThrow('time is up')
    expect(stream.isPaused()).toBe(true)
  })
})

describe('discarding the rest of a body', () => {
  it('reads it to its end, and leaves no timer', async () => {
    const clock = new ManualClock()
    const stream = Readable.from([Buffer.alloc(100_000)], { objectMode: false })
    discardRest(stream, clock, 2_500)
    await vi.waitFor(() => expect(stream.readableEnded).toBe(true))
    expect(clock.timers).toBe(0)
  })

  it('closes the connection of a sender that does not stop', async () => {
    const clock = new ManualClock()
    const stream = endless()
    discardRest(stream, clock, 2_500)
    await clock.advance(2_499)
    expect(stream.destroyed).toBe(false)
    await clock.advance(1)
    expect(stream.destroyed).toBe(true)
    await settled()
  })

  it('does nothing to a body whose connection is already closed', async () => {
    const clock = new ManualClock()
    const stream = endless()
    stream.destroy()
    await settled()
    discardRest(stream, clock, 2_500)
    expect(clock.timers).toBe(0)
  })

  it('does nothing to a body that was read', async () => {
    const clock = new ManualClock()
    const stream = Readable.from([Buffer.from('a')], { objectMode: false })
    await readNodeStream(stream, bounds())
    discardRest(stream, clock, 2_500)
    expect(clock.timers).toBe(0)
  })
})
