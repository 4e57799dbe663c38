import fc from 'fast-check'
import type { CursorIterator } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import type { Row } from '../support/paged-service.js'
import { clientWith, listOf, runs, serviceFor } from './list-world.js'

type Walk = AsyncGenerator<Row, void, undefined>

/** What a list is to look like record by record: the language's own generator over its pages. */
async function* generated(list: CursorIterator<Row>): Walk {
  for await (const page of list.pages()) yield* page.items
}

const step = fc.record({
  ask: fc.oneof(
    { weight: 12, arbitrary: fc.constant('next' as const) },
    { weight: 1, arbitrary: fc.constant('return' as const) },
    { weight: 1, arbitrary: fc.constant('throw' as const) },
  ),
  waits: fc.boolean(),
})

const world = fc.record({
  size: fc.nat(12),
  cap: fc.integer({ min: 1, max: 5 }),
  prefetch: fc.boolean(),
  failing: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
})

type World = typeof world extends fc.Arbitrary<infer T> ? T : never
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** Asks a walk as the steps say, some without waiting for the one before, and tells all it gave. */
async function outcomes(walk: Walk, steps: readonly Step[]): Promise<unknown[]> {
  const given: Promise<unknown>[] = []
  for (const { ask, waits } of steps) {
    const asked = ask === 'throw' ? walk.throw(new RangeError('stop')) : walk[ask]()
    const told = asked.then(
      ({ done, value }) => ({ done, place: value?.place }),
      (error: Error) => error.name,
    )
    given.push(told)
    if (waits) await told
  }
  return Promise.all(given)
}

async function walked({ size, cap, prefetch, failing }: World, steps: readonly Step[], own: boolean) {
  const service = serviceFor({ name: 'referrals', size, cap })
  if (failing !== undefined) service.failing.add(failing)
  const list = listOf(clientWith(service.fetch), 'referrals', { prefetch })
  const walk = own ? list[Symbol.asyncIterator]() : generated(list)
  return { outcomes: await outcomes(walk, steps), pages: service.asked.length }
}

describe('§4.7 a list record by record is an async generator in all it does (row 43)', () => {
  it('whoever asks, in turn or all at once, ends it early, throws into it, or meets a page that fails', async () => {
    await fc.assert(
      fc.asyncProperty(world, fc.array(step, { maxLength: 24 }), async (facts, steps) => {
        expect(await walked(facts, steps, true)).toEqual(await walked(facts, steps, false))
      }),
      { ...runs, numRuns: 400 },
    )
  })

  it.each(['next', 'return'] as const)(
    'who asks again as soon as a record is there comes after those who asked before (%s)',
    async (ask) => {
      const told = async (own: boolean): Promise<unknown[]> => {
        const service = serviceFor({ name: 'referrals', size: 9, cap: 3 })
        const list = listOf(clientWith(service.fetch), 'referrals', {})
        const walk = own ? list[Symbol.asyncIterator]() : generated(list)
        const [first, second] = [walk.next(), walk[ask]()]
        await first
        const given = await Promise.all([first, second, walk.next()])
        return given.map(({ done, value }) => ({ done, place: value?.place }))
      }
      expect(await told(true)).toEqual(await told(false))
    },
  )

  it('the records of a page that is here take one turn each, however many are asked for', async () => {
    const service = serviceFor({ name: 'referrals', size: 9, cap: 9 })
    const walk = listOf(clientWith(service.fetch), 'referrals', {})[Symbol.asyncIterator]()
    await walk.next()
    const places: unknown[] = []
    for (const asked of [walk.next(), walk.next(), walk.next()]) {
      asked.then(({ value }) => places.push(value?.place))
    }
    await Promise.resolve()
    expect(places).toEqual([1, 2, 3])
  })

  it('can be walked on after a break where its owner keeps it from ending', async () => {
    const service = serviceFor({ name: 'referrals', size: 5, cap: 3 })
    const walk = listOf(clientWith(service.fetch), 'referrals', {})[Symbol.asyncIterator]()
    const first = await walk.next()
    const rest: number[] = []
    for await (const { place } of walk) rest.push(place)
    expect([first.value?.place, ...rest]).toEqual([0, 1, 2, 3, 4])
    expect(await walk.next()).toEqual({ done: true, value: undefined })
  })

  it('is disposed of like one: what was not walked is not fetched', async () => {
    const service = serviceFor({ name: 'referrals', size: 9, cap: 3 })
    const walk = listOf(clientWith(service.fetch), 'referrals', {})[Symbol.asyncIterator]()
    await walk.next()
    await walk[Symbol.asyncDispose]()
    expect(await walk.next()).toEqual({ done: true, value: undefined })
    expect(service.asked).toHaveLength(1)
  })
})
