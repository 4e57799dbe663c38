import { checkedOptions, numberAbove0, type Rule } from '../core/option-rules.js'

/**
 * Schedule of the sweeps. Times are in milliseconds, unless the name of the option contains another unit. `recent`,
 * `open`, `everything` and `centres` are `false` or integers of at least 1,000. Any other number must be above 0.
 * `mirror.sweep()` can also run a sweep that is disabled here.
 */
export interface SweepOptions {
  /**
   * Time between two reads of the newest records; `false` disables the sweep `recent`.
   * @defaultValue 900,000: 15 minutes
   */
  readonly recent?: number | false | undefined
  /**
   * Time between two reads of all records in `window` and of older records without a final status; `false` disables the
   * sweep `open`.
   * @defaultValue 86,400,000: 24 hours
   */
  readonly open?: number | false | undefined
  /**
   * Time between two reads of all records, and between two reads of the doctors' records. `false` disables the sweep
   * `everything` and the reads of the doctors' records.
   * @defaultValue 604,800,000: 7 days
   */
  readonly everything?: number | false | undefined
  /**
   * Time between two reads of the changes of the collection centres; `false` disables the copy of the directory.
   * @defaultValue 86,400,000: 24 hours
   */
  readonly centres?: number | false | undefined
  /**
   * Maximum age, in days, of the records without a final status that the sweep `open` reads one by one: at most
   * 36,500.
   * @defaultValue 60
   */
  readonly openDays?: number | undefined
  /**
   * Maximum age of the records that the sweep `open` reads in lists: at most 100 years.
   * @defaultValue 2,592,000,000: 30 days
   */
  readonly window?: number | undefined
  /**
   * Maximum number of requests per second of the sweep `everything`, for each organisation: for pages, and for records
   * that the lists do not contain. Other reads by UUID, such as those of changed records, are not limited. After
   * `mirror.start`, this option also limits the downloads of PDFs that the copy lacks. At most 1,000,000.
   * @defaultValue 2
   */
  readonly requestsPerSecond?: number | undefined
}

/** Maximum of all options in days: 100 years. Each calculated time is then in the range of JavaScript and Postgres. */
export const MAX_DAYS = 36_500

const EVERY: Rule = {
  isValid: (value) => value === false || (Number.isSafeInteger(value) && Number(value) >= 1_000),
  text: 'false, or an integer of at least 1000 milliseconds',
}

const RULES: Readonly<Record<keyof SweepOptions, Rule>> = {
  recent: EVERY,
  open: EVERY,
  everything: EVERY,
  centres: EVERY,
  openDays: numberAbove0(MAX_DAYS),
  window: numberAbove0(MAX_DAYS * 86_400_000),
  requestsPerSecond: numberAbove0(1_000_000),
}

/** The options of sweeps with their defaults. */
export type ResolvedSweepOptions = {
  readonly [Name in keyof SweepOptions]-?: Exclude<SweepOptions[Name], undefined>
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/**
 * Checks the options of sweeps and adds the defaults.
 *
 * @throws `ConfigurationError` for an invalid option. The message names the option and its rule.
 */
export function resolveSweepOptions(given: SweepOptions = {}): ResolvedSweepOptions {
  const own = checkedOptions('sweep of createMirror', given, RULES, 'createMirror: sweep.')
  return {
    recent: own.recent ?? 15 * MINUTE_MS,
    open: own.open ?? DAY_MS,
    everything: own.everything ?? 7 * DAY_MS,
    centres: own.centres ?? DAY_MS,
    openDays: own.openDays ?? 60,
    window: own.window ?? 30 * DAY_MS,
    requestsPerSecond: own.requestsPerSecond ?? 2,
  }
}
