import { ConfigurationError } from '../common/errors.js'
import type { Referral, Result } from '../contract/types.js'
import type { WebhookReceiver } from '../webhooks/create.js'
import type { Change } from './changes/change.js'
import { DeadLetters } from './changes/dead.js'
import { type FeedOptions, readChanges } from './changes/feed.js'
import type { ReplayOptions } from './changes/replay.js'
import { DocumentCopies } from './copy/document-bytes.js'
import type { PointHook } from './core/context.js'
import { CentreDirectory } from './directory/centre-directory.js'
import { createInbox } from './inbox/receive.js'
import { methodOptions } from './method-options.js'
import type { MirrorOptions } from './options.js'
import { type ResolvedMirrorOptions, resolveMirrorOptions } from './resolve-options.js'
import { Runtime } from './runtime.js'
import type { EraseOptions, EraseReport } from './status/erase.js'
import { RecordHistory } from './status/history.js'
import type { MirrorStatus } from './status/status.js'
import type { SweepName, SweepReport } from './sweep/report.js'
import { type BackfillOptions, type SweepRunOptions, Sweeps } from './sweep/sweeps.js'
import type { VerifyOptions, VerifyReport } from './sweep/verify.js'

/**
 * A durable copy of organisations' referrals and results in Postgres. The mirror receives webhooks, reads the records
 * that they announce, and calls your handlers for each change. A failed call of a handler is repeated, up to the option
 * `attempts`. Any number of processes can share one Postgres server. PGlite is for one process.
 *
 * Each method checks its options before it uses the database. A method throws a `ConfigurationError` for an unknown or
 * invalid option. A method throws a {@link PathologyError} with the code `UNKNOWN_ORGANISATION` if the option
 * `organisation` is not a name from `createMirror`.
 *
 * The first method that needs the database opens and migrates it. A method throws a {@link PathologyError} with the
 * code `DATABASE_UNAVAILABLE` or `DATABASE_TIMEOUT` if the database does not respond. Only {@link Mirror.start} waits
 * for the database.
 */
export class Mirror implements AsyncDisposable {
  /** Lists and retries work that has failed too often. Skips changes whose handler failed too often. */
  readonly dead: DeadLetters
  /** Returns the PDFs in the copy. */
  readonly documents: DocumentCopies
  /** Returns referrals as the copy had them at a time. */
  readonly referrals: RecordHistory<Referral>
  /** Returns results as the copy had them at a time. */
  readonly results: RecordHistory<Result>
  /** Searches the copy of the collection centre directory. */
  readonly centres: CentreDirectory
  readonly #options: ResolvedMirrorOptions
  readonly #runtime: Runtime
  readonly #sweeps: Sweeps
  readonly #receivers = new Map<string, WebhookReceiver>()

  /** @param point - Called at each step of the mirror's work, for tests. */
  constructor(options: ResolvedMirrorOptions, point: PointHook) {
    this.#options = options
    this.#runtime = new Runtime(options, point)
    const { ready } = this.#runtime
    this.dead = new DeadLetters(ready)
    this.documents = new DocumentCopies(ready, options.documents)
    this.referrals = new RecordHistory(ready, 'referral')
    this.results = new RecordHistory(ready, 'result')
    this.centres = new CentreDirectory(ready)
    this.#sweeps = new Sweeps(this.#runtime.ready, this.#runtime.workUntil)
    for (const organisation of options.organisations.values()) {
      if (organisation.secret === undefined) continue
      this.#receivers.set(organisation.name, createInbox(organisation, this.#runtime.ready, options.logger))
    }
  }

  /**
   * Receiver of webhooks, for a mirror of one organisation: `http.createServer(mirror.receiver.node)`. The receiver
   * responds with 200 when the event is committed. The receiver responds with 503 while the database does not respond.
   *
   * @throws {@link ConfigurationError} without a `secret`, or with several organisations.
   */
  get receiver(): WebhookReceiver {
    const [name, ...others] = this.#options.organisations.keys()
    if (name === undefined || others.length > 0) {
      throw new ConfigurationError(
        'mirror.receiver: each of several organisations has its own receiver; use mirror.receiverOf(name)',
      )
    }
    return this.receiverOf(name)
  }

