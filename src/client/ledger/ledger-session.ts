import type { Clock } from '../../common/clock.js'
import { ignore, isPathologyError } from '../../common/errors.js'
import { isRecord } from '../../common/known-options.js'
import type { SafeLogger } from '../../common/logger.js'
import { isUuid } from '../../contract/identifiers.js'
import type { ResolvedOptions } from '../call/request-options.js'
import { CallEnded, Deadline } from '../core/deadline.js'
import { EFFECT, safeCause } from '../errors/error-texts.js'
import { OrderLedgerError } from '../errors/errors.js'
import type { LedgerSettings } from './ledger-options.js'
import { MemoryEntries } from './memory-entries.js'
import type { LedgerClaim, OrderClaimRequest, OrderLedger, OrderName } from './order-ledger.js'

/** Time limit of one operation of the ledger, in milliseconds. */
export const OPERATION_MS = 2_000

/** Lease of a claim, in milliseconds. */
const LEASE_MS = 15_000

/** Maximum time for which a closing client runs and repeats operations in the background, in milliseconds. */
const CLOSING_MS = 5_000

/** Time for which a claim without a response may still reach the ledger, in milliseconds. */
const LATE_CLAIM_MS = 30_000

type Operation = 'mark' | 'unmark' | 'renew' | 'record' | 'resolve'

type Operations = {
  readonly [Name in Operation]: (name: OrderName, request: RequestOf<Name>) => Promise<boolean>
}

type RequestOf<Name extends Operation> = Parameters<OrderLedger[Name]>[1]

interface OperationOptions {
  /** Time limit of the call. */
  readonly deadline?: Deadline | undefined
  /** Number of times that the service rejected the order before any work. */
  readonly rejected?: number | undefined
}

interface SessionContext {
  readonly options: Pick<ResolvedOptions, 'clock' | 'random'>
  readonly logger: Pick<SafeLogger, 'warn'>
}

/**
 * Calls the order ledger with a time limit, and checks its responses. Converts its errors, except a
 * `ConfigurationError`, to an {@link OrderLedgerError}.
 */
export class LedgerSession {
  /** `true` for the ledger in the memory of this client. It responds at once and never fails. */
  readonly isPrivate: boolean
  /** Lease of a claim, in milliseconds. With the ledger in the memory of this client, a lease never ends. */
  readonly leaseMs: number
  readonly clock: Clock
  readonly random: () => number
  readonly #ledger: OrderLedger
  readonly #namespace: string
  readonly #logger: SessionContext['logger']
  readonly #retries = new LedgerRetries()
  /** Operations in progress. Each has a time limit. */
  readonly #running = new Set<Promise<void>>()

  constructor(
    { ledger, namespace }: Pick<LedgerSettings, 'ledger' | 'namespace'>,
    { options, logger }: SessionContext,
    isPrivate = ledger === undefined,
  ) {
    this.clock = options.clock
    this.random = options.random
    this.isPrivate = isPrivate
    this.leaseMs = isPrivate ? Number.MAX_SAFE_INTEGER : LEASE_MS
    this.#ledger = ledger ?? new MemoryEntries(options.clock)
    this.#namespace = namespace
    this.#logger = logger
  }

