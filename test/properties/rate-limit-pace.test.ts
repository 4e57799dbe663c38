import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  mostCallsUntil,
  nextCallAt,
  type Pace,
  paceAfterAcceptance,
  paceAfterLateAcceptance,
  paceAfterLateRefusal,
  paceAfterRefusal,
  paceWithoutLimit,
  turnInMs,
} from '../../src/client/core/rate-limit-pace.js'

const retryAfterMs = fc.option(fc.integer({ min: 0, max: 1_000_000 }), { nil: undefined })
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const refusal = fc.record({ kind: fc.constant('refused' as const), retryAfterMs, random })
const acceptance = fc.constant({ kind: 'accepted' as const })
const late = fc.record({ kind: fc.constant('late' as const), retryAfterMs })
const event = fc.record({
  after: fc.integer({ min: 0, max: 20_000 }),
  what: fc.oneof(
    refusal,
    { weight: 5, arbitrary: acceptance },
    late,
    fc.constant({ kind: 'late accepted' as const }),
  ),
})

interface Step {
  readonly now: number
  readonly before: Pace
  readonly after: Pace
  readonly what: 'refused' | 'accepted' | 'late' | 'late accepted'
  readonly retryAfterMs: number | undefined
}

/** All steps of a client from its first 429 on. */
const history = fc.tuple(refusal, fc.array(event, { maxLength: 60 })).map(([first, events]) => {
  let now = 1_000
  let pace = paceAfterRefusal(undefined, { now, ...first })
  const steps: Step[] = []
  for (const { after, what } of events) {
    now += after
    const before = pace
    if (what.kind === 'accepted') pace = paceAfterAcceptance(before, now)
    else if (what.kind === 'late accepted') pace = paceAfterLateAcceptance(before, now)
    else if (what.kind === 'late')
      pace = paceAfterLateRefusal(before, { now, retryAfterMs: what.retryAfterMs })
    else pace = paceAfterRefusal(before, { now, retryAfterMs: what.retryAfterMs, random: what.random })
    const asked = 'retryAfterMs' in what ? what.retryAfterMs : undefined
    steps.push({ now, before, after: pace, what: what.kind, retryAfterMs: asked })
  }
  return { steps, pace, now }
})

function everyStep(check: (step: Step) => void): void {
  fc.assert(fc.property(history, ({ steps }) => steps.forEach(check)))
}

