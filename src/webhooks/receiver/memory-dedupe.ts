import { type Clock, systemClock } from '../../common/clock.js'
import { ConfigurationError } from '../../common/configuration-error.js'
import { ownOptions } from '../../common/known-options.js'
import type { DedupeStore } from './dedupe.js'

/** Options of {@link memoryDedupeStore}. */
export interface MemoryDedupeStoreOptions {
  /**
   * Events remembered at most; the oldest is forgotten first. About 150 bytes each.
   * @defaultValue 10,000
   */
  readonly max?: number | undefined
  /**
   * Milliseconds an event is remembered at most, whatever the receiver asks for.
   * @defaultValue 86,400,000 (24 hours)
   */
  readonly ttl?: number | undefined
  /** Time, for tests. */
  readonly clock?: Pick<Clock, 'monotonic'> | undefined
}

/** A store whose answers are there at once. */
export interface MemoryDedupeStore extends Required<DedupeStore> {
  claim(eventUuid: string, ttlMs: number): boolean
  release(eventUuid: string): void
  confirm(eventUuid: string, ttlMs: number): void
  isConfirmed(eventUuid: string): boolean
}

interface Entry {
  readonly endsAt: number
  readonly confirmed: boolean
}

/**
 * Remembers events in this process's memory, within bounds. Enough for one process; several behind a load
 * balancer need a store they share.
 *
 * @throws {@link ConfigurationError} when a bound is not a positive whole number.
 */
export function memoryDedupeStore(options: MemoryDedupeStoreOptions = {}): MemoryDedupeStore {
  const { max = 10_000, ttl = 86_400_000, clock = systemClock } = ownOptions('memoryDedupeStore', options)
  for (const [name, value] of Object.entries({ max, ttl })) {
    if (!Number.isSafeInteger(value) || value < 1) {
      throw new ConfigurationError(`memoryDedupeStore: ${name} must be a whole number of at least 1`)
    }
  }
  const entries = new Map<string, Entry>()

  const find = (eventUuid: string): Entry | undefined => {
    const entry = entries.get(eventUuid)
    return entry !== undefined && entry.endsAt > clock.monotonic() ? entry : undefined
  }
  const put = (eventUuid: string, ttlMs: number, confirmed: boolean): void => {
    entries.delete(eventUuid)
    entries.set(eventUuid, { endsAt: clock.monotonic() + Math.min(ttlMs, ttl), confirmed })
    const [oldest] = entries.keys()
    if (entries.size > max && oldest !== undefined) entries.delete(oldest)
  }

  return {
    claim(eventUuid, ttlMs) {
      if (find(eventUuid) !== undefined) return false
      put(eventUuid, ttlMs, false)
      return true
    },
    release(eventUuid) {
      if (find(eventUuid)?.confirmed !== true) entries.delete(eventUuid)
    },
    confirm(eventUuid, ttlMs) {
      put(eventUuid, ttlMs, true)
    },
    isConfirmed: (eventUuid) => find(eventUuid)?.confirmed === true,
  }
}
