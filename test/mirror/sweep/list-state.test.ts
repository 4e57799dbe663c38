import { describe, expect, it } from 'vitest'
import { advance, createdAtOf, hasPassed } from '../../../src/mirror/sweep/list-state.js'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 5, 1)

/** Records by their age in days. */
const page = (...ages: number[]) =>
  ages.map((age) => ({ createdAt: new Date(NOW - age * DAY).toISOString() }))

/** Whether a list has passed an age of 30 days after its pages. */
function passed(...pages: readonly (readonly { createdAt: string }[])[]): boolean {
  const list = pages.reduce((state, items, n) => advance(state, items, `cursor-${n}`), {})
  const seen = (pages.at(-1) ?? []).map((record) => ({ createdAt: createdAtOf(record) }))
  return hasPassed(seen, list, NOW - 30 * DAY)
}

describe('the end of a list that is read newest first', () => {
  it('is the first page with an older record, while the list is newest first', () => {
    expect(passed(page(1, 2, 3))).toBe(false)
    expect(passed(page(1, 2, 3), page(29, 30, 31))).toBe(true)
  })

  it('is a page with older records only, if the list is by the time of release', () => {
    const first = page(1, 2, 90, 3, 4, 5, 6, 7, 8, 9)
    expect(passed(first)).toBe(false)
    expect(passed(first, page(29, 31))).toBe(false)
    expect(passed(first, page(29, 31), page(32, 33))).toBe(true)
  })

  it('is the end of a list in any other order', () => {
    expect(passed(page(90, 80, 85, 70, 75, 60))).toBe(false)
    expect(passed(page(90, 89, 88), page(99, 97, 98), page(96, 91, 95))).toBe(false)
    expect(passed(page())).toBe(false)
  })
})
