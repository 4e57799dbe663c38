import { PathologyError } from '../../common/errors.js'
import type { WebhookEvent } from '../../contract/events.js'
import { isKnownEvent } from '../known-event.js'
import { Claims } from './claims.js'
import { type DeliveryDeadline, PASSED } from './deadline.js'
import { EntityQueue, type Turn } from './entity-queue.js'
import { FailureCounts } from './failure-counts.js'
import type { WebhookContext, WebhookHandler } from './options.js'
import type { Verdict } from './outcomes.js'
import type { Reporter } from './reporter.js'
import type { ReceiverSettings } from './settings.js'

/** A verified event on its way to its handler. */
interface Job {
  readonly event: WebhookEvent
  readonly work: WebhookHandler
  readonly deliveredAt: Date | undefined
  readonly deadline: DeliveryDeadline
}

type Reconciled = { readonly ok: true } | { readonly ok: false; readonly error: unknown }

/** Takes verified events to their handlers: once each, one at a time for each entity, before the deadline. */
export class EventProcessor {
  readonly #settings: ReceiverSettings
  readonly #reporter: Reporter
  readonly #claims: Claims | undefined
  readonly #deliveries = new EntityQueue()
  readonly #dispatched: EntityQueue
  readonly #failures = new FailureCounts()
  readonly #underWay = new Map<string, Promise<Verdict>>()

  constructor(settings: ReceiverSettings, reporter: Reporter) {
    this.#settings = settings
    this.#reporter = reporter
    // Where deliveries are only enqueued, they do not wait for a worker.
    this.#dispatched = settings.enqueue === undefined ? this.#deliveries : new EntityQueue()
    if (settings.dedupe === undefined) return
    this.#claims = new Claims(settings, settings.dedupe, (error) => reporter.storeFailure(error))
  }

  /** Deals with one delivery's event. */
  async process(
    event: WebhookEvent,
    deliveredAt: Date | undefined,
    deadline: DeliveryDeadline,
  ): Promise<Verdict> {
    if (!isKnownEvent(event)) this.#reporter.unknownEvent(event)
    const work = this.#settings.enqueue ?? this.#handlerOf(event)
    if (work === undefined) return { outcome: 'ignored', event }
    const job = { event, work, deliveredAt, deadline }
    return this.#claims === undefined ? this.#inTurn(job, undefined) : this.#once(job, this.#claims)
  }

  /** Runs the handler of an event that was verified before, such as one taken from a queue. */
  async dispatch(event: WebhookEvent, context: WebhookContext): Promise<void> {
    // A receiver that enqueues has told of it at the delivery.
    if (this.#settings.enqueue === undefined && !isKnownEvent(event)) this.#reporter.unknownEvent(event)
    const turn = this.#dispatched.enter(entityOf(event))
    try {
      await turnOf(turn, context.signal)
      await this.#handlerOf(event)?.(event, context)
    } finally {
      void turn.ready.then(() => turn.leave(true))
    }
  }

  #handlerOf(event: WebhookEvent): WebhookHandler | undefined {
    return this.#settings.handlers.get(event.eventName) ?? this.#settings.handlers.get('*')
  }

  /** A duplicate of an event that is being handled right now shares its fate: it may yet fail. */
  async #once(job: Job, claims: Claims): Promise<Verdict> {
    const { eventUuid } = job.event
    const first = this.#underWay.get(eventUuid)
    if (first !== undefined) return shareFate(first, job)
    const verdict = this.#inTurn(job, claims)
    this.#underWay.set(eventUuid, verdict)
    try {
      return await verdict
    } finally {
      this.#underWay.delete(eventUuid)
    }
  }

  async #inTurn(job: Job, claims: Claims | undefined): Promise<Verdict> {
    const turn = this.#deliveries.enter(entityOf(job.event))
    const isDone = await job.deadline.within(turn.ready)
    if (isDone !== true || job.deadline.isOver) {
      void turn.ready.then(turn.leave)
      return busy(job.event)
    }
    let verdict: Verdict | undefined
    try {
      verdict = claims === undefined ? await this.#run(job) : await this.#claimAndRun(job, claims)
      return verdict
    } finally {
      turn.leave(verdict?.outcome !== 'timeout')
    }
  }

  async #claimAndRun(job: Job, claims: Claims): Promise<Verdict> {
    const { event, deadline } = job
    const claim = await claims.take(event.eventUuid, deadline)
    if (!claim.taken) {
      return claim.outcome === 'busy' ? busy(event) : { outcome: claim.outcome, event, error: claim.error }
    }
    if (!deadline.isOver) return this.#run(job, claims)
    void claims.release(event.eventUuid)
    return busy(event)
  }

  async #run(job: Job, claims?: Claims): Promise<Verdict> {
    const { event, deadline } = job
    const { eventUuid } = event
    const running = settle(job, this.#failures.of(eventUuid))
    const result = await deadline.within(running)
    if (result === PASSED) {
      this.#failures.add(eventUuid)
      if (claims !== undefined) void this.#releaseOverrun(eventUuid, running, claims)
      return { outcome: 'timeout', event, error: deadline.signal.reason }
    }
    if (!result.ok) {
      this.#failures.add(eventUuid)
      await deadline.within(claims?.release(eventUuid))
      return { outcome: 'failed', event, error: result.error }
    }
    this.#failures.clear(eventUuid)
    await deadline.within(claims?.confirm(eventUuid))
    return { outcome: this.#settings.enqueue === undefined ? 'handled' : 'enqueued', event }
  }

  /** The next attempt may claim the event at once, unless the work comes to a good end after all. */
  async #releaseOverrun(eventUuid: string, running: Promise<Reconciled>, claims: Claims): Promise<void> {
    await claims.release(eventUuid)
    const { ok } = await running
    if (!ok) return
    this.#failures.clear(eventUuid)
    await claims.confirmLate(eventUuid)
  }
}

/** Waits for a turn until the signal aborts. */
async function turnOf({ ready }: Turn, signal: AbortSignal): Promise<void> {
  let abort = (): void => undefined
  const aborted = new Promise<void>((resolve) => {
    abort = resolve
  })
  signal.addEventListener('abort', abort, { once: true })
  await Promise.race([ready, aborted])
  signal.removeEventListener('abort', abort)
  signal.throwIfAborted()
}

/** Events of one referral or result come in order (§6); an event without an entity stands alone. */
function entityOf({ data, eventUuid }: WebhookEvent): string {
  return typeof data['uuid'] === 'string' ? data['uuid'] : eventUuid
}

function busy(event: WebhookEvent): Verdict {
  const error = new PathologyError(
    'The same event, or an earlier one of the same referral or result, is still being handled. This delivery was not handled; it was answered with an error, so the service sends it again.',
    { code: 'WEBHOOK_BUSY' },
  )
  return { outcome: 'busy', event, error }
}

async function shareFate(first: Promise<Verdict>, { event, deadline }: Job): Promise<Verdict> {
  const verdict = await deadline.within(first)
  if (verdict === PASSED) return busy(event)
  const handled = verdict.outcome === 'handled' || verdict.outcome === 'enqueued'
  return handled ? { outcome: 'duplicate', event } : verdict
}

async function settle({ event, work, deliveredAt, deadline }: Job, failures: number): Promise<Reconciled> {
  const context: WebhookContext = { signal: deadline.signal, deliveredAt, previousFailures: failures }
  try {
    await work(event, context)
    return { ok: true }
  } catch (error) {
    return { ok: false, error }
  }
}
