import { ignore, isPathologyError } from '../../common/errors.js'
import { isRecord } from '../../common/known-options.js'
import { UUID_PATTERN } from '../../contract/identifiers.js'
import type { CallContext } from '../call/api-client.js'
import { CallEnded, Deadline } from '../core/deadline.js'
import { OrderLedgerError } from '../errors/errors.js'
import { safeCause } from '../errors/redact.js'
import { RequestValues } from '../errors/request-values.js'
import { EFFECT } from '../errors/sentences.js'
import type { ResolvedLedgerOptions } from './ledger-options.js'
import type { LedgerClaim, OrderClaimRequest, OrderLedger, OrderName } from './order-ledger.js'
import { TakeBacks } from './take-backs.js'

/** Time limit of one statement, in milliseconds. */
export const STATEMENT_MS = 2_000

/** Time for which a closing client waits for statements that did not reach the ledger, in milliseconds. */
const CLOSING_MS = 5_000

/** Time for which a claim that did not respond is ended again and again, in milliseconds. */
const LATE_CLAIM_MS = 30_000

interface StatementOptions {
  /** Time limit of the call. */
  readonly deadline?: Deadline | undefined
  /** Number of times that the call sent the order without effect. */
  readonly rejected?: number | undefined
}

/** The order ledger as a client uses it: with a time limit, checked responses and one class of error. */
export class LedgerSession {
  readonly options: ResolvedLedgerOptions
  readonly #ledger: OrderLedger
  readonly #context: Pick<CallContext, 'options' | 'logger'>
  readonly #takeBacks = new TakeBacks()
  /** Statements that calls, or the ends of calls, wait for. Each has a time limit. */
  readonly #running = new Set<Promise<void>>()

  constructor(options: ResolvedLedgerOptions, context: Pick<CallContext, 'options' | 'logger'>) {
    this.options = options
    this.#ledger = options.ledger
    this.#context = context
  }

  nameOf(key: string): OrderName {
    return { namespace: this.options.namespace, key }
  }

