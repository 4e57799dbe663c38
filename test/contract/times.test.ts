import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { isInstant, parseTime } from '../../src/contract/times.js'
import { timestampOf } from '../../src/mirror/core/storable.js'

afterEach(() => void vi.unstubAllEnvs())

const ZONES = ['UTC', 'Australia/Sydney', 'Australia/Adelaide', 'America/New_York']
const dates = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
})

describe.each(ZONES)('a time without an offset is in UTC, on a machine in %s (§2)', (zone) => {
  it('a time without an offset is in UTC, with and without seconds and a fraction (§2)', () => {
    vi.stubEnv('TZ', zone)
    fc.assert(
      fc.property(dates, (date) => {
        const iso = date.toISOString()
        const text = iso.slice(0, -1)
        expect(parseTime(iso)).toBe(date.getTime())
        expect(parseTime(text)).toBe(parseTime(iso))
        expect(parseTime(text.slice(0, 19))).toBe(parseTime(`${text.slice(0, 19)}Z`))
        expect(parseTime(text.slice(0, 16))).toBe(parseTime(`${text.slice(0, 16)}Z`))
        expect(timestampOf(text)).toBe(iso)
      }),
    )
  })

  it('the offset of a time counts, and a date is its start in UTC (§2)', () => {
    vi.stubEnv('TZ', zone)
    expect(parseTime('2026-03-02T09:00:00+11:00')).toBe(Date.UTC(2026, 2, 1, 22))
    expect(parseTime('2026-03-02T09:00:00.5-03:30')).toBe(Date.UTC(2026, 2, 2, 12, 30, 0, 500))
    expect(parseTime('2026-03-02')).toBe(Date.UTC(2026, 2, 2))
  })
})

it.each(['', 'soon', '2026-13-01T00:00:00', '2026-03-02T', '2026-03-02T:'])('%j is not a time', (text) => {
  expect(parseTime(text)).toBeNaN()
})

it.each([
  ['2026-03-02T09:00:00Z', true],
  ['2026-03-02T09:00+11:00', true],
  ['2026-03-02T09:00:00.5-0330', true],
  ['2026-03-02T09:00:00', false],
  ['2026-03-02', false],
  ['2026-02-30T09:00:00Z', false],
])('%s has an offset: %s', (text, expected) => {
  expect(isInstant(text)).toBe(expected)
})