  nameOf(key: string): OrderName {
    return { namespace: this.#namespace, key }
  }

  /**
   * Claims an order. If this fails, the claim is ended in the background.
   *
   * @throws {@link OrderLedgerError} when the ledger fails.
   * @throws {@link CallEnded} when the call ends first.
   */
  async claim(
    name: OrderName,
    request: OrderClaimRequest,
    deadline: Deadline | undefined,
  ): Promise<LedgerClaim> {
    let claiming: Promise<LedgerClaim> | undefined
    try {
      const claim = (): Promise<LedgerClaim> => {
        claiming = Promise.resolve(this.#ledger.claim(name, request))
        return claiming
      }
      return checkedClaim(await this.#request('claim', claim, { deadline }))
    } catch (error) {
      // A `ConfigurationError` means that nothing was written.
      if (!isConfigurationError(error)) this.#endLostClaim(name, request.token, claiming)
      throw error
    }
  }

  /**
   * Runs one operation that returns `true` or `false`.
   *
   * @throws {@link OrderLedgerError} when the ledger fails.
   * @throws {@link CallEnded} when the call ends first.
   */
  async run<Name extends Operation>(
    operation: Name,
    name: OrderName,
    request: RequestOf<Name>,
    options: OperationOptions = {},
  ): Promise<boolean> {
    const ledger: Operations = this.#ledger
    const result: unknown = await this.#request(operation, () => ledger[operation](name, request), options)
    if (typeof result === 'boolean') return result
    throw this.#failure(operation, 'did not return true or false', options)
  }

  /**
   * Calls `listener` when the entry changes. Returns a function that removes the listener; `undefined` if the ledger
   * does not support listeners.
   */
  watch(name: OrderName, listener: () => void): (() => void) | undefined {
    const stop = callSafely(() => this.#ledger.watch?.(name, listener))
    return typeof stop === 'function' ? () => void callSafely(() => stop()) : undefined
  }

  /** Runs an operation in the background, and repeats it until the ledger returns a result or the client has closed. */
  runLater<Name extends Operation>(operation: Name, name: OrderName, request: RequestOf<Name>): void {
    this.#retries.add(() => this.run(operation, name, request))
  }

  warn(message: string): void {
    this.#logger.warn(`pathology-sdk: ${message}`)
  }

  /** Waits for the operations in the background, for a limited time. */
  async close(): Promise<void> {
    await Promise.all(this.#running)
    await this.#retries.close(CLOSING_MS, this.clock)
  }

  async #request<T>(
    operation: string,
    run: () => Promise<T>,
    { deadline, rejected }: OperationOptions,
  ): Promise<T> {
    if (this.isPrivate) return run()
    const limit = new Deadline(this.clock, OPERATION_MS, undefined)
    try {
      deadline?.throwIfEnded()
      const result = limit.race(Promise.resolve(run()))
      return await this.#track(deadline === undefined ? result : deadline.race(result))
    } catch (error) {
      if (error instanceof CallEnded && error === deadline?.ended) throw error
      // The `ConfigurationError` of a ledger of this package explains the problem, so it is thrown unchanged.
      if (isConfigurationError(error)) throw error
      const isLate = error instanceof CallEnded
      const problem = isLate ? `did not respond within ${OPERATION_MS} ms` : 'failed'
      throw this.#failure(operation, problem, { rejected, cause: isLate ? undefined : error })
    } finally {
      limit.dispose()
    }
  }

  #failure(
    operation: string,
    problem: string,
    { rejected = 0, cause }: { readonly rejected?: number | undefined; readonly cause?: unknown },
  ): OrderLedgerError {
    const outcome = rejected === 0 ? 'not-sent' : 'refused'
    const advice =
      operation === 'resolve'
        ? 'the ledger may not have the outcome of the order; repeat the call'
        : `${EFFECT[outcome]}; repeat the call with the same orderKey`
    const message = `the order ledger ${problem} (${operation}): ${advice}`
    return new OrderLedgerError(message, {
      outcome,
      attempts: rejected,
      operation,
      cause: safeCause(cause),
    })
  }

  #track<T>(operation: Promise<T>): Promise<T> {
    const done = operation.then(ignore, ignore).finally(() => this.#running.delete(done))
    this.#running.add(done)
    return operation
  }

  /**
   * Ends a claim whose response was lost or is not valid. The claim may hold the entry, and may have marked a request
   * that is never sent.
   */
  #endLostClaim(name: OrderName, token: string, claiming: Promise<unknown> | undefined): void {
    if (claiming === undefined) return
    const { clock } = this
    const expectedUntil = clock.monotonic() + LATE_CLAIM_MS
    let hasResponded = false
    const end = (): Promise<boolean> => this.run('record', name, { token, outcome: 'not-placed' })
    // The claim may have been carried out only now, after the last attempt to end it.
    const endLate = (): void => {
      if (clock.monotonic() >= expectedUntil) this.#retries.add(end)
    }
    claiming.then(() => {
      hasResponded = true
      endLate()
    }, endLate)
    this.#retries.add(async () => {
      // Computed before `end()`: the ledger may carry out the claim after `end()`, and respond to both while this
      // function waits. A rejected claim does not set `hasResponded`, because the ledger may still carry it out.
      const mayArrive = !hasResponded && clock.monotonic() < expectedUntil
      const isOver = await end()
      if (!isOver && mayArrive) throw new Error('the claim may still arrive')
    })
  }
}