  /**
   * Claims an order.
   *
   * @throws {@link OrderLedgerError} when the ledger fails. The claim is then given up in the background.
   */
  async claim(
    name: OrderName,
    request: OrderClaimRequest,
    deadline: Deadline | undefined,
  ): Promise<LedgerClaim> {
    let claiming: Promise<LedgerClaim> | undefined
    try {
      const ask = (): Promise<LedgerClaim> => {
        claiming = Promise.resolve(this.#ledger.claim(name, request))
        return claiming
      }
      return checkedClaim(await this.#ask('claim', ask, { deadline }))
    } catch (error) {
      this.#giveUp(name, request.token, claiming)
      throw error
    }
  }

  /**
   * Runs one statement that returns `true` or `false`.
   *
   * @throws {@link OrderLedgerError} when the ledger fails.
   */
  async state(
    operation: 'mark' | 'unmark' | 'renew' | 'record' | 'resolve',
    run: (ledger: OrderLedger) => Promise<boolean>,
    { deadline, rejected }: StatementOptions = {},
  ): Promise<boolean> {
    const result: unknown = await this.#ask(operation, () => run(this.#ledger), { deadline, rejected })
    if (typeof result === 'boolean') return result
    throw this.#failure(operation, 'did not return true or false', { rejected })
  }

  /** Calls `listener` when the entry changes, if the ledger supports it. Returns a function that stops this. */
  watch(name: OrderName, listener: () => void): () => void {
    try {
      const stop: unknown = this.#ledger.watch?.(name, listener)
      return typeof stop === 'function' ? () => void stop() : ignore
    } catch {
      return ignore
    }
  }

  /** Repeats a statement in the background until the ledger responds or the client is closed. */
  later(operation: 'record' | 'unmark', run: (ledger: OrderLedger) => Promise<boolean>): void {
    this.#takeBacks.add(() => this.state(operation, run))
  }

  warn(message: string): void {
    this.#context.logger.warn(`pathology-sdk: ${message}`)
  }

  /** Waits for the statements in the background, for a bounded time. */
  async close(): Promise<void> {
    await Promise.all(this.#running)
    await this.#takeBacks.close(CLOSING_MS, this.#context.options.clock)
  }

  async #ask<T>(
    operation: string,
    run: () => Promise<T>,
    { deadline, rejected }: StatementOptions,
  ): Promise<T> {
    // The client's own ledger responds at once and never fails.
    if (this.options.isPrivate) return run()
    const limit = new Deadline(this.#context.options.clock, STATEMENT_MS, undefined)
    try {
      deadline?.throwIfEnded()
      // The executor catches what the ledger throws before it returns a promise.
      const result = limit.race(new Promise<T>((resolve) => resolve(run())))
      return await this.#track(deadline === undefined ? result : deadline.race(result))
    } catch (error) {
      if (error instanceof CallEnded && error === deadline?.ended) throw error
      // An error of a shipped ledger about its configuration says what to do.
      if (isPathologyError(error) && error.name === 'ConfigurationError') throw error
      const isLate = error instanceof CallEnded
      const problem = isLate ? `did not respond within ${STATEMENT_MS} ms` : 'failed'
      throw this.#failure(operation, problem, { rejected, cause: isLate ? undefined : error })
    } finally {
      limit.dispose()
    }
  }

  #failure(
    operation: string,
    problem: string,
    { rejected = 0, cause }: { readonly rejected?: number | undefined; readonly cause?: unknown } = {},
  ): OrderLedgerError {
    const { clientSecret } = this.#context.options
    const effect = rejected === 0 ? EFFECT['not-sent'] : EFFECT.refused
    const message = `the order ledger ${problem} (${operation}): ${effect}; repeat the call with the same orderKey`
    const values = new RequestValues({ secrets: () => [clientSecret] })
    return new OrderLedgerError(message, {
      outcome: rejected === 0 ? 'not-sent' : 'refused',
      attempts: rejected,
      operation,
      cause: safeCause(cause, values),
    })
  }

  #track<T>(statement: Promise<T>): Promise<T> {
    const done = statement.then(ignore, ignore).finally(() => this.#running.delete(done))
    this.#running.add(done)
    return statement
  }

  /** A claim whose response was lost may hold the entry, and may have marked a sending that never takes place. */
  #giveUp(name: OrderName, token: string, claiming: Promise<unknown> | undefined): void {
    if (claiming === undefined) return
    const { clock } = this.#context.options
    const expectedUntil = clock.monotonic() + LATE_CLAIM_MS
    let isPending = true
    const end = (): Promise<boolean> =>
      this.state('record', (ledger) => ledger.record(name, { token, outcome: 'not-placed' }))
    const settled = (): void => {
      isPending = false
      // Nobody waits for the claim any more, but it may have been carried out only now.
      if (clock.monotonic() >= expectedUntil) this.#takeBacks.add(end)
    }
    claiming.then(settled, settled)
    this.#takeBacks.add(async () => {
      const isOver = await end()
      const mayArrive = isPending && clock.monotonic() < expectedUntil
      if (!isOver && mayArrive) throw new Error('the claim may still arrive')
    })
  }
}

const STATES: ReadonlySet<unknown> = new Set(['new', 'busy', 'sent', 'placed'])

/** Checks the response of a user's ledger. */
function checkedClaim(claim: LedgerClaim): LedgerClaim {
  const problem = problemOf(claim)
  if (problem === undefined) return claim
  throw new OrderLedgerError(
    `the order ledger returned a claim ${problem}: nothing was sent; correct the ledger, and repeat the call with the same orderKey`,
    { outcome: 'not-sent', attempts: 0, operation: 'claim' },
  )
}

function problemOf(claim: LedgerClaim): string | undefined {
  if (!isRecord(claim) || !STATES.has(claim.state)) return 'without a known state'
  const { state, fingerprint, referrals, sinceFirstSentMs, sinceLastSentMs } = claim
  if (state === 'placed' && !(Array.isArray(referrals) && referrals.length > 0 && referrals.every(isUuid)))
    return "in the state 'placed' without the UUIDs of its referrals"
  if (state === 'sent' && !(isDuration(sinceFirstSentMs) && isDuration(sinceLastSentMs)))
    return "in the state 'sent' without the times since it was sent"
  const hasFingerprint =
    isRecord(fingerprint) && typeof fingerprint.keyId === 'string' && typeof fingerprint.hash === 'string'
  return state !== 'new' && !hasFingerprint ? `in the state '${state}' without its fingerprint` : undefined
}

function isUuid(value: unknown): boolean {
  return typeof value === 'string' && UUID_PATTERN.test(value)
}

function isDuration(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY
}
