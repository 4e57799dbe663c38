import fc from 'fast-check'
import type { Change } from 'pathology-sdk/mirror'
import { expect, it } from 'vitest'
import { createWorld, type TestDatabase } from './world.js'

/** One step of a random sequence. */
type Step =
  | { readonly do: 'order' }
  | { readonly do: 'partial' | 'complete' | 'release' | 'amend' | 'delete'; readonly pick: number }
  | { readonly do: 'fault'; readonly kind: 'duplicate' | 'lost' | 'reorder' }
  | { readonly do: 'lag'; readonly isLagging: boolean }
  | { readonly do: 'work' }
  | { readonly do: 'sweep'; readonly name: 'recent' | 'open' }

const pick = fc.nat(9)

const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('order' as const) }),
  fc.record({ do: fc.constantFrom('partial', 'complete', 'release', 'amend', 'delete'), pick }),
  fc.record({ do: fc.constant('fault' as const), kind: fc.constantFrom('duplicate', 'lost', 'reorder') }),
  fc.record({ do: fc.constant('lag' as const), isLagging: fc.boolean() }),
  fc.record({ do: fc.constant('work' as const) }),
  fc.record({ do: fc.constant('sweep' as const), name: fc.constantFrom('recent', 'open') }),
)

/** A fetch in front of a replica that can lag: it then returns the same response as before. */
function laggingFetch(): { readonly fetch: typeof globalThis.fetch; isLagging: boolean } {
  const known = new Map<string, { readonly status: number; readonly text: string }>()
  const state = {
    isLagging: false,
    fetch: async (input: Parameters<typeof globalThis.fetch>[0], init?: RequestInit): Promise<Response> => {
      const request = new Request(input, init)
      if (request.method !== 'GET' || request.url.includes('cursor=')) return globalThis.fetch(request)
      const old = state.isLagging ? known.get(request.url) : undefined
      const shown = old ?? (await remember(request))
      const headers = { 'content-type': 'application/json' }
      return new Response(shown.text, { status: shown.status, headers })
    },
  }
  const remember = async (request: Request) => {
    const response = await globalThis.fetch(request)
    const shown = { status: response.status, text: await response.text() }
    known.set(request.url, shown)
    return shown
  }
  return state
}

/** The model test: a random sequence of events, losses, corrections, deletions and lag against the fake. */
export function modelSuite(database: TestDatabase, numRuns: number): void {
  it('after any sequence of operations the copy equals the service when idle, and the changes are in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 5, maxLength: 20 }), (story) => tell(database, story)),
      { numRuns, endOnFailure: true, interruptAfterTimeLimit: 50_000 },
    )
  }, 60_000)
}

async function tell(database: TestDatabase, story: readonly Step[]): Promise<void> {
  const here = await createWorld(database, { seedReferrals: 0, reviewHold: true })
  const replica = laggingFetch()
  const handled: Change[] = []
  const mirror = here.mirrorOf({
    client: here.clientOf({ fetch: replica.fetch }),
    sweep: { centres: false, requestsPerSecond: 10_000 },
    on: { '*': (change) => void handled.push(change) },
  })
  await mirror.drain()
  await here.subscribe(mirror)
  for (const step of story) await take(here, mirror, replica, step)
  replica.isLagging = false
  // After half an hour, failed and reordered deliveries have ended.
  await here.fake.clock.advance({ minutes: 40 })
  await here.fake.settled()
  await finish(here, mirror)
  await mirror.sweep('recent')
  await mirror.sweep('open')
  await mirror.sweep('everything')
  await finish(here, mirror)
  expect(await mirror.verify()).toMatchObject({ differ: 0 })
  const feed: Change[] = []
  for await (const change of mirror.changes()) feed.push(change)
  expect(handled).toHaveLength(feed.length)
  const groups = new Set(feed.map(({ group }) => group))
  for (const group of groups) {
    const of = (changes: readonly Change[]) =>
      changes.filter((change) => change.group === group).map(({ position }) => position)
    expect(of(handled)).toEqual(of(feed))
  }
  const latest = new Map<string, number>()
  for (const { uuid, updatedAt } of feed) {
    const time = updatedAt?.getTime() ?? 0
    expect(time).toBeGreaterThanOrEqual(latest.get(uuid) ?? 0)
    latest.set(uuid, time)
  }
  await mirror.stop()
}

type World = Awaited<ReturnType<typeof createWorld>>
type WorldMirror = ReturnType<World['mirrorOf']>

async function take(
  here: World,
  mirror: WorldMirror,
  replica: { isLagging: boolean },
  step: Step,
): Promise<void> {
  const { fake } = here
  switch (step.do) {
    case 'order':
      return void (await here.order())
    case 'fault':
      return fake.deliveries.fault({ kind: step.kind })
    case 'lag':
      replica.isLagging = step.isLagging
      return
    case 'work':
      return here.settle(mirror)
    case 'sweep':
      return void (await mirror.sweep(step.name))
    default:
      return change(here, step.do, step.pick)
  }
}

async function change(
  { fake, clientOf }: World,
  what: 'partial' | 'complete' | 'release' | 'amend' | 'delete',
  place: number,
): Promise<void> {
  const at = <T>(all: readonly T[]): T | undefined => all[place % Math.max(1, all.length)]
  const open = fake.referrals
    .all()
    .filter(({ status, deletedAt }) => deletedAt === null && ['ISSUED', 'PARTIAL_RESULTS'].includes(status))
  const results = (...statuses: string[]) =>
    at(fake.results.all().filter(({ status }) => statuses.includes(status)))
  switch (what) {
    case 'partial':
    case 'complete': {
      const referral = at(open)
      if (referral === undefined) return
      if (what === 'partial') fake.referrals.partialResults(referral.uuid)
      else fake.referrals.complete(referral.uuid)
      return
    }
    case 'release': {
      const result = results('IN_REVIEW')
      if (result !== undefined) fake.results.release(result.uuid)
      return
    }
    case 'amend': {
      const result = results('COMPLETE')
      const biomarker = result?.biomarkers[0]
      if (result === undefined || biomarker === undefined) return
      fake.results.amend(result.uuid, { values: { [biomarker.id]: `${place}.5` } })
      return
    }
    case 'delete': {
      const referral = at(open)
      if (referral !== undefined) await clientOf().referrals.delete(referral.uuid)
    }
  }
}

/** Does all work, also work that waits for its next attempt. */
async function finish(here: World, mirror: WorldMirror): Promise<void> {
  for (let round = 0; round < 20; round += 1) {
    await here.rows('UPDATE {schema}.work SET run_at = now() WHERE lease IS NULL')
    await mirror.drain()
    if ((await here.rows('SELECT 1 FROM {schema}.work WHERE NOT dead')).length === 0) return
  }
  throw new Error('work is left')
}