describe('the pace after a 429 (§8)', () => {
  it('the rate stays between half a call and 10,000 calls a second', () => {
    everyStep(({ after }) => {
      expect(after.rate).toBeGreaterThanOrEqual(0.5)
      expect(after.rate).toBeLessThanOrEqual(10_000)
      expect(after.fastUpTo).toBeGreaterThanOrEqual(0.5)
    })
  })

  it('a 429 lowers the rate or keeps it, an accepted call raises it or keeps it', () => {
    everyStep(({ before, after, what }) => {
      if (what.endsWith('accepted')) expect(after.rate).toBeGreaterThanOrEqual(before.rate)
      else expect(after.rate).toBeLessThanOrEqual(before.rate)
    })
  })

  it('a 429 after an accepted call lowers the rate by three tenths; a second 429 in a row restarts it at one call per second', () => {
    everyStep(({ before, after, what }) => {
      if (what !== 'refused') return
      if (before.refusals > 0)
        expect(after).toMatchObject({ rate: Math.min(1, before.rate), fastUpTo: before.fastUpTo })
      else expect(after).toMatchObject({ rate: Math.max(0.5, before.rate * 0.7), fastUpTo: after.rate })
    })
  })

  it('the pause is as long as requested, a minute at most, and the calls resume within a tenth of it', () => {
    everyStep(({ before, after, now, what, retryAfterMs: asked = 0 }) => {
      expect(after.pausedUntil).toBeGreaterThanOrEqual(before.pausedUntil)
      expect(after.resumeAt).toBeGreaterThanOrEqual(after.pausedUntil)
      if (what.endsWith('accepted')) return expect(after).toMatchObject({ resumeAt: before.resumeAt })
      expect(after.pausedUntil).toBeGreaterThanOrEqual(now + Math.min(asked, 60_000))
      expect(after.pausedUntil).toBeLessThanOrEqual(
        Math.max(before.pausedUntil, now + Math.max(asked, 8_000)),
      )
      expect(after.resumeAt).toBeLessThanOrEqual(
        Math.max(before.resumeAt, after.pausedUntil, now + Math.min(asked, 60_000) * 1.1),
      )
    })
  })

  it('a late 429 changes only the pause and the first rate, a late accepted call only the first rate', () => {
    everyStep(({ before, after, what, now }) => {
      if (!what.startsWith('late')) return
      const { pausedUntil, resumeAt, rate } = what === 'late' ? after : { ...before, rate: after.rate }
      const isFirstPause =
        before.refusals === 1 && before.fastUpTo === Number.POSITIVE_INFINITY && now < before.resumeAt
      expect(after).toEqual({ ...before, pausedUntil, resumeAt, rate: isFirstPause ? rate : before.rate })
    })
  })

  it('in the first pause each accepted call in flight adds 2 calls a second, and each 429 halves the rate', () => {
    let pace = paceAfterRefusal(undefined, { now: 0, retryAfterMs: 1_000, random: 0 })
    expect(pace.rate).toBe(2)
    for (let nth = 0; nth < 30; nth += 1) pace = paceAfterLateAcceptance(pace, 999)
    expect(pace.rate).toBe(62)
    expect(paceAfterLateAcceptance(pace, 1_000).rate).toBe(62)
    pace = paceAfterLateRefusal(pace, { now: 999, retryAfterMs: undefined })
    expect(pace.rate).toBe(31)
    for (let nth = 0; nth < 9; nth += 1)
      pace = paceAfterLateRefusal(pace, { now: 999, retryAfterMs: undefined })
    expect(pace.rate).toBe(2)
  })

  it('429 responses are counted until the next accepted call', () => {
    everyStep(({ before, after, what }) => {
      const expected = { accepted: 0, refused: before.refusals + 1 }
      expect(after.refusals).toBe(
        what === 'accepted' || what === 'refused' ? expected[what] : before.refusals,
      )
    })
  })

  it('pauses without Retry-After double from half a second to eight seconds', () => {
    let pace: Pace | undefined
    const pauses: number[] = []
    for (let nth = 0; nth < 7; nth += 1) {
      const now = nth * 100_000
      pace = paceAfterRefusal(pace, { now, retryAfterMs: undefined, random: 0.999_999 })
      pauses.push(Math.round(pace.resumeAt - now))
    }
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000])
    expect(paceAfterRefusal(undefined, { now: 0, retryAfterMs: undefined, random: 0 }).resumeAt).toBe(250)
  })

  it('each accepted call adds one call a second, up to the known rate; then the rate grows with the time', () => {
    const first = paceAfterRefusal(undefined, { now: 0, retryAfterMs: undefined, random: 0 })
    const fast = [1, 2, 3].reduce((pace) => paceAfterAcceptance(pace, 1_000), first)
    expect(fast.rate).toBe(5)
    const known: Pace = { rate: 9.5, fastUpTo: 10, refusals: 0, pausedUntil: 0, resumeAt: 0 }
    expect(paceAfterAcceptance(known, 1_000).rate).toBe(10)
    const rates = [0, 1_000, 5_000, 10_000].map(
      (now) => paceAfterAcceptance({ ...known, rate: 10 }, now).rate,
    )
    expect(rates).toEqual([10, 10.5, 22.5, 60])
  })

  it('calls are sent at the intervals of the rate, and not before the pause is over', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 0, max: 2_000_000 }), ({ pace }, lastAt) => {
        const next = nextCallAt(pace, lastAt)
        expect(next).toBeGreaterThanOrEqual(pace.resumeAt)
        expect(next).toBeGreaterThanOrEqual(lastAt + 1_000 / pace.rate)
        expect(next).toBe(Math.max(pace.resumeAt, lastAt + 1_000 / pace.rate))
      }),
    )
  })

  it('a call is never rejected as too late if it can be sent when all calls before it are accepted at once', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 0, max: 5_000 }), ({ pace: present, now }, withinMs) => {
        const most = mostCallsUntil(present, now + withinMs)
        let pace = present
        let at = nextCallAt(pace, Number.NEGATIVE_INFINITY)
        let calls = 0
        for (; at < now + withinMs && calls < 5_000; calls += 1) {
          pace = paceAfterAcceptance(pace, at)
          at = nextCallAt(pace, at)
        }
        expect(calls - 1).toBeLessThan(most)
      }),
    )
  })

  it('a pause that a late 429 extends does not reject calls that the rate allows', () => {
    const pace: Pace = { rate: 4, fastUpTo: 2, refusals: 0, pausedUntil: 3_000, resumeAt: 3_000 }
    expect(mostCallsUntil(pace, 4_000)).toBe(5)
  })

  it('calls are not sent during a pause', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 0, max: 70_000 }), ({ pace }, before) => {
        expect(mostCallsUntil(pace, pace.pausedUntil - before)).toBe(0)
      }),
    )
  })

  it('the reported time until a turn is the rest of the pause plus the calls before it', () => {
    const pace: Pace = { rate: 4, fastUpTo: 4, refusals: 0, pausedUntil: 3_000, resumeAt: 3_100 }
    expect(turnInMs(pace, 0, 1_000)).toBe(2_000)
    expect(turnInMs(pace, 8, 1_000)).toBe(4_000)
    expect(turnInMs(pace, 8, 9_000)).toBe(2_000)
  })

  it('429 responses of another endpoint leave neither a pause nor a known rate', () => {
    fc.assert(
      fc.property(history, ({ pace, now }) => {
        const lifted = paceWithoutLimit(pace, now)
        expect(nextCallAt(lifted, Number.NEGATIVE_INFINITY)).toBe(now)
        expect(paceAfterAcceptance(lifted, now).rate).toBe(Math.min(10_000, pace.rate + 1))
      }),
    )
  })
})