  /**
   * Returns the receiver of one organisation's webhooks.
   *
   * @throws {@link ConfigurationError} if the organisation is unknown or has no `secret`.
   */
  receiverOf(organisation: string): WebhookReceiver {
    const receiver = this.#receivers.get(organisation)
    if (receiver !== undefined) return receiver
    const reason = this.#options.organisations.has(organisation)
      ? 'the organisation has no secret, so its webhooks cannot be verified: set secret'
      : 'there is no organisation of this name; use a name from the options of createMirror'
    throw new ConfigurationError(`mirror.receiverOf: ${reason}`)
  }

  /**
   * Opens and migrates the database, and starts the work of this process. Resolves when the work has started. A service
   * can start before its database: `start` logs one warning and tries again every second while the database cannot be
   * reached. Without the option `logger`, `start` emits a process warning instead.
   *
   * @param options - `signal` ends the wait for the database: `start` rejects with the signal's reason. {@link
   * Mirror.stop} ends the wait too, with the code `MIRROR_STOPPED`.
   * @throws {@link ConfigurationError} in these cases:
   * - Missing migrations or row security may not be applied.
   * - The schema is too new.
   * - The pool is too small, or the driver is not installed.
   * - Another process or mirror uses the PGlite directory.
   * @throws {@link PathologyError} with the code `DATABASE_NOT_OPENED` if the database rejects the user. Also for
   * another error that a further attempt cannot solve.
   */
  async start(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    return this.#runtime.start(methodOptions('start', options).signal)
  }

  /**
   * Stops claiming work, waits up to 10 s for running work, and closes the pool or the PGlite that the mirror has
   * opened. Work that takes longer is aborted. Another process repeats the aborted work, or this process after its next
   * start.
   */
  stop(): Promise<void> {
    return this.#runtime.stop()
  }

  /** Calls {@link Mirror.stop}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  /**
   * Processes all due work, with or without `start`. Use `drain` in tests, scheduled jobs and serverless functions.
   * `drain` waits for the delayed steps of a running sweep, but not for work that waits for another attempt.
   *
   * @param options - `signal` ends the wait: `drain` rejects with the signal's reason. Work that has begun continues.
   * @throws {@link PathologyError} with the code `MIRROR_STOPPED` if {@link Mirror.stop} is called meanwhile.
   */
  async drain(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    return this.#runtime.drain(methodOptions('drain', options).signal)
  }

  /**
   * Reads all records of the service into the copy. Continues a backfill that was interrupted. A backfill that has
   * failed too often (`attempts.fetch`) begins again. Organisations with a finished backfill are left out, except with
   * `restart: true`. If no organisation remains, `backfill` returns the report of the finished backfill at once. You
   * can call `backfill` with or without `start`. The first `start` with an organisation also begins its backfill.
   *
   * @throws {@link PathologyError} with the code `SWEEP_FAILED` if the backfill cannot continue.
   * @throws {@link PathologyError} with the code `MIRROR_STOPPED` if {@link Mirror.stop} is called meanwhile.
   */
  async backfill(options: BackfillOptions = {}): Promise<SweepReport> {
    return this.#sweeps.backfill(methodOptions('backfill', options))
  }

  /**
   * Reads records of the service again, as the schedules do. `recent` finds new records. `open` finds
   * progress, corrections and late releases. `everything` also finds differences in older records. If the same sweep is
   * already running, `sweep` waits for it and returns its report. A sweep also waits for the end of a backfill, unless
   * the last attempt of the backfill failed. During an outage of the service, `sweep` and `backfill` wait for its end.
   *
   * @throws {@link PathologyError} with the code `SWEEP_FAILED` if the sweep cannot continue, for example because the
   * service rejects the credentials.
   * @throws {@link PathologyError} with the code `MIRROR_STOPPED` if {@link Mirror.stop} is called meanwhile.
   * @throws {@link PathologyError} with the code `TOO_MANY_GONE` if more than 20 records of an organisation, and
   * more than 2 % of its records, are missing from the service. Not thrown with `acceptGone`.
   */
  async sweep(name: SweepName, options: SweepRunOptions = {}): Promise<SweepReport> {
    return this.#sweeps.sweep(name, methodOptions('sweep', options))
  }

