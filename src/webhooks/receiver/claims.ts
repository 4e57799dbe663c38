import type { Clock } from '../../common/clock.js'
import { ConfigurationError } from '../../common/errors.js'
import { type DeliveryDeadline, TIMED_OUT } from './deadline.js'
import type { DedupeStore } from './dedupe-store.js'
import type { WebhookOutcome } from './outcomes.js'
import type { ResolvedReceiverOptions } from './resolve-options.js'

/**
 * Duration of a claim while its event is handled, in milliseconds. The duration is longer than any timeout of a
 * receiver. The duration is also shorter than the minute until the service's next attempt. If the process ends, that
 * attempt can claim the event.
 */
const LEASE_MS = 45_000

/** Maximum number of tracked events whose release is pending or has failed. */
const MAX_UNRELEASED = 1_000

/** Result of a claim. If the claim was not acquired, `outcome` is the outcome of the delivery. */
export type Claim =
  | { readonly acquired: true }
  | { readonly acquired: false; readonly outcome: WebhookOutcome; readonly error?: unknown }

/** Claims of events in the de-duplication store. A failure of the store fails a delivery only in `acquire`. */
export class Claims {
  readonly #store: DedupeStore
  readonly #ttlMs: number
  readonly #clock: Clock
  readonly #onStoreError: (error: unknown) => void
  /** Events that this process has claimed and not handled. Their release is pending or has failed. */
  readonly #unreleased = new Set<string>()

  constructor(
    { dedupeTtlMs, clock }: Pick<ResolvedReceiverOptions, 'dedupeTtlMs' | 'clock'>,
    store: DedupeStore,
    onStoreError: (error: unknown) => void,
  ) {
    this.#store = store
    this.#ttlMs = dedupeTtlMs
    this.#clock = clock
    this.#onStoreError = onStoreError
  }

  async acquire(eventUuid: string, deadline: DeliveryDeadline): Promise<Claim> {
    const endsAt = this.#clock.monotonic() + this.#leaseMs
    const pending = this.#claim(eventUuid)
    try {
      const claim = await deadline.within(pending)
      if (claim !== TIMED_OUT) return claim
    } catch (error) {
      return { acquired: false, outcome: 'store-unavailable', error }
    }
    void this.#releaseLate(eventUuid, pending, endsAt)
    return { acquired: false, outcome: 'store-unavailable', error: deadline.timeoutError('store') }
  }

  async release(eventUuid: string): Promise<void> {
    this.#unreleased.add(eventUuid)
    const [oldest] = this.#unreleased
    if (this.#unreleased.size > MAX_UNRELEASED && oldest !== undefined) this.#unreleased.delete(oldest)
    await this.#reportFailure(async () => {
      await this.#store.release(eventUuid)
      this.#unreleased.delete(eventUuid)
    })
  }

  async confirm(eventUuid: string): Promise<void> {
    await this.#reportFailure(() => this.#store.confirm?.(eventUuid, this.#ttlMs))
  }

  /**
   * Records an event whose handler succeeded after the claim was released. Records nothing if another attempt has
   * claimed the event since then.
   */
  async confirmLate(eventUuid: string): Promise<void> {
    await this.#reportFailure(async () => {
      const isOurs = this.#unreleased.delete(eventUuid) || (await this.#store.claim(eventUuid, this.#ttlMs))
      if (isOurs) await this.#store.confirm?.(eventUuid, this.#ttlMs)
    })
  }

  async #claim(eventUuid: string): Promise<Claim> {
    const claimed: boolean | undefined = await this.#store.claim(eventUuid, this.#leaseMs)
    // If `undefined` counted as a duplicate, every event would be acknowledged and lost.
    if (claimed === undefined)
      throw new ConfigurationError(
        'dedupe: claim must return true or false. The event was not handled, and the service sends it again',
      )
    if (claimed) {
      this.#unreleased.delete(eventUuid)
      return { acquired: true }
    }
    if (this.#unreleased.has(eventUuid)) {
      // The event was not handled. If the event counted as a duplicate, it would be acknowledged and lost.
      void this.release(eventUuid)
      return { acquired: false, outcome: 'busy' }
    }
    // Without a confirmation, another process may still be handling the event, and its handler can fail.
    const isHandled = this.#store.isConfirmed === undefined || (await this.#store.isConfirmed(eventUuid))
    return { acquired: false, outcome: isHandled ? 'duplicate' : 'busy' }
  }

  /** Duration of a claim that is not confirmed. A store without `confirm` cannot extend the claim later. */
  get #leaseMs(): number {
    return this.#store.confirm === undefined ? this.#ttlMs : Math.min(LEASE_MS, this.#ttlMs)
  }

  async #releaseLate(eventUuid: string, pending: Promise<Claim>, endsAt: number): Promise<void> {
    const late = await pending.catch(() => undefined)
    // After the end of the lease, the claim may belong to another attempt.
    if (late?.acquired === true && this.#clock.monotonic() < endsAt) await this.release(eventUuid)
  }

  async #reportFailure(work: () => unknown): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#onStoreError(error)
    }
  }
}
