import type { Clock } from '../../common/clock.js'
import { ConfigurationError } from '../../common/configuration-error.js'
import { type DeliveryDeadline, PASSED } from './deadline.js'
import type { DedupeStore } from './dedupe.js'
import type { WebhookOutcome } from './outcomes.js'
import type { ReceiverSettings } from './settings.js'

/**
 * How long an event stays claimed while it is handled, in milliseconds. Longer than any deadline, and over before
 * the service's next attempt (a minute, §6), so that an attempt lost with its process is not lost for good.
 */
const LEASE_MS = 45_000

/** Events whose release is remembered to have failed, at most. */
const MAX_UNRELEASED = 1_000

/** What became of a claim: taken, or how the delivery ends without it. */
export type Claim =
  | { readonly taken: true }
  | { readonly taken: false; readonly outcome: WebhookOutcome; readonly error?: unknown }

/** Claims of events in the de-duplication store. Only `take` can fail a delivery. */
export class Claims {
  readonly #store: DedupeStore
  readonly #ttlMs: number
  readonly #clock: Clock
  readonly #onStoreError: (error: unknown) => void
  /** Events whose claim is this process's own and should be gone: their release is pending, or failed. */
  readonly #unreleased = new Set<string>()

  constructor(
    { dedupeTtlMs, clock }: Pick<ReceiverSettings, 'dedupeTtlMs' | 'clock'>,
    store: DedupeStore,
    onStoreError: (error: unknown) => void,
  ) {
    this.#store = store
    this.#ttlMs = dedupeTtlMs
    this.#clock = clock
    this.#onStoreError = onStoreError
  }

  /** Claims an event for handling. */
  async take(eventUuid: string, deadline: DeliveryDeadline): Promise<Claim> {
    const endsAt = this.#clock.monotonic() + this.#leaseMs
    const asked = this.#claim(eventUuid)
    try {
      const answer = await deadline.within(asked)
      if (answer !== PASSED) return answer
    } catch (error) {
      return { taken: false, outcome: 'store-unavailable', error }
    }
    void this.#giveBackLate(eventUuid, asked, endsAt)
    return { taken: false, outcome: 'store-unavailable', error: deadline.signal.reason }
  }

  /** Lets the event be claimed again: it was not handled. */
  async release(eventUuid: string): Promise<void> {
    const [oldest] = this.#unreleased
    if (this.#unreleased.size >= MAX_UNRELEASED && oldest !== undefined) this.#unreleased.delete(oldest)
    this.#unreleased.add(eventUuid)
    await this.#watched(async () => {
      await this.#store.release(eventUuid)
      this.#unreleased.delete(eventUuid)
    })
  }

  /** Remembers a claimed event as handled. */
  async confirm(eventUuid: string): Promise<void> {
    await this.#watched(() => this.#store.confirm?.(eventUuid, this.#ttlMs))
  }

  /** Remembers an event that was handled after its claim had been released, unless another attempt took it up. */
  async confirmLate(eventUuid: string): Promise<void> {
    await this.#watched(async () => {
      const isOurs = this.#unreleased.delete(eventUuid) || (await this.#store.claim(eventUuid, this.#ttlMs))
      if (isOurs) await this.#store.confirm?.(eventUuid, this.#ttlMs)
    })
  }

  async #claim(eventUuid: string): Promise<Claim> {
    const claimed: boolean | undefined = await this.#store.claim(eventUuid, this.#leaseMs)
    // Taken for a duplicate, every event would be acknowledged and lost.
    if (claimed === undefined) throw new ConfigurationError('dedupe: claim must say true or false')
    if (claimed) {
      this.#unreleased.delete(eventUuid)
      return { taken: true }
    }
    if (this.#unreleased.has(eventUuid)) {
      // It was not handled: taken for a duplicate, it would be lost.
      void this.release(eventUuid)
      return { taken: false, outcome: 'busy' }
    }
    // Claimed but not confirmed: another process is at it, and may yet fail.
    const handled = this.#store.isConfirmed === undefined || (await this.#store.isConfirmed(eventUuid))
    return { taken: false, outcome: handled ? 'duplicate' : 'busy' }
  }

  /** How long a claim lasts that is not confirmed. */
  get #leaseMs(): number {
    return this.#store.confirm === undefined ? this.#ttlMs : Math.min(LEASE_MS, this.#ttlMs)
  }

  async #giveBackLate(eventUuid: string, asked: Promise<Claim>, endsAt: number): Promise<void> {
    const late = await asked.catch(() => undefined)
    // After its end, the claim may be another attempt's.
    if (late?.taken === true && this.#clock.monotonic() < endsAt) await this.release(eventUuid)
  }

  async #watched(work: () => unknown): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#onStoreError(error)
    }
  }
}
