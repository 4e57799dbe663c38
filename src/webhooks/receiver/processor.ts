import { isPathologyError, PathologyError } from '../../common/errors.js'
import { waitWithin } from '../../common/time-limit.js'
import type { WebhookEvent } from '../../contract/events.js'
import { isKnownEvent } from '../verification/envelope.js'
import { Claims } from './claims.js'
import { currentRecord } from './current-record.js'
import { type DeliveryDeadline, TIMED_OUT } from './deadline.js'
import { EntityQueue } from './entity-queue.js'
import type { WebhookContext, WebhookHandler } from './options.js'
import type { DeliveryResult } from './outcomes.js'
import type { Reporter } from './reporter.js'
import type { ResolvedReceiverOptions } from './resolve-options.js'

interface Job {
  readonly event: WebhookEvent
  readonly handler: WebhookHandler
  readonly deliveredAt: Date | undefined
  readonly deadline: DeliveryDeadline
}

/** Code of an error that `enqueue` throws if its store fails. The response is then 503 instead of 500. */
export const STORE_UNAVAILABLE = 'WEBHOOK_STORE_UNAVAILABLE'

type HandlerResult = { readonly ok: true } | { readonly ok: false; readonly error: unknown }

/**
 * Processor that calls the handlers of verified events: one at a time for each entity, within the timeout. If a store
 * is set, a handled event is not handled again.
 */
export class EventProcessor {
  readonly #options: ResolvedReceiverOptions
  readonly #reporter: Reporter
  readonly #claims: Claims | undefined
  readonly #deliveries = new EntityQueue()
  readonly #dispatched: EntityQueue
  readonly #failures = new FailureCounts()
  readonly #inFlight = new Map<string, Promise<DeliveryResult>>()

  constructor(options: ResolvedReceiverOptions, reporter: Reporter) {
    this.#options = options
    this.#reporter = reporter
    // With `enqueue`, deliveries must not wait for the handlers that `dispatch` runs, so `dispatch` has its own queue.
    this.#dispatched = options.enqueue === undefined ? this.#deliveries : new EntityQueue()
    if (options.dedupe === undefined) return
    this.#claims = new Claims(options, options.dedupe, (error) => reporter.storeFailure(error))
  }

  async process(
    event: WebhookEvent,
    deliveredAt: Date | undefined,
    deadline: DeliveryDeadline,
  ): Promise<DeliveryResult> {
    if (!isKnownEvent(event)) this.#reporter.unknownEvent(event)
    const handler = this.#options.enqueue ?? this.#handlerOf(event)
    if (handler === undefined) return { outcome: 'ignored', event }
    const job = { event, handler, deliveredAt, deadline }
    return this.#claims === undefined ? this.#handleInOrder(job) : this.#handleOnce(job)
  }

  async dispatch(event: WebhookEvent, context: Omit<WebhookContext, 'retrieve'>): Promise<void> {
    // A receiver with `enqueue` has already reported an unknown event at its delivery.
    if (this.#options.enqueue === undefined && !isKnownEvent(event)) this.#reporter.unknownEvent(event)
    const permit = this.#dispatched.acquire(event)
    let wasUsed = false
    try {
      await waitWithin(permit.ready, { signal: context.signal })
      context.signal.throwIfAborted()
      wasUsed = true
      await this.#handlerOf(event)?.(event, this.#withRetrieve(event, context))
    } finally {
      void permit.ready.then((isDone) => permit.release(wasUsed || isDone))
    }
  }

  #handlerOf(event: WebhookEvent): WebhookHandler | undefined {
    const { handlers } = this.#options
    const [kind] = event.eventName.split('.')
    return handlers.get(event.eventName) ?? handlers.get(`${kind}.*`) ?? handlers.get('*')
  }

  #withRetrieve(event: WebhookEvent, context: Omit<WebhookContext, 'retrieve'>): WebhookContext {
    return { ...context, retrieve: () => currentRecord(this.#options.client, event, context.signal) }
  }

  /** Handles an event once. A second delivery of the event waits for the result of the first, which can still fail. */
  async #handleOnce(job: Job): Promise<DeliveryResult> {
    const { eventUuid } = job.event
    const first = this.#inFlight.get(eventUuid)
    if (first !== undefined) return duplicateResult(first, job)
    const result = this.#handleInOrder(job)
    this.#inFlight.set(eventUuid, result)
    try {
      return await result
    } finally {
      this.#inFlight.delete(eventUuid)
    }
  }

