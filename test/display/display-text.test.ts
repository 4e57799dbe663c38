import fc from 'fast-check'
import { flagOf, formatOpeningHours, formatRange, numberOf } from 'pathology-sdk/display'
import { expect, it } from 'vitest'

const biomarker = (
  value: string,
  low: number | null,
  high: number | null,
  isAbnormal: boolean | null = null,
) => ({
  ...{ value, refIntervalLow: low, refIntervalHigh: high, isAbnormal, unit: 'mmol/L' },
})

it.each([
  ['3.4', 3.5, 5.2, null, 'low'],
  ['3.5', 3.5, 5.2, null, 'normal'],
  ['5.2', 3.5, 5.2, false, 'normal'],
  ['5.21', 3.5, 5.2, true, 'high'],
  ['5.21', 3.5, 5.2, false, 'high'],
  ['4', 3.5, 5.2, true, 'unknown'],
  ['-1', 0, null, null, 'low'],
  ['7', null, 5, null, 'high'],
  ['3', null, 5, null, 'normal'],
  ['<0.5', null, 5, null, 'normal'],
  ['< 0.5', 1, 5, null, 'low'],
  ['<3.5', 3.5, 5.2, null, 'low'],
  ['<=3.5', 3.5, 5.2, null, 'unknown'],
  ['<4', 3.5, 5.2, null, 'unknown'],
  ['>100', 90, null, null, 'normal'],
  ['≥ 100', null, 90, null, 'high'],
  ['>5.2', 3.5, 5.2, null, 'high'],
  ['>4', 3.5, 5.2, null, 'unknown'],
  ['4', null, null, true, 'unknown'],
  ['4', null, null, false, 'normal'],
  ['Detected', 3.5, 5.2, null, 'unknown'],
  ['Not detected', null, null, false, 'normal'],
  ['', 3.5, 5.2, null, 'unknown'],
  ['1e3', 3.5, 5.2, null, 'unknown'],
] as const)(
  'the value %j with the interval %s to %s, abnormal %s: %s (§2.6)',
  (value, low, high, isAbnormal, flag) => {
    expect(flagOf(biomarker(value, low, high, isAbnormal))).toBe(flag)
  },
)

it('a number is low, normal or high by its interval, also with a negative sign (§2.6)', () => {
  const number = fc.integer({ min: -1_000, max: 1_000 }).map((hundredths) => hundredths / 100)
  fc.assert(
    fc.property(number, number, number, (value, one, other) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)]
      const flag = flagOf(biomarker(value.toFixed(2), low, high))
      expect(flag === 'low').toBe(value < low)
      expect(flag === 'high').toBe(value > high)
      expect(flag === 'normal').toBe(value >= low && value <= high)
    }),
  )
})

it('a number that JavaScript writes with an exponent is compared with the interval too (§2.6)', () => {
  expect(flagOf({ ...biomarker('', 0.1, 2, false), value: 5e-7 })).toBe('low')
  expect(flagOf({ ...biomarker('', 0.1, 2, false), value: 1e21 })).toBe('high')
})

it('the canonical value has a flag too if it is a number (§2.6)', () => {
  expect(flagOf({ ...biomarker('', 3.5, 5.2), value: 6 })).toBe('high')
  expect(flagOf({ ...biomarker('', 3.5, 5.2), value: null })).toBe('unknown')
})

it.each([
  [3.5, 5.2, 'mmol/L', '3.5 to 5.2 mmol/L'],
  [null, 5.2, ' mmol/L ', 'up to 5.2 mmol/L'],
  [0, null, null, 'from 0'],
  [null, null, 'mmol/L', ''],
])('the interval %s to %s with the unit %j is shown as %j (§2.6)', (low, high, unit, text) => {
  expect(formatRange({ ...biomarker('1', low, high), unit })).toBe(text)
})

const DAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY']
const day = (name: string, ...periods: (readonly [string, string])[]) => ({
  day: name,
  status: periods.length === 0 ? 'CLOSED' : 'OPEN',
  periods: periods.map(([opens, closes]) => ({ opens, closes })),
  text: null,
})

it('the text of opening hours joins days with equal hours in one group (§2.11)', () => {
  const week = DAYS.slice(0, 5).map((name) => day(name, ['07:00', '12:00'], ['13:00', '24:00']))
  const openingHours = [...week, day('SATURDAY', ['08:00', '12:00']), day('SUNDAY')]
  expect(formatOpeningHours({ openingHours })).toBe(
    'Mon to Fri 07:00-12:00, 13:00-24:00; Sat 08:00-12:00; Sun closed',
  )
})

it('the text of opening hours does not show an unknown day as closed (§2.11)', () => {
  const unknown = { ...day('MONDAY'), status: 'UNKNOWN' }
  const odd = { ...day('TUESDAY'), status: 'OPEN' }
  expect(formatOpeningHours({ openingHours: [unknown, odd, day('WEDNESDAY')] })).toBe(
    'Mon to Tue unknown; Wed closed',
  )
  expect(formatOpeningHours({ openingHours: null })).toBe('hours unknown')
  expect(formatOpeningHours({ openingHours: [] })).toBe('hours unknown')
})

it.each([
  ['5.2', { value: 5.2, comparator: '=', unit: 'mmol/L' }],
  [' <0.5 ', { value: 0.5, comparator: '<', unit: 'mmol/L' }],
  ['≥ 100', { value: 100, comparator: '>=', unit: 'mmol/L' }],
  ['<=3', { value: 3, comparator: '<=', unit: 'mmol/L' }],
  ['-1.5', { value: -1.5, comparator: '=', unit: 'mmol/L' }],
  ['Not detected', undefined],
  ['1:40', undefined],
  ['', undefined],
])('numberOf reads the value %j with its comparator and unit (§2.6)', (value, expected) => {
  expect(numberOf(biomarker(value, null, null))).toEqual(expected)
})

it('numberOf leaves out a blank unit, and reads the value of a canonical unit', () => {
  expect(numberOf({ value: '3', unit: ' ' })).toEqual({ value: 3, comparator: '=', unit: undefined })
  expect(numberOf({ value: null, unit: 'mmol/L' })).toBeUndefined()
})
