import { type Clock, systemClock } from '../../common/clock.js'
import { ConfigurationError } from '../../common/errors.js'
import { ownOptions } from '../../common/known-options.js'

/** Default time to live of a handled event in a store: 24 hours, in milliseconds. */
export const DEFAULT_TTL_MS = 86_400_000

/**
 * A store of the events that a receiver has handled, by `eventUuid`. The service can send an event more than once. If
 * the receiver has the option `name`, the functions get the name, a colon and the UUID in place of the UUID.
 *
 * Several processes can share a store. `memoryDedupeStore`, `redisDedupeStore` and `postgresDedupeStore` implement this
 * interface. Your own store requires `claim` and `release`. It should also implement both `confirm` and `isConfirmed`:
 * a store with only one of the two is rejected.
 *
 * With `confirm` and `isConfirmed`, a claim is a short lease. When the event is handled, `confirm` extends the claim to
 * the entire time to live. Without these two methods, every claim lasts for the entire time to live. If the process
 * then ends before the handler finishes, the next delivery counts as a duplicate, and the event is lost. A delivery to
 * another process while the handler runs also counts as a duplicate.
 */
export interface DedupeStore {
  /**
   * Claims an event atomically: of several simultaneous calls, at most one returns `true`.
   *
   * @param ttlMs - Milliseconds until the claim expires.
   * @returns `false` if the event is already claimed, or recorded as handled.
   */
  claim(eventUuid: string, ttlMs: number): boolean | PromiseLike<boolean>
  /** Deletes a claim that was not confirmed, so that the event can be claimed again. */
  release(eventUuid: string): unknown
  /**
   * Records that the event was handled, with or without an existing claim.
   *
   * @param ttlMs - Milliseconds until the record expires.
   */
  confirm?(eventUuid: string, ttlMs: number): unknown
  /** Returns `true` when the event has a confirmed record that has not expired. */
  isConfirmed?(eventUuid: string): boolean | PromiseLike<boolean>
}

/** Options of {@link memoryDedupeStore}. */
export interface MemoryDedupeStoreOptions {
  /**
   * Maximum number of stored events. The oldest is deleted first. An event takes about 150 bytes.
   * @defaultValue 10,000
   */
  readonly max?: number | undefined
  /**
   * Maximum time to live of an event in milliseconds. It limits the receiver's `dedupeTtl`.
   * @defaultValue 86,400,000 (24 hours)
   */
  readonly ttl?: number | undefined
  /** Clock for tests. */
  readonly clock?: Pick<Clock, 'monotonic'> | undefined
}

/** A {@link DedupeStore} with synchronous results. */
export interface MemoryDedupeStore extends Required<DedupeStore> {
  claim(eventUuid: string, ttlMs: number): boolean
  release(eventUuid: string): void
  confirm(eventUuid: string, ttlMs: number): void
  isConfirmed(eventUuid: string): boolean
}

const OWNER = 'memoryDedupeStore'
const OPTION_NAMES: ReadonlySet<string> = new Set<keyof MemoryDedupeStoreOptions>(['max', 'ttl', 'clock'])

interface Entry {
  readonly endsAt: number
  readonly confirmed: boolean
}

/**
 * Creates a store in the memory of this process, for a receiver in one process. Several processes behind a load
 * balancer require a shared store.
 *
 * @throws {@link ConfigurationError} if `max` or `ttl` is not a positive integer, or an option is unknown.
 */
export function memoryDedupeStore(options: MemoryDedupeStoreOptions = {}): MemoryDedupeStore {
  const { max = 10_000, ttl = DEFAULT_TTL_MS, clock = systemClock } = ownOptions(OWNER, options, OPTION_NAMES)
  for (const [name, value] of Object.entries({ max, ttl })) {
    if (!Number.isSafeInteger(value) || value < 1) {
      throw new ConfigurationError(`${OWNER}: ${name} must be an integer of at least 1`)
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

/** Returns a store that puts the name of a receiver in front of each event's UUID. */
export function namedStore(store: DedupeStore, name: string): DedupeStore {
  const keyOf = (eventUuid: string): string => `${name}:${eventUuid}`
  const named: DedupeStore = {
    claim: (eventUuid, ttlMs) => store.claim(keyOf(eventUuid), ttlMs),
    release: (eventUuid) => store.release(keyOf(eventUuid)),
  }
  if (store.confirm === undefined) return named
  return {
    ...named,
    confirm: (eventUuid, ttlMs) => store.confirm?.(keyOf(eventUuid), ttlMs),
    isConfirmed: (eventUuid) => store.isConfirmed?.(keyOf(eventUuid)) ?? false,
  }
}
