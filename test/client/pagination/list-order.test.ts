import { expect, it } from 'vitest'
import {
  hasPassed,
  type ListOrder,
  NEWEST_FIRST,
  OLDEST_FIRST,
  orderAfter,
} from '../../../src/client/pagination/list.js'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const END = Date.parse('2026-03-01T00:00:00Z')

/** Minutes from the end of the window to the creation and to the last change of a record, or values that are not times. */
type Minutes = number | string | null | undefined
type Row = Minutes | readonly [created: Minutes, changed: Minutes]

const time = (at: Minutes) =>
  typeof at === 'number' ? new Date(END + at * MINUTE).toISOString() : (at ?? undefined)

/** Returns after which page the list has passed the end of the window, counted from 1; 0 for none. */
function passedAt(start: ListOrder, pages: readonly (readonly Row[])[]): number {
  let order = start
  for (const [nth, page] of pages.entries()) {
    const records = page.map((row) => {
      const [created, changed] = typeof row === 'object' && row !== null ? row : [row, row]
      return { createdAt: time(created), updatedAt: time(changed) }
    })
    // The mirror stores the order as JSON between two pages.
    order = JSON.parse(JSON.stringify(orderAfter(order, records)))
    if (hasPassed(order, END)) return nth + 1
  }
  return 0
}

/** 20 records created within a second. */
const second = (at: number): Row[] => Array.from({ length: 20 }, (_, nth) => at + nth / 1_200)
/** Records of these ages, each changed a minute before the one in front of it. */
const changed = (last: number, ...ages: readonly number[]): Row[] =>
  ages.map((age, nth) => [-age, last - nth])

it.each<[string, readonly (readonly Row[])[], number]>([
  ['newest first: at the first page that is older by over a minute', [[9, 5], [2, -3], [-4, -5], [-6]], 3],
  [
    'newest first: not at a page within the minute',
    [
      [9, 5],
      [-0.5, -1],
      [-1.1, -3],
    ],
    3,
  ],
  ['newest first with neighbours that change places within a minute', [[9, 5], [-2, -1.2], [-3]], 2],
  ['times that have fallen by a minute or less, however many', [second(-9), second(-9.5)], 0],
  ['then by more than a minute', [second(-9), second(-9.5), second(-11)], 3],
  ['all at one time', [second(-9).map(() => -9), second(-9).map(() => -9)], 0],
  ['oldest first, beginning with 20 records within one second', [second(-9), second(-5), [5, 9]], 0],
  [
    'oldest first',
    [
      [-9, -7],
      [-5, -3],
      [4, 8],
    ],
    0,
  ],
  [
    'oldest first, all within a minute',
    [
      [-9.9, -9.8, -9.7],
      [-9.6, -9.5],
    ],
    0,
  ],
  ['times that fall, and once rise by more than a minute', [[9, 5], [7, 3], [-4], [-8]], 0],
  ['risen before the first page that is older', [[-9, -20], [-18.5], [-30]], 1],
  ['one record a page', [[-2], [-2.5], [-3.1]], 3],
  ['an empty page', [[9, 5], [], [-9]], 3],
  ['a page with one record in the window', [[9, 5], [-9, -10, 1], [-11]], 0],
])('%s', (_, pages, expected) => {
  expect(passedAt(NEWEST_FIRST, pages)).toBe(expected)
})

it.each<[string, readonly (readonly Row[])[], number]>([
  [
    'old records that were just changed',
    [changed(60, 2_000, 3_000, 4_000), changed(57, 5_000, 6_000), [1]],
    0,
  ],
  ['sorted by change: at the first page that is unchanged', [changed(60, 2_000, 3_000), [-4_000, -5_000]], 2],
  ['sorted by creation, one old record changed: at its page', [[9, 5], [-9, [-10, 7]], [-12]], 2],
  ['sorted by creation, changes in any order', [[9, [5, 5], [-9, 60]], [[-20, 30]]], 2],
  ['changed within the minute before the window', [[9, 5], [[-9, -0.5]], [-10]], 3],
])('times of change: %s', (_, pages, expected) => {
  expect(passedAt(NEWEST_FIRST, pages)).toBe(expected)
})

it.each<[string, readonly (readonly Row[])[], number]>([
  ['a time of creation', [[9, 5], [-9, ['x', -10]], [['x', -11]], [-12]], 4],
  ['a time of change', [[9, 5], [[-9, undefined]], [[-10, null]], [[-11, '']]], 0],
  ['a time of change, in a list that is not sorted by change', [[9, 5, [4, 7]], [[-9, 'x']]], 2],
  ['any time', [[undefined, null, 'yesterday', '']], 0],
])('%s that cannot be read never ends the reading', (_, pages, expected) => {
  expect(passedAt(NEWEST_FIRST, pages)).toBe(expected)
})

it('no window: never', () => {
  const order = orderAfter(
    NEWEST_FIRST,
    [9, -9].map((at) => ({ createdAt: time(at), updatedAt: time(at) })),
  )
  for (const end of [Number.NEGATIVE_INFINITY, Number.NaN]) expect(hasPassed(order, end)).toBe(false)
  expect(hasPassed(order, END + DAY)).toBe(true)
})

it.each<[string, readonly (readonly Row[])[], number]>([
  [
    'never changed: it can be sorted by change, so it is read to its end',
    [
      [-9, -5],
      [2, 4],
      [6, 8],
    ],
    0,
  ],
  ['changes that fall by more than a minute', [[[-9, 90], -5], [2, 4], [6]], 2],
  [
    'changes that fall by a minute or less',
    [
      [[-9, -4.5], -5],
      [2, 4],
    ],
    0,
  ],
  [
    'sorted by change',
    [
      [
        [-9, 1],
        [-8, 2],
      ],
      [
        [3, 5],
        [4, 6],
      ],
      [[-7, 9]],
    ],
    0,
  ],
  ['newest first', [[[8, 90], 4], [-2, -4], [-6]], 0],
  [
    'a page within the minute',
    [
      [[-9, 90], -5],
      [0.5, 1],
      [1.5, 2],
    ],
    3,
  ],
])('%s', (_, pages, expected) => {
  expect(passedAt(OLDEST_FIRST, pages)).toBe(expected)
})
