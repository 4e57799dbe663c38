import { isInstant } from '../../contract/times.js'
import { UsageError } from './terminal.js'

/** A span of time in milliseconds since the epoch. `from` is included, `until` is not. */
export interface TimeSpan {
  readonly from: number
  readonly until: number
}

/** Current time and time zone, for reading relative and local times. */
export interface TimeContext {
  readonly now: number
  /** Name of a time zone, such as `Australia/Sydney`. */
  readonly zone: string
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000 } as const
const DAY_MS = 86_400_000
const LONGEST_MS = 36_525 * DAY_MS

const DURATION = /^(?:\d+(?:s|m|h|d|w))+$/
const DURATION_PART = /(\d+)(s|m|h|d|w)/g
const DATE = /^\d{4}-\d{2}-\d{2}$/
const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?$/

/** Checks the name of a time zone. Without a name, returns the time zone of this machine. */
export function timeZone(given: string | undefined): string {
  const zone = given ?? new Intl.DateTimeFormat().resolvedOptions().timeZone
  try {
    return new Intl.DateTimeFormat('en-AU', { timeZone: zone }).resolvedOptions().timeZone
  } catch {
    throw new UsageError('--tz must be the name of a time zone, such as Australia/Sydney')
  }
}

/**
 * Reads a time: a duration before now (`24h`, `7d`), `now`, `today`, `yesterday`, a date, or an ISO 8601 time. Days and
 * weeks count calendar days in the time zone, so a day can have 23 or 25 hours. A date, `today` and `yesterday` mean
 * the start of the day. A time without an offset is local.
 *
 * @param option - Name of the option, for the error.
 */
export function parseTime(option: string, text: string, context: TimeContext): number {
  if (text === 'now') return context.now
  if (DURATION.test(text)) return before(text, context)
  const day = dayOf(text, context)
  if (day !== undefined) return instantOf(day, context.zone)
  const local = LOCAL_TIME.test(text) ? Date.parse(`${text}Z`) : Number.NaN
  if (isSameDate(local, text)) return instantOf(local, context.zone)
  if (isInstant(text)) return Date.parse(text)
  throw new UsageError(
    `${option} must be a duration such as 24h or 7d, yesterday, a date, or an ISO 8601 time`,
  )
}

/** Reads one calendar day of a time zone: `today`, `yesterday`, or a date. */
export function parseDay(option: string, text: string, context: TimeContext): TimeSpan {
  const day = dayOf(text, context)
  if (day === undefined)
    throw new UsageError(`${option} must be today, yesterday, or a date such as 2026-03-02`)
  return { from: instantOf(day, context.zone), until: instantOf(day + DAY_MS, context.zone) }
}

/** Parses a duration such as `90m` or `1d12h`. Returns milliseconds. A day has 24 hours. */
export function parseDuration(option: string, text: string): number {
  if (!DURATION.test(text))
    throw new UsageError(`${option} must be a duration such as 90s, 15m, 24h, 7d or 1d12h`)
  const { ms, days } = partsOf(text)
  return ms + days * DAY_MS
}

/** Returns times as short local texts, such as `2026-03-02 20:00`, and the name of the zone. */
export function shortTimes(
  times: readonly string[],
  zone: string,
): { readonly name: string; readonly texts: readonly string[] } {
  const local = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
  const named = new Intl.DateTimeFormat('en-AU', { timeZone: zone, timeZoneName: 'short' })
  const nameAt = (time: number): string =>
    named.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? zone
  const instants = times.filter((text) => text !== '').map((text) => Date.parse(text))
  return {
    name: [...new Set(instants.map(nameAt))].join('/'),
    texts: times.map((text) => (text === '' ? '' : local.format(Date.parse(text)))),
  }
}

function partsOf(text: string): { readonly ms: number; readonly days: number } {
  let [ms, days] = [0, 0]
  for (const [, digits, unit] of text.matchAll(DURATION_PART)) {
    const count = Number(digits)
    if (unit === 'd') days += count
    else if (unit === 'w') days += 7 * count
    else if (unit === 's' || unit === 'm' || unit === 'h') ms += count * UNIT_MS[unit]
  }
  return { ms, days }
}

function before(text: string, { now, zone }: TimeContext): number {
  const { ms, days } = partsOf(text)
  if (ms + days * DAY_MS > LONGEST_MS) throw new UsageError('the duration is longer than a hundred years')
  const moved = days === 0 ? now : instantOf(now + offsetAt(now, zone) - days * DAY_MS, zone)
  return moved - ms
}

/** Returns the start of a named day, as if the zone were UTC; `undefined` if the text does not name a day. */
function dayOf(text: string, { now, zone }: TimeContext): number | undefined {
  const today = Math.floor((now + offsetAt(now, zone)) / DAY_MS) * DAY_MS
  if (text === 'today') return today
  if (text === 'yesterday') return today - DAY_MS
  const date = DATE.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return isSameDate(date, text) ? date : undefined
}

/** Returns `true` when a parsed time has the date of its text. `Date.parse` moves 2026-02-30 into March. */
function isSameDate(time: number, text: string): boolean {
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text.slice(0, 10))
}

/**
 * Returns the instant of a local time, which is given as if the zone were UTC. If daylight saving repeats the local
 * time, returns its first instant. If daylight saving skips the local time, moves the time forward by the length of the
 * gap.
 */
function instantOf(local: number, zone: string): number {
  const offsets = [offsetAt(local - DAY_MS, zone), offsetAt(local + DAY_MS, zone)]
  const instants = offsets.map((offset) => local - offset)
  const valid = instants.filter((instant) => instant + offsetAt(instant, zone) === local)
  return valid.length > 0 ? Math.min(...valid) : local - (offsets[0] ?? 0)
}

/** Returns the difference between the local time and UTC at an instant, in milliseconds. */
function offsetAt(instant: number, zone: string): number {
  const second = Math.floor(instant / 1_000) * 1_000
  const parts = formatterOf(zone).formatToParts(second)
  const of = (type: string): number => Number(parts.find((part) => part.type === type)?.value)
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')) - second
}

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-AU', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
}
