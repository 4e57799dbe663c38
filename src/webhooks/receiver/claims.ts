import { ConfigurationError } from '../../common/configuration-error.js'
import { type DeliveryDeadline, PASSED } from './deadline.js'
import type { WebhookDedupe } from './dedupe.js'
import type { WebhookOutcome } from './outcomes.js'

/**
 * How long an event stays claimed while it is handled, in milliseconds. Longer than any deadline, and over before
 * the service's next attempt (a minute, §6), so that an attempt lost with its process is not lost for good.
 */
const LEASE_MS = 45_000

/** What became of a claim: taken, or how the delivery ends without it. */
export type Claim =
  | { readonly taken: true }
  | { readonly taken: false; readonly outcome: WebhookOutcome; readonly error?: unknown }

/** Claims of events in the de-duplication store. Only `take` can fail a delivery. */
export class Claims {
  readonly #store: WebhookDedupe
  readonly #ttlMs: number
  readonly #onStoreError: (error: unknown) => void

  constructor(store: WebhookDedupe, ttlMs: number, onStoreError: (error: unknown) => void) {
    this.#store = store
    this.#ttlMs = ttlMs
    this.#onStoreError = onStoreError
  }

  /** Claims an event for handling. */
  async take(eventUuid: string, deadline: DeliveryDeadline): Promise<Claim> {
    const asked = this.#claim(eventUuid)
    try {
      const answer = await deadline.within(asked)
      if (answer !== PASSED) return answer
    } catch (error) {
      return { taken: false, outcome: 'unavailable', error }
    }
    void this.#giveBackLate(eventUuid, asked)
    return { taken: false, outcome: 'unavailable', error: deadline.signal.reason }
  }

  /** Lets the event be claimed again: it was not handled. */
  async release(eventUuid: string): Promise<void> {
    await this.#watched(() => this.#store.release(eventUuid))
  }

  /** Remembers a claimed event as handled. */
  async confirm(eventUuid: string): Promise<void> {
    await this.#watched(() => this.#store.confirm?.(eventUuid, this.#ttlMs))
  }

  /** Remembers an event that was handled after its claim had been released, unless another attempt took it up. */
  async confirmLate(eventUuid: string): Promise<void> {
    await this.#watched(async () => {
      if (await this.#store.claim(eventUuid, this.#ttlMs)) await this.#store.confirm?.(eventUuid, this.#ttlMs)
    })
  }

  async #claim(eventUuid: string): Promise<Claim> {
    const ttlMs = this.#store.confirm === undefined ? this.#ttlMs : Math.min(LEASE_MS, this.#ttlMs)
    const claimed: boolean | undefined = await this.#store.claim(eventUuid, ttlMs)
    // Taken for a duplicate, every event would be acknowledged and lost.
    if (claimed === undefined) throw new ConfigurationError('dedupe: claim must say true or false')
    if (claimed) return { taken: true }
    // Claimed but not confirmed: another process is at it, and may yet fail.
    const handled = this.#store.isConfirmed === undefined || (await this.#store.isConfirmed(eventUuid))
    return { taken: false, outcome: handled ? 'duplicate' : 'busy' }
  }

  async #giveBackLate(eventUuid: string, asked: Promise<Claim>): Promise<void> {
    const late = await asked.catch(() => undefined)
    if (late?.taken === true) await this.release(eventUuid)
  }

  async #watched(work: () => unknown): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#onStoreError(error)
    }
  }
}
