import { expect, it } from 'vitest'
import {
  hasPassed,
  type ListOrder,
  NEWEST_FIRST,
  OLDEST_FIRST,
  orderAfter,
} from '../../../src/client/pagination/list.js'

const MINUTE = 60_000
const END = Date.parse('2026-03-01T00:00:00Z')

/** A time in minutes from the end of the window; nothing for a missing one. Other text is no time. */
const time = (minutes: string) =>
  minutes === '' || Number.isNaN(Number(minutes))
    ? minutes || undefined
    : new Date(END + Number(minutes) * MINUTE).toISOString()

/**
 * Returns after which page the list has passed the end of the window, counted from 1; 0 for none.
 *
 * @param list - Such as `9 5 | -3~4`: two pages, whose last record was created at -3 and changed at 4 minutes.
 */
function passedAt(start: ListOrder, list: string): number {
  let order = start
  for (const [nth, page] of list.split('|').entries()) {
    const cells = page.split(' ').filter((cell) => cell !== '')
    const records = cells.map((cell) => {
      const [created = '', changed = created] = cell.split('~')
      return { createdAt: time(created), updatedAt: time(changed) }
    })
    order = orderAfter(order, records)
    if (hasPassed(order, END)) return nth + 1
    // The mirror stores the order as JSON between two pages.
    order = JSON.parse(JSON.stringify(order))
  }
  return 0
}

/** A page of 20 records created within a second. */
const second = (at: number): string => Array.from({ length: 20 }, (_, nth) => at + nth / 1_200).join(' ')

it.each([
  ['ends at the first page that is older by over a minute', '9 5 | 2 -3 | -4 -5 | -6', 3],
  ['does not end at a page within the minute', '9 5 | -0.5 -1 | -1.1 -3', 3],
  ['may have neighbours that change places within a minute', '9 5 | -2 -1.2 | -3', 2],
  [
    'is not known to be one while times have fallen by a minute or less',
    `${second(-9)} | ${second(-9.5)}`,
    0,
  ],
  ['is known once they have fallen by more', `${second(-9)} | ${second(-9.5)} | ${second(-11)}`, 3],
  ['is not known while all times are equal', '-9 -9 -9 | -9 -9 -9', 0],
  ['is oldest first, beginning with 20 records in a second', `${second(-9)} | ${second(-5)} | 5 9`, 0],
  ['is oldest first', '-9 -7 | -5 -3 | 4 8', 0],
  ['is oldest first, all within a minute', '-9.9 -9.8 -9.7 | -9.6 -9.5', 0],
  ['once rises by more than a minute', '9 5 | 7 3 | -4 | -8', 0],
  ['rises by more than a minute after an unreadable time', '9 5 | x 7 3 | -4 | -8', 0],
  ['rises after the first page that is older', '-9 -20 | -18.5 | -30', 1],
  ['has one record a page', '-2 | -2.5 | -3.1', 3],
  ['has an empty page', '9 5 | | -9', 3],
  ['has a page with one record in the window', '9 5 | -9 -10 1 | -11', 0],
  ['has old records first that were just changed', '-2000~60 -3000~59 -4000~58 | -5000~57 -6000~56 | 1', 0],
  ['is sorted by change: ends at the first unchanged page', '-2000~60 -3000~59 | -4000 -5000', 2],
  ['is sorted by creation, with one old record changed', '9 5 | -9 -10~7 | -12', 2],
  ['is sorted by creation, with changes in any order', '9 5 -9~60 | -20~30', 2],
  ['has a change within the minute before the window', '9 5 | -9~-0.5 | -10', 3],
  ['has unreadable times of creation', '9 5 | -9 x~-10 | x~-11 | -12', 4],
  ['has missing and unreadable times of change', '9 5 | -9~ | -10~x | -11~', 0],
  ['is not sorted by change, and has an unreadable one', '9 5 4~7 | -9~x', 2],
  ['has no readable time', '~ x yesterday', 0],
])('a list read newest first %s: %s', (_, list, expected) => {
  expect(passedAt(NEWEST_FIRST, list)).toBe(expected)
})

it.each([
  ['was never changed, so it can be sorted by change', '-9 -5 | 2 4 | 6 8', 0],
  ['has changes that fall by more than a minute', '-9~90 -5 | 2 4 | 6', 2],
  ['has changes that fall by a minute or less', '-9~-4.5 -5 | 2 4', 0],
  ['is sorted by change', '-9~1 -8~2 | 3~5 4~6 | -7~9', 0],
  ['is newest first', '8~90 4 | -2 -4 | -6', 0],
  ['has a page within the minute', '-9~90 -5 | 0.5 1 | 1.5 2', 3],
])('a list read oldest first %s: %s', (_, list, expected) => {
  expect(passedAt(OLDEST_FIRST, list)).toBe(expected)
})

it('a list has never passed the end of no window', () => {
  const records = ['9', '-9'].map((at) => ({ createdAt: time(at), updatedAt: time(at) }))
  const order = orderAfter(NEWEST_FIRST, records)
  for (const end of [Number.NEGATIVE_INFINITY, Number.NaN]) expect(hasPassed(order, end)).toBe(false)
  expect(hasPassed(order, END + 1_440 * MINUTE)).toBe(true)
})