/**
 * Calls `watch` of a user's ledger, or the function that `watch` returned. Ignores errors and rejections: a waiting
 * call also polls the ledger.
 */
function callSafely(call: () => unknown): unknown {
  try {
    const result = call()
    Promise.resolve(result).catch(ignore)
    return result
  } catch {
    return undefined
  }
}

const STATES: ReadonlySet<unknown> = new Set(['new', 'busy', 'sent', 'placed'])

/** Checks the response of a ledger, which may be the user's own. */
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
    return "in the state 'sent' without valid sinceFirstSentMs and sinceLastSentMs"
  const hasFingerprint =
    isRecord(fingerprint) && typeof fingerprint.keyId === 'string' && typeof fingerprint.hash === 'string'
  return state !== 'new' && !hasFingerprint ? `in the state '${state}' without its fingerprint` : undefined
}

function isDuration(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY
}

function isConfigurationError(error: unknown): boolean {
  return isPathologyError(error) && error.name === 'ConfigurationError'
}

/**
 * First and longest pause after a failure, in milliseconds. With a longer pause, the lease could end before the
 * operation is repeated: another call would then treat the order as sent.
 */
const FIRST_REPEAT_PAUSE_MS = 250
const LONGEST_REPEAT_PAUSE_MS = 4_000

/** Pause while the client closes, in milliseconds. */
const CLOSING_PAUSE_MS = 100

/** Maximum number of waiting operations. The oldest is dropped first. */
const MAX_WAITING = 10_000

/** Operation in the background. The promise rejects when the operation must be repeated. */
type LaterOperation = () => Promise<unknown>

/**
 * Runs operations of the ledger in the background, one after another, and repeats each until it resolves. The timer
 * does not keep the process alive.
 */
export class LedgerRetries {
  readonly #waiting = new Set<LaterOperation>()
  #running: Promise<void> | undefined
  #isClosing = false
  #wake: () => void = ignore

  /** Runs an operation after the operations that already wait. Repeats it after pauses until it resolves. */
  add(operation: LaterOperation): void {
    this.#waiting.add(operation)
    const [oldest] = this.#waiting
    if (this.#waiting.size > MAX_WAITING && oldest !== undefined) this.#waiting.delete(oldest)
    void this.#run()
  }

  /**
   * Resolves when no operation waits. After `limitMs` milliseconds, drops the operations that still wait and resolves.
   */
  async close(limitMs: number, clock: Clock): Promise<void> {
    if (this.#waiting.size === 0) return
    this.#isClosing = true
    this.#wake()
    const limit = new Deadline(clock, limitMs, undefined)
    await limit.race(this.#run()).catch(ignore)
    limit.dispose()
    this.#waiting.clear()
    this.#wake()
  }

  #run(): Promise<void> {
    this.#running ??= this.#runAll()
    return this.#running
  }

  async #runAll(): Promise<void> {
    let pause = FIRST_REPEAT_PAUSE_MS
    // The loop also visits operations that are added while it runs.
    for (const next of this.#waiting) {
      try {
        await next()
        this.#waiting.delete(next)
        pause = FIRST_REPEAT_PAUSE_MS
      } catch {
        await this.#sleep(this.#isClosing ? CLOSING_PAUSE_MS : pause)
        pause = Math.min(LONGEST_REPEAT_PAUSE_MS, pause * 2)
        // An operation that always fails must not block the others.
        if (this.#waiting.delete(next)) this.#waiting.add(next)
      }
    }
    // Cleared at once: an operation that is added after this line starts another run.
    this.#running = undefined
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      // In some runtimes a timer is a number.
      if (typeof timer === 'object') timer.unref()
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