  async #handleInOrder(job: Job): Promise<DeliveryResult> {
    const permit = this.#deliveries.acquire(job.event)
    const isEarlierDone = await job.deadline.within(permit.ready)
    if (isEarlierDone === TIMED_OUT || !isEarlierDone || job.deadline.isOver) {
      void permit.ready.then(permit.release)
      return busy(job.event)
    }
    let result: DeliveryResult | undefined
    try {
      result = await this.#claimAndRun(job)
      return result
    } finally {
      // If the handler has not finished, the error of the result is the signal's reason.
      const { aborted, reason } = job.deadline.signal
      const mayStillRun = aborted && result?.error === reason
      permit.release(!mayStillRun)
    }
  }

  async #claimAndRun(job: Job): Promise<DeliveryResult> {
    const { event, deadline } = job
    if (this.#claims === undefined) return this.#run(job)
    const claim = await this.#claims.acquire(event.eventUuid, deadline)
    if (!claim.acquired) {
      return claim.outcome === 'busy' ? busy(event) : { outcome: claim.outcome, event, error: claim.error }
    }
    if (!deadline.isOver) return this.#run(job)
    void this.#claims.release(event.eventUuid)
    return busy(event)
  }

  async #run(job: Job): Promise<DeliveryResult> {
    const { event, deadline } = job
    const { eventUuid } = event
    const context = this.#withRetrieve(event, {
      signal: deadline.signal,
      deliveredAt: job.deliveredAt,
      previousFailures: this.#failures.of(eventUuid),
    })
    const running = runHandler(job, context)
    const result = await deadline.within(running)
    if (result === TIMED_OUT) {
      this.#failures.add(eventUuid)
      if (this.#claims !== undefined) void this.#releaseTimedOut(eventUuid, running, this.#claims)
      const outcome = this.#options.enqueue === undefined ? 'timeout' : 'store-unavailable'
      return { outcome, event, error: deadline.signal.reason }
    }
    if (!result.ok) {
      this.#failures.add(eventUuid)
      await deadline.within(this.#claims?.release(eventUuid))
      const isUnavailable = isPathologyError(result.error, STORE_UNAVAILABLE)
      return { outcome: isUnavailable ? 'store-unavailable' : 'failed', event, error: result.error }
    }
    this.#failures.clear(eventUuid)
    await deadline.within(this.#claims?.confirm(eventUuid))
    return { outcome: this.#options.enqueue === undefined ? 'handled' : 'enqueued', event }
  }

  /**
   * Releases the claim of an event after a timeout, so that the next delivery handles the event. If the running handler
   * still succeeds, confirms the event.
   */
  async #releaseTimedOut(eventUuid: string, running: Promise<HandlerResult>, claims: Claims): Promise<void> {
    await claims.release(eventUuid)
    const { ok } = await running
    if (!ok) return
    this.#failures.clear(eventUuid)
    await claims.confirmLate(eventUuid)
  }
}

function busy(event: WebhookEvent): DeliveryResult {
  const error = new PathologyError(
    'The same event is still being handled or is still claimed, an earlier event of the same referral or result is still being handled, or the event could not be claimed in time. This delivery was not handled. The receiver responded with an error, so the service sends the event again.',
    { code: 'WEBHOOK_BUSY' },
  )
  return { outcome: 'busy', event, error }
}

async function duplicateResult(
  first: Promise<DeliveryResult>,
  { event, deadline }: Job,
): Promise<DeliveryResult> {
  const result = await deadline.within(first)
  if (result === TIMED_OUT) return busy(event)
  const isHandled = result.outcome === 'handled' || result.outcome === 'enqueued'
  return isHandled ? { outcome: 'duplicate', event } : result
}

async function runHandler({ event, handler }: Job, context: WebhookContext): Promise<HandlerResult> {
  try {
    await handler(event, context)
    return { ok: true }
  } catch (error) {
    return { ok: false, error }
  }
}

/** Maximum number of events whose failures are counted. */
const MAX_FAILED_EVENTS = 1_000

/**
 * Counts the failures of each event in this receiver. Above the maximum, deletes the count of the event that has not
 * failed for the longest time.
 */
class FailureCounts {
  readonly #counts = new Map<string, number>()

  of(eventUuid: string): number {
    return this.#counts.get(eventUuid) ?? 0
  }

  add(eventUuid: string): void {
    const count = this.of(eventUuid) + 1
    this.#counts.delete(eventUuid)
    this.#counts.set(eventUuid, count)
    const [oldest] = this.#counts.keys()
    if (this.#counts.size > MAX_FAILED_EVENTS && oldest !== undefined) this.#counts.delete(oldest)
  }

  clear(eventUuid: string): void {
    this.#counts.delete(eventUuid)
  }
}
