/**
 * Reads a `since` option in milliseconds. It rejects numbers: seconds and milliseconds look alike.
 *
 * @param none - Result for an undefined `since`.
 * @param refusal - Creates the method's error for an invalid time.
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

/** Reads a time of the service in milliseconds; `NaN` unless the value is a string. */
export function timeOf(value: unknown): number {
  return typeof value === 'string' ? Date.parse(value) : Number.NaN
}
