/**
 * The `since` of a method in milliseconds. A number is refused: nothing tells seconds from milliseconds.
 *
 * @param none - What no `since` stands for.
 * @param refusal - The method's error for what is no time.
 */
export function timeOfSince(
  since: Date | string | undefined,
  none: number,
  refusal: (message: string) => Error,
): number {
  if (since === undefined) return none
  const time = since instanceof Date || typeof since === 'string' ? new Date(since).getTime() : Number.NaN
  if (!Number.isNaN(time)) return time
  throw refusal('since must be a Date or an ISO 8601 time')
}

/** A time of the service in milliseconds; NaN for everything but text, which alone is cheap to read. */
export function timeOf(value: unknown): number {
  return typeof value === 'string' ? Date.parse(value) : Number.NaN
}
