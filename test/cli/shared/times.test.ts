import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseDay, parseDuration, parseTime, timeZone } from '../../../src/cli/shared/times.js'

const at = (iso: string): number => Date.parse(iso)
const iso = (time: number): string => new Date(time).toISOString()
const sydney = (now: string) => ({ now: at(now), zone: 'Australia/Sydney' })

/** Local date of an instant, by the platform. */
const localDate = (time: number, zone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(time)

it.each([
  ['an ordinary day', '2026-03-10T02:00:00Z', '2026-03-08T13:00:00.000Z', '2026-03-09T13:00:00.000Z'],
  [
    'the day of 25 hours, when daylight saving ends',
    '2026-04-06T02:00:00Z',
    '2026-04-04T13:00:00.000Z',
    '2026-04-05T14:00:00.000Z',
  ],
  [
    'the day of 23 hours, when daylight saving starts',
    '2026-10-05T02:00:00Z',
    '2026-10-03T14:00:00.000Z',
    '2026-10-04T13:00:00.000Z',
  ],
  [
    'late in the evening in UTC',
    '2026-03-10T13:30:00Z',
    '2026-03-09T13:00:00.000Z',
    '2026-03-10T13:00:00.000Z',
  ],
])('the word yesterday means the day of Sydney: %s', (_, now, from, until) => {
  const span = parseDay('--released', 'yesterday', sydney(now))
  expect([iso(span.from), iso(span.until)]).toEqual([from, until])
})

it('every day starts at the change of the date, in any time zone and year', () => {
  const zones = [
    'Australia/Sydney',
    'Australia/Lord_Howe',
    'Australia/Perth',
    'America/Santiago',
    'Asia/Beirut',
    'UTC',
    'Africa/Cairo',
  ]
  const day = fc.integer({
    min: at('1990-01-01T00:00:00Z') / 86_400_000,
    max: at('2036-01-01T00:00:00Z') / 86_400_000,
  })
  fc.assert(
    fc.property(day, fc.constantFrom(...zones), (number, zone) => {
      const date = iso(number * 86_400_000).slice(0, 10)
      const { from, until } = parseDay('--released', date, { now: 0, zone })
      expect(localDate(from, zone)).toBe(date)
      expect(localDate(from - 1, zone) < date).toBe(true)
      expect(localDate(until - 1, zone)).toBe(date)
    }),
  )
})

it.each([
  [
    '7d keeps the hour on the clock over the end of daylight saving',
    '7d',
    '2026-04-07T00:00:00Z',
    '2026-03-30T23:00:00.000Z',
  ],
  ['168h is a fixed length', '168h', '2026-04-07T00:00:00Z', '2026-03-31T00:00:00.000Z'],
  ['1w', '1w', '2026-03-10T00:00:00Z', '2026-03-03T00:00:00.000Z'],
  ['1d12h', '1d12h', '2026-03-10T00:00:00Z', '2026-03-08T12:00:00.000Z'],
  ['now', 'now', '2026-03-10T00:00:00Z', '2026-03-10T00:00:00.000Z'],
  ['today', 'today', '2026-03-10T00:00:00Z', '2026-03-09T13:00:00.000Z'],
  ['a date', '2026-03-01', '2026-03-10T00:00:00Z', '2026-02-28T13:00:00.000Z'],
  ['a local time', '2026-03-01T09:30', '2026-03-10T00:00:00Z', '2026-02-28T22:30:00.000Z'],
  [
    'a local time that occurs twice is the first one',
    '2026-04-05T02:30',
    '2026-04-10T00:00:00Z',
    '2026-04-04T15:30:00.000Z',
  ],
  [
    'a local time that is skipped moves forward',
    '2026-10-04T02:30',
    '2026-10-10T00:00:00Z',
    '2026-10-03T16:30:00.000Z',
  ],
  ['an instant', '2026-03-01T09:30:00+08:00', '2026-03-10T00:00:00Z', '2026-03-01T01:30:00.000Z'],
  ['an instant in UTC', '2026-03-01T09:30:00.250Z', '2026-03-10T00:00:00Z', '2026-03-01T09:30:00.250Z'],
])('a time in the past is read as the clocks of its zone show it: %s', (_, text, now, expected) => {
  expect(iso(parseTime('--since', text, sydney(now)))).toBe(expected)
})

it.each([
  '',
  '7',
  'd7',
  '7 d',
  '-7d',
  '2026-02-30',
  '2026-13-01',
  '2026-03-01T25:00',
  'March',
  '99999999999999999999d',
])('the text %j is refused as a time', (text) => {
  expect(() => parseTime('--since', text, sydney('2026-03-10T00:00:00Z'))).toThrow(
    /--since must be|longer than/,
  )
})

it('a duration counts days of 24 hours', () => {
  expect(parseDuration('x', '1d2h3m4s')).toBe(93_784_000)
  expect(() => parseDuration('x', 'soon')).toThrow('x must be a duration such as')
})

it('an unknown time zone is rejected, and the default is the zone of the machine', () => {
  expect(() => timeZone('Sydney')).toThrow('--tz must be the name of a time zone')
  expect(timeZone(undefined)).not.toBe('')
})
