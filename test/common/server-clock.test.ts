import { expect, it } from 'vitest'
import type { Clock } from '../../src/common/clock.js'
import { ServerClock } from '../../src/common/clock.js'

const SERVICE = 'Mon, 02 Mar 2026 01:00:00 GMT'
const AT = Date.parse(SERVICE)

/** A clock whose wall time and monotonic time the test sets. */
function handSet(wall: number, monotonic: number) {
  const hands = { wall, monotonic }
  const clock: Clock = {
    now: () => hands.wall,
    monotonic: () => hands.monotonic,
    schedule: () => ({ cancel: () => undefined }),
  }
  return { hands, service: new ServerClock(clock) }
}

it("the service's time is the local time until its first response (§4.1)", () => {
  const { service } = handSet(5_000, 70)
  expect(service.now()).toBe(5_000)
  expect(service.at({ wall: 4_000, monotonic: 60 })).toBe(4_000)
  service.observe(undefined)
  expect(service.now()).toBe(5_000)
})

it.each([['no date'], [''], [['Mon, 02 Mar 2026 01:00:00 GMT', 'Mon, 02 Mar 2026 02:00:00 GMT']]])(
  "the service's time is the local time when its Date header is %j (§4.1)",
  (date) => {
    const { service } = handSet(5_000, 70)
    service.observe(date)
    expect(service.now()).toBe(5_000)
    expect(service.at({ wall: 4_000, monotonic: 60 })).toBe(4_000)
  },
)

it("the service's time continues from the Date of its response (§4.1)", () => {
  const { hands, service } = handSet(5_000, 70)
  service.observe(SERVICE)
  expect(service.now()).toBe(AT)
  hands.wall += 300
  hands.monotonic += 300
  expect(service.now()).toBe(AT + 300)
})

it("the service's time of an earlier moment is known after a response (§4.1)", () => {
  const { hands, service } = handSet(5_000, 70)
  const before = service.moment()
  expect(before).toEqual({ wall: 5_000, monotonic: 70 })
  hands.wall += 2_000
  hands.monotonic += 2_000
  service.observe(SERVICE)
  expect(service.at(before)).toBe(AT - 2_000)
})

it("the newest response sets the service's time, and one without a Date changes nothing (§4.1)", () => {
  const { hands, service } = handSet(5_000, 70)
  service.observe(SERVICE)
  hands.wall += 60_000
  hands.monotonic += 60_000
  service.observe('Mon, 02 Mar 2026 01:02:00 GMT')
  service.observe(undefined)
  expect(service.now()).toBe(AT + 120_000)
})

it.each([
  ['in that second: it goes on', 999, AT + 999],
  ['later: the response is as old as its Date', 1_000, AT],
])('a response with the same Date as the last, %s (§4.1)', (_, ms, expected) => {
  const { hands, service } = handSet(5_000, 70)
  service.observe(SERVICE)
  hands.wall += ms
  hands.monotonic += ms
  service.observe(SERVICE)
  expect(service.now()).toBe(expected)
})

it.each([
  ['our clock was set back', -3_600_000, 1_000],
  ['our clock was set forward', 3_600_000, 1_000],
  ['the machine slept', 3_600_000, 0],
])("the service's time never goes back although %s meanwhile (§4.1)", (_, wall, monotonic) => {
  const { hands, service } = handSet(10_000_000, 70)
  const before = service.moment()
  hands.wall += wall
  hands.monotonic += monotonic
  service.observe(SERVICE)
  expect(service.at(before)).toBe(AT - Math.max(wall, monotonic))
})