  /**
   * Compares the copy with the service, and changes nothing. A change of the service that the copy does not have yet
   * counts as a difference.
   *
   * @returns The number of compared records, and the differences. A difference has the names of fields, but no values.
   * @throws The errors of the client if a record or a list cannot be read.
   */
  async verify(options: VerifyOptions = {}): Promise<VerifyReport> {
    const own = methodOptions('verify', options)
    const { Verifier } = await import('./sweep/verify.js')
    return new Verifier(await this.#runtime.ready(), own).run()
  }

  /**
   * Returns changes in the order of their positions. Store the position of the last change, and pass it as `after` in
   * the next call.
   *
   * @example
   * ```ts
   * for await (const change of mirror.changes({ after: position })) await index(change)
   * ```
   */
  changes(options: FeedOptions = {}): AsyncGenerator<Change, void, undefined> {
    return readChanges(this.#runtime.ready, this.#options.pollMs, methodOptions('changes', options))
  }

  /**
   * Makes changes due for delivery to a consumer again, for example after a handler was fixed. Does not wait for the
   * deliveries.
   *
   * @returns The number of groups with changes to deliver. A group is a referral with its results, or a result without
   * a referral.
   * @throws {@link ConfigurationError} if no selected organisation has a consumer of this name.
   */
  async replay(options: ReplayOptions): Promise<number> {
    const own = methodOptions('replay', options)
    const { replayChanges } = await import('./changes/replay.js')
    return replayChanges(await this.#runtime.ready(), own)
  }

  /** Returns the state of the copy: its lag, failed work and the results of sweeps. The state has no personal data. */
  async status(): Promise<MirrorStatus> {
    const { readStatus } = await import('./status/status.js')
    return readStatus(await this.#runtime.ready(), this.#consumers())
  }

  /** Returns {@link status} in the text format of Prometheus, for a route such as `/metrics`. */
  async metrics(): Promise<string> {
    const { metricsText } = await import('./status/metrics.js')
    return metricsText(await this.status())
  }

  /**
   * Permanently erases a referral with all its results. `uuid` can be the referral's or a result's. Also erases the
   * biomarkers, the PDFs, and the records in events and changes. UUIDs, names of events, statuses and times remain.
   * A started process with the object store in `documents` deletes PDFs there soon afterwards, unless another record
   * has the same PDF. Each consumer gets a change with the action `erased` for each record. No event, sweep or backfill
   * restores the records. If the copy does not have a record with this UUID, the mirror never stores one later.
   */
  async erase(options: EraseOptions): Promise<EraseReport> {
    const own = methodOptions('erase', options)
    const { erase } = await import('./status/erase.js')
    return erase(await this.#runtime.ready(), own)
  }

  /**
   * Removes a consumer of this mirror's organisations. First remove the consumer from the options of every process.
   * Otherwise a process adds the consumer again at its next start. Undelivered changes of a consumer without handlers
   * accumulate until the consumer is removed.
   *
   * @returns The number of organisations in which the consumer existed.
   * @throws {@link ConfigurationError} if this process has handlers of the consumer.
   * @throws {@link PathologyError} with the code `DATABASE_UNAVAILABLE` if another program, such as a backup, locks the
   * table of the consumers for more than about 12 s.
   */
  async removeConsumer(name: string): Promise<number> {
    const { removeConsumer } = await import('./changes/consumers.js')
    return removeConsumer(await this.#runtime.ready(), name, this.#consumers())
  }

  #consumers(): ReadonlySet<string> {
    return new Set(this.#options.consumers.keys())
  }
}

/**
 * Creates a mirror. The mirror opens nothing until it is used.
 *
 * @throws {@link ConfigurationError} for an invalid option. The message names the option and its rule.
 * @throws `WebhookVerificationError` for a `secret` that is empty, or that begins or ends with white space.
 *
 * @example
 * ```ts
 * const mirror = createMirror({
 *   database: new pg.Pool(),
 *   client: new PathologyClient(),
 *   secret: process.env.PATHOLOGY_WEBHOOK_SECRET,
 *   on: {
 *     result: async ({ uuid }, { tx }) => {
 *       await tx.query('INSERT INTO inbox_items (result_uuid) VALUES ($1) ON CONFLICT DO NOTHING', [uuid])
 *     },
 *   },
 * })
 * await mirror.start()
 * http.createServer(mirror.receiver.node).listen(8080)
 * ```
 */
export function createMirror(options: MirrorOptions): Mirror {
  return assembleMirror(options)
}

/**
 * Creates a mirror with a function that is called at each step of its work, for tests.
 *
 * @internal
 */
export function assembleMirror(options: MirrorOptions, point: PointHook = () => undefined): Mirror {
  return new Mirror(resolveMirrorOptions(options), point)
}
