import { ConfigurationError, isPathologyError, PathologyError } from '../common/errors.js'
import { errorName, LimitedLog } from '../common/logger.js'
import { waitWithin } from '../common/time-limit.js'
import type { Database } from '../database/database.js'
import { databaseLimits, sqlState } from '../database/failures.js'
import { openDatabase } from '../database/open.js'
import { registerConsumers } from './changes/consumers.js'
import type { MirrorContext, PointHook } from './core/context.js'
import { changeLockNumber } from './core/locks.js'
import { createWork, type MirrorWork } from './jobs.js'
import {
  checkPool,
  type OpenedOptions,
  openedOptions,
  type ResolvedMirrorOptions,
  requiredConnections,
} from './resolve-options.js'
import { checkDatabase } from './schema/check-database.js'
import { isDatabaseUnavailable, MirrorDatabase } from './schema/mirror-database.js'
import { pacedMs, type WorkUntil } from './sweep/sweeps.js'
import { pause } from './work/backoff.js'
import { ServiceContact } from './work/contact.js'
import { registerSchedules, runSchedules } from './work/schedules.js'
import { WakeChannel } from './work/wake-channel.js'
import { WorkTable } from './work/work-table.js'
import { stoppedError, Worker } from './work/worker.js'

/** Interval at which `workUntil` checks its condition, in milliseconds. */
const CONDITION_MS = 20

/** Shortest interval at which `workUntil` reports the progress of its own work, in milliseconds. */
const PROGRESS_MS = 500

/** Pause between two attempts to start while the database does not respond. */
const START_PAUSE_MS = 1_000

interface Opened {
  readonly context: MirrorContext
  readonly options: OpenedOptions
  readonly worker: Worker
  readonly channel: WakeChannel | undefined
  readonly work: MirrorWork
}

/** The running parts of a mirror. Opens the database on first use, and runs the mirror's work. */
export class Runtime {
  readonly #options: ResolvedMirrorOptions
  readonly #point: PointHook
  #opening: Promise<Opened> | undefined
  #stopped = new AbortController()
  #stopping: Promise<void> | undefined

  constructor(options: ResolvedMirrorOptions, point: PointHook) {
    this.#options = options
    this.#point = point
  }

