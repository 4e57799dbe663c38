import { isPathologyError, type OrderOutcomeUnknownError } from 'pathology-sdk'

/** Outcome of a change, according to the client. */
export type Said = 'done' | 'not done' | 'unknown'

/** Values that a field in the service may have, according to all results of the client. */
export class Possible<T> {
  #values: Set<T>

  constructor(first: T) {
    this.#values = new Set([first])
  }

  /** Requested change of the field to `value`, with its outcome. */
  changed(value: T, said: Said): void {
    if (said === 'done') this.#values = new Set([value])
    if (said === 'unknown') this.#values.add(value)
  }

  has(value: T): boolean {
    return this.#values.has(value)
  }

  toString(): string {
    return [...this.#values].join(' or ')
  }
}

/** One order that the test requested from the client. */
export interface OrderEntry {
  readonly referenceNumber: string
  /** Number of its referrals (§4.1 rule 4). */
  readonly makes: number
  said: Said
  /** Referrals of the order according to the client. */
  uuids: readonly string[]
  /** Time at which the outcome became unknown to the client. */
  error?: OrderOutcomeUnknownError
}

export interface ReferralEntry {
  readonly deleted: Possible<boolean>
  readonly hasResults: Possible<boolean>
  /** Each update adds a key of its own to the metadata. */
  readonly updates: Map<string, Said>
}

export interface WebhookEntry {
  readonly exists: Possible<boolean>
  readonly active: Possible<boolean>
}

/** All calls of the client, and their outcomes. */
export class Ledger {
  readonly orders: OrderEntry[] = []
  readonly referrals = new Map<string, ReferralEntry>()
  /** By URL; each is subscribed at most once. */
  readonly webhooks = new Map<string, WebhookEntry>()
  /** The name of each provider record; `undefined` without one. */
  readonly providers = new Map<string, Possible<string | undefined>>()
  readonly results = new Set<string>()
  /** Problems that were detected at once. */
  readonly problems: string[] = []
  /** Calls by operation and outcome. */
  readonly counts = new Map<string, Map<string, number>>()
  calls = 0

  count(operation: string, outcome: string): void {
    this.calls += 1
    const outcomes = this.counts.get(operation) ?? new Map<string, number>()
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    this.counts.set(operation, outcomes)
  }

  /** A referral that the client knows, with its entry. */
  referral(uuid: string): ReferralEntry {
    const entry = this.referrals.get(uuid) ?? {
      deleted: new Possible(false),
      hasResults: new Possible(false),
      updates: new Map(),
    }
    this.referrals.set(uuid, entry)
    return entry
  }
}

/** Outcome of the requested change according to an error; `undefined` for an error that is not of this package. */
export function saidBy(error: unknown): Exclude<Said, 'done'> | undefined {
  if (error instanceof Error && error.name === 'AbortError') return 'unknown'
  if (!isPathologyError(error) || !('outcome' in error)) return undefined
  return error.outcome === 'unknown' ? 'unknown' : 'not done'
}
