import { ConfigurationError, memoryDedupeStore } from 'pathology-sdk/webhooks'
import { expect, it } from 'vitest'
import { ManualClock } from '../support.js'

it('memoryDedupeStore gives an event to the first claim', () => {
  const store = memoryDedupeStore()
  expect([store.claim('a', 1_000), store.claim('a', 1_000), store.claim('b', 1_000)]).toEqual([
    true,
    false,
    true,
  ])
})

it('memoryDedupeStore gives an event again after it was released', () => {
  const store = memoryDedupeStore()
  store.claim('a', 1_000)
  store.release('a')
  expect(store.claim('a', 1_000)).toBe(true)
})

it('memoryDedupeStore does not release a confirmed event', () => {
  const store = memoryDedupeStore()
  store.claim('a', 1_000)
  expect(store.isConfirmed('a')).toBe(false)
  store.confirm('a', 1_000)
  store.release('a')
  expect([store.isConfirmed('a'), store.claim('a', 1_000)]).toEqual([true, false])
})

it('memoryDedupeStore removes a claim when its time is over, or earlier at its own limit', async () => {
  const clock = new ManualClock()
  const store = memoryDedupeStore({ ttl: 500, clock })
  store.claim('short', 100)
  store.claim('long', 10_000)
  await clock.advance(100)
  expect([store.claim('short', 1), store.claim('long', 1)]).toEqual([true, false])
  await clock.advance(400)
  expect(store.claim('long', 1)).toBe(true)
})

it('memoryDedupeStore measures the time of an event from its confirmation', async () => {
  const clock = new ManualClock()
  const store = memoryDedupeStore({ clock })
  store.claim('a', 100)
  store.confirm('a', 1_000)
  await clock.advance(999)
  expect(store.isConfirmed('a')).toBe(true)
  await clock.advance(1)
  expect(store.isConfirmed('a')).toBe(false)
})

it('memoryDedupeStore never holds more than max, and removes the oldest first', () => {
  const store = memoryDedupeStore({ max: 3 })
  for (const id of ['a', 'b', 'c']) store.claim(id, 1_000)
  store.confirm('a', 1_000)
  store.claim('d', 1_000)
  expect(['a', 'c', 'd'].map((id) => store.claim(id, 1_000))).toEqual([false, false, false])
  expect(store.claim('b', 1_000)).toBe(true)
})

it('memoryDedupeStore rejects an unknown option', () => {
  const create = () => memoryDedupeStore({ maximum: 5 } as object)
  expect(create).toThrow('maximum is not an option of memoryDedupeStore')
})

it.each([{ max: 0 }, { max: 1.5 }, { ttl: 0 }, { ttl: Number.NaN }])(
  'memoryDedupeStore rejects %o',
  (options) => {
    expect(() => memoryDedupeStore(options)).toThrow(ConfigurationError)
  },
)
