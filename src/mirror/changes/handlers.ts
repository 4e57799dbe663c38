import type { Change, ReferralChange, ResultChange } from './change.js'

/** Transaction of a handler. */
export interface HandlerTransaction {
  /**
   * Runs one statement in the transaction. The statement must not end the transaction.
   *
   * @param text - SQL with the parameters `$1`, `$2` and so on.
   */
  query<Row = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<{
    /** The returned rows. */
    readonly rows: Row[]
    /** Number of returned or changed rows. */
    readonly rowCount: number
  }>
}

/** Second argument of a handler. */
export interface HandlerContext {
  /**
   * Writes in this transaction take effect exactly once, unless `mirror.replay()` delivers the change again: they are
   * committed together with the change's position.
   *
   * On PGlite, use only `tx`, because PGlite has one connection, which the handler holds. A method of the mirror that
   * needs the database throws an error with the code `DATABASE_IN_TRANSACTION` in a handler on PGlite.
   */
  readonly tx: HandlerTransaction
  /**
   * Aborts at `handlerTimeout`, when this process no longer holds the lease, or 10 s after a call of `mirror.stop()`.
   * The transaction is then rolled back.
   */
  readonly signal: AbortSignal
  /**
   * Number of this attempt, starting with 1. An attempt that ended by a crash, `mirror.stop()`, a lost lease or a lost
   * connection is not counted: the next attempt has the same number.
   */
  readonly attempt: number
}

/**
 * Handles one change. The promise of the handler is awaited. If the promise rejects, the transaction is rolled back and
 * the change is delivered again later, up to the option `attempts`. Only changes of the same group wait meanwhile.
 */
export type ChangeHandler<T extends Change = Change> = (change: T, context: HandlerContext) => unknown

/** Handlers of a consumer. A change without a handler is skipped. */
export interface ChangeHandlers {
  /** Changes of referrals. */
  readonly referral?: ChangeHandler<ReferralChange> | undefined
  /** Changes of results. */
  readonly result?: ChangeHandler<ResultChange> | undefined
  /** All changes without their own handler. */
  readonly '*'?: ChangeHandler | undefined
}

/** A consumer of changes, with its own position in each group. */
export interface ConsumerOptions {
  /** Handlers by kind of record. */
  readonly on: ChangeHandlers
  /**
   * The first delivered change of a new consumer.
   *
   * - `now`: the first change after `start`, or another method, first opened the database with this consumer.
   * - `beginning`: the first change of the copy.
   * @defaultValue `'now'`. At the first start of a mirror, `now` also begins with the first change of the copy.
   */
  readonly from?: 'now' | 'beginning' | undefined
}

/** A consumer of changes, with its options checked. */
export interface Consumer {
  readonly name: string
  readonly handlers: ChangeHandlers
  readonly fromBeginning: boolean
}

/**
 * Returns a function that calls the handler of a change; `undefined` if the consumer skips the change.
 */
export function handlerOf(
  { referral, result, '*': other }: ChangeHandlers,
  change: Change,
): ((context: HandlerContext) => unknown) | undefined {
  if (change.kind === 'referral' && referral !== undefined) return (context) => referral(change, context)
  if (change.kind === 'result' && result !== undefined) return (context) => result(change, context)
  return other === undefined ? undefined : (context) => other(change, context)
}
