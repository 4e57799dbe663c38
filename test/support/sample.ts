export interface Pair<A, B> {
  readonly one: A
  readonly other: B
}

/**
 * Returns pairs that contain every value of both lists at least once, instead of all combinations. Use it where the
 * two values do not influence each other. The shorter list is repeated.
 */
export function pairsOf<A, B>(ones: readonly A[], others: readonly B[]): readonly Pair<A, B>[] {
  const length = Math.max(ones.length, others.length)
  return Array.from({ length }, (_, index) => ({ one: valueAt(ones, index), other: valueAt(others, index) }))
}

/** Returns the values for the user `index` of `users`. Together, the users get every value; each gets at least one. */
export function shareOf<T>(values: readonly T[], index: number, users: number): readonly T[] {
  const share = values.filter((_, position) => position % users === index)
  return share.length > 0 ? share : [valueAt(values, index)]
}

function valueAt<T>(values: readonly T[], index: number): T {
  const { [index % values.length]: value } = values
  if (value === undefined) throw new RangeError('A list to sample is empty')
  return value
}