  /** Opens and migrates the database, once. After a failure, the next call tries again. */
  readonly ready = async (): Promise<MirrorContext> => (await this.#opened()).context

  /** Starts the work of this process, as soon as the database responds. */
  async start(signal: AbortSignal | undefined): Promise<void> {
    if (this.#stopped.signal.aborted) this.#stopped = new AbortController()
    const stopped = this.#stopped.signal
    const ended = signal === undefined ? stopped : AbortSignal.any([signal, stopped])
    for (let attempt = 1; ; attempt += 1) {
      ended.throwIfAborted()
      try {
        return await waitWithin(this.#start(ended), { signal: ended, ...databaseLimits() })
      } catch (error) {
        if (ended.aborted || !isDatabaseUnavailable(error)) throw error
        if (sqlState(error) === READ_ONLY) throw readOnly(error)
        if (attempt === 1) this.#warnUnavailable(error)
      }
      await pause(START_PAUSE_MS, ended)
    }
  }

  async #start(ended: AbortSignal): Promise<void> {
    const { context, options, worker, channel, work } = await this.#opened()
    checkPool(context.database.database, options)
    await registerSchedules(context.database, work.schedules)
    ended.throwIfAborted()
    await channel?.open()
    await work.started()
    ended.throwIfAborted()
    // Nothing after this line can reject, so a rejected `start` never leaves a running worker.
    worker.start()
    worker.wake()
  }

  /** Processes due work until a condition holds. If the worker has started, only waits for the condition. */
  readonly workUntil: WorkUntil = async (isDone, onProgress, signal) => {
    const { worker } = await this.#opened()
    let shownAt = performance.now()
    const show = async (): Promise<void> => {
      if (performance.now() - shownAt < PROGRESS_MS) return
      await onProgress()
      shownAt = performance.now()
    }
    while (!(await isDone())) {
      signal?.throwIfAborted()
      worker.throwIfStopping()
      if (!worker.isStarted) await worker.drain(signal, show)
      await pause(CONDITION_MS, signal)
    }
  }

  async drain(signal: AbortSignal | undefined): Promise<void> {
    const { worker } = await this.#opened()
    await worker.drain(signal)
  }

  /**
   * Waits up to 10 s for running work, aborts the rest, and closes the database. Every call resolves when the database
   * is closed.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#close().finally(() => {
      this.#stopping = undefined
    })
    return this.#stopping
  }

  async #close(): Promise<void> {
    this.#stopped.abort(stoppedError())
    const opening = this.#opening
    this.#opening = undefined
    const opened = await opening?.catch(() => undefined)
    if (opened === undefined) return
    const { context, worker, channel } = opened
    await channel?.close()
    await worker.stop()
    await context.database.database.close()
  }

  #opened(): Promise<Opened> {
    if (this.#opening === undefined) {
      const opening = this.#open()
      this.#opening = opening
      opening.catch(() => {
        if (this.#opening === opening) this.#opening = undefined
      })
    }
    return this.#opening
  }

  async #open(): Promise<Opened> {
    let database: Database | undefined
    try {
      const { source, concurrency = 0 } = this.#options
      database = await openDatabase(source, requiredConnections(concurrency))
      return await this.#assemble(database)
    } catch (error) {
      await database?.close()
      throw openingError(error)
    }
  }

  /** Warns that the start waits for the database. Without a logger, emits a process warning. */
  #warnUnavailable(error: unknown): void {
    const { logger } = this.#options
    const code = errorName(isPathologyError(error) ? (error.cause ?? error) : error)
    const text = `mirror: the database does not respond (${code}). Until it does, deliveries of events get a 503, and the service repeats them. The start is repeated every second`
    if (logger.isSet) logger.warn(text)
    else process.emitWarning(text, 'PathologyWarning')
  }

  async #assemble(database: Database): Promise<Opened> {
    const { schema, organisations, logger, migrations, consumers, rowSecurity, fetchAttempts } = this.#options
    const options = openedOptions(this.#options, database)
    const named = new MirrorDatabase(database, schema)
    await checkDatabase(named)
    // Loaded here, because only the start needs the SQL of the tables.
    const { migrate } = await import('./schema/migrate.js')
    await migrate(named, migrations)
    if (rowSecurity) {
      const { secureRows } = await import('./schema/row-security.js')
      await secureRows(named, migrations)
    }
    const table = new WorkTable(named)
    // All leases are from an earlier run, because no other process or mirror can use the database.
    if (database.isExclusive) await table.releaseAll()
    const wake = (): void => worker.wake()
    const isListening = options.listen && database.listen !== undefined
    const channel = isListening ? new WakeChannel(database, schema, wake, logger) : undefined
    const names = [...organisations.keys()]
    const contact = new ServiceContact({ database: named, table, logger, wake, organisations: names })
    const context: MirrorContext = {
      database: named,
      table,
      contact,
      organisations,
      fetchAttempts,
      logger,
      failedWork: new LimitedLog((line) => logger.error(line)),
      point: this.#point,
      changeLock: changeLockNumber(schema),
      wake: () => {
        wake()
        channel?.notify()
      },
    }
    await registerConsumers(context, consumers.values())
    const work = createWork(context, options)
    const worker = new Worker({
      ...options,
      ...{ table, contact, jobs: work.jobs, organisations: names },
      tick: async (signal) => {
        await runSchedules(named, table, work.schedules, signal)
        await contact.load(signal)
      },
      claimed: () => this.#point('claimed'),
      pacedMs: () => pacedMs(context),
    })
    return { context, options, worker, channel, work }
  }
}

/** SQLSTATE of a statement that a read-only database refuses. */
const READ_ONLY = '25006'

function readOnly(cause: unknown): ConfigurationError {
  return new ConfigurationError(
    'createMirror: the database is read-only, so nothing was started. It is a replica, or default_transaction_read_only is on. Use the primary server, and a role and database that may write',
    { code: 'DATABASE_READ_ONLY', cause },
  )
}

/** Frequent reasons why a database cannot be opened, by SQLSTATE. */
const OPENING_PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['28P01', 'the server rejects the password of this user'],
  ['28000', 'the server rejects this user'],
  ['3D000', 'the server has no database of this name'],
])

/**
 * Converts an error of the driver to an error with advice. The driver's message stays in `cause`, because it can
 * contain the address of the database.
 */
function openingError(error: unknown): unknown {
  if (isPathologyError(error)) return error
  const isUnavailable = isDatabaseUnavailable(error)
  const problem = OPENING_PROBLEMS.get(sqlState(error) ?? '')
  return new PathologyError(
    `The database ${isUnavailable ? 'is not ready' : 'could not be opened'}${problem === undefined ? '' : `: ${problem}`} (${errorName(error)}). No record was changed. Check the database, its address, the user and the password.`,
    {
      code: isUnavailable ? 'DATABASE_UNAVAILABLE' : 'DATABASE_NOT_OPENED',
      cause: error,
      retryable: isUnavailable,
    },
  )
}
