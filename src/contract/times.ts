// This module does not import zod, so that the client can check times before it loads the schemas.

const CALENDAR_DATE = /^\d{4}-\d{2}-\d{2}$/

/** Returns `true` when `text` is an existing calendar date as `YYYY-MM-DD`. */
export function isCalendarDate(text: string): boolean {
  if (!CALENDAR_DATE.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/

/** Returns `true` when `text` is an ISO 8601 date or date-time. */
export function isTimestamp(text: string): boolean {
  return TIMESTAMP.test(text) && isCalendarDate(text.slice(0, 10)) && !Number.isNaN(Date.parse(text))
}

const NO_OFFSET = /-\d\dT[\d:.]+$/

/**
 * Returns the time of an ISO 8601 text in milliseconds since 1970, or `NaN` for an invalid text. A date-time without an
 * offset is read as UTC: `Date.parse` alone would read it as the local time of this machine.
 */
export function parseTime(text: string): number {
  return Date.parse(NO_OFFSET.test(text) ? `${text}Z` : text)
}

const OFFSET = /(?:Z|[+-]\d{2}:?\d{2})$/

/**
 * Returns `true` when `text` is an ISO 8601 date-time with an offset. JavaScript reads a date-time without an offset as
 * local time.
 */
export function isInstant(text: string): boolean {
  return OFFSET.test(text) && isTimestamp(text)
}
