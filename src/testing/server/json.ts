/** Maximum number of levels of a JSON body. `JSON.stringify` and other recursive code fail at a few thousand levels. */
export const MAX_JSON_LEVELS = 1_000

/**
 * Parses JSON.
 *
 * @throws SyntaxError - The text is not JSON.
 * @throws RangeError - The value has more than {@link MAX_JSON_LEVELS} levels.
 */
export function parseJson(text: string, revive?: (name: string, value: unknown) => unknown): unknown {
  const value: unknown = JSON.parse(text, revive)
  if (isDeeperThan(value, MAX_JSON_LEVELS)) throw new RangeError('the JSON has too many levels')
  return value
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((each) => isDeeperThan(each, levels - 1))
}
