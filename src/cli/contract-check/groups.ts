import type { Difference } from './report.js'

/** Equal differences of one resource, or an added field wherever it was added. */
export interface DifferenceGroup extends Pick<Difference, 'level' | 'path' | 'expected' | 'seen' | 'times'> {
  readonly endpoints: readonly string[]
  readonly cases: readonly string[]
}

/** Groups the differences that probably have one cause. The order is that of the first difference of each group. */
export function groupsOf(differences: readonly Difference[]): DifferenceGroup[] {
  const groups = new Map<string, DifferenceGroup>()
  for (const { level, endpoint, case: situation, path, expected, seen, times } of differences) {
    const isAddition = level === 'addition'
    const field = isAddition ? path.replace(/^.*\./, '') : path.replace(/^\w*\[\]\./, '')
    const key = JSON.stringify([level, isAddition || endpoint.split('.')[0], field, expected, seen])
    const before = groups.get(key)
    groups.set(key, {
      level,
      endpoints: [...new Set([...(before?.endpoints ?? []), endpoint])],
      cases: [...new Set([...(before?.cases ?? []), situation])],
      path: before === undefined || before.path === path ? path : field,
      expected,
      seen,
      times: (before?.times ?? 0) + times,
    })
  }
  return [...groups.values()]
}
