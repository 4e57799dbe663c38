import type { PathologyClient, RequestOptions } from 'pathology-sdk'
import type { Dice } from './dice.js'
import { type Ledger, type Said, saidBy } from './ledger.js'

/** Outcome of a call. */
export type Attempt<T> =
  | { readonly said: 'done'; readonly value: T }
  | { readonly said: Exclude<Said, 'done'>; readonly error: unknown; readonly aborted: boolean }

/** Part of the calls that the caller aborts, and the longest time before that in milliseconds. */
const ABORTED = { share: 0.01, withinMs: 15 } as const

/** One user of the client, with records that no other session changes. */
export class Session {
  readonly client: PathologyClient
  readonly dice: Dice
  readonly ledger: Ledger
  /** Prefix of its records. */
  readonly index: number
  /** The time by the client's clock. */
  readonly now: () => number
  /** Referrals that the session may still change. */
  readonly referrals: { readonly uuid: string; readonly referenceNumber: string; readonly since: Date }[] = []
  readonly webhooks: { readonly id: string; readonly url: string }[] = []
  providerNumber: string | undefined
  /** Passed to every call and never aborted: at the end it must have no listeners. */
  readonly #signal: AbortSignal
  #sequence = 0

  constructor(parts: {
    readonly client: PathologyClient
    readonly dice: Dice
    readonly ledger: Ledger
    readonly index: number
    readonly signal: AbortSignal
    readonly now: () => number
  }) {
    this.client = parts.client
    this.dice = parts.dice
    this.ledger = parts.ledger
    this.index = parts.index
    this.#signal = parts.signal
    this.now = parts.now
  }

  get name(): string {
    return `s${this.index}`
  }

  /** A unique name. */
  unique(what: string): string {
    return `${what}-${this.name}-${this.next()}`
  }

  /** 1, 2, 3 and so on. */
  next(): number {
    this.#sequence += 1
    return this.#sequence
  }

  /** Makes one call, counts it, and returns its outcome. */
  async attempt<T>(
    operation: string,
    call: (options: RequestOptions & { readonly signal: AbortSignal }) => PromiseLike<T>,
  ): Promise<Attempt<T>> {
    const giveUp = this.dice.chance(ABORTED.share) ? new AbortController() : undefined
    const timer = giveUp && setTimeout(() => giveUp.abort(), this.dice.below(ABORTED.withinMs))
    try {
      const value = await call({ signal: giveUp?.signal ?? this.#signal })
      this.ledger.count(operation, 'success')
      return { said: 'done', value }
    } catch (error) {
      const said = saidBy(error)
      if (said === undefined) this.problem(`${operation} failed with ${String(error)}`)
      this.ledger.count(operation, error instanceof Error ? error.name : 'no error at all')
      return { said: said ?? 'unknown', error, aborted: giveUp?.signal.aborted === true }
    } finally {
      clearTimeout(timer)
    }
  }

  /** Records a problem. */
  problem(text: string): void {
    this.ledger.problems.push(text)
  }

  /** Records a problem unless the condition holds. */
  expect(holds: boolean, text: string): void {
    if (!holds) this.problem(text)
  }

  /** Removes one of its records from the list, so that it is not changed again, and returns it. */
  take<T>(list: T[]): T | undefined {
    return list.length === 0 ? undefined : list.splice(this.dice.below(list.length), 1)[0]
  }
}
