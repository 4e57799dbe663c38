import { isPathologyError, type OrderOutcomeUnknownError } from 'pathology-sdk'

/** What the client said became of a change. */
export type Said = 'done' | 'not done' | 'unknown'

/** What something in the service may be, by all that the client said. */
export class Possible<T> {
  #values: Set<T>

  constructor(first: T) {
    this.#values = new Set([first])
  }

  /** The client was asked to make it `value`, and said so much. */
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

/** One order as the client was asked for it. */
export interface OrderEntry {
  readonly referenceNumber: string
  /** Referrals it makes (§4.1 rule 4). */
  readonly makes: number
  said: Said
  /** Referrals that the client said it is. */
  uuids: readonly string[]
  /** When the client could not tell. */
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

/** Everything that was asked of the client, and what it said. */
export class Ledger {
  readonly orders: OrderEntry[] = []
  readonly referrals = new Map<string, ReferralEntry>()
  /** By URL; each is subscribed at most once. */
  readonly webhooks = new Map<string, WebhookEntry>()
  /** The name of each provider record; `undefined` where there is none. */
  readonly providers = new Map<string, Possible<string | undefined>>()
  readonly results = new Set<string>()
  /** What was wrong at once. */
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

  /** A referral that the client knows of, with its entry. */
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

/** What an error says of the change that was asked for; `undefined` when it is none of the SDK's. */
export function saidBy(error: unknown): Exclude<Said, 'done'> | undefined {
  if (error instanceof Error && error.name === 'AbortError') return 'unknown'
  if (!isPathologyError(error) || !('outcome' in error)) return undefined
  return error.outcome === 'unknown' ? 'unknown' : 'not done'
}
