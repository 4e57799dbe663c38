import type { SafeLogger } from '../../common/logger.js'
import type { Database } from '../../database/database.js'

/** Pause before the channel listens again. The pause is doubled after each failure, up to the maximum. */
const RETRY_MS = 250
const MAX_RETRY_MS = 5_000

/** Delay of a notification, in milliseconds. One notification covers all work that becomes due during the delay. */
const NOTIFY_MS = 50

/** Time in which the first notification must arrive, in milliseconds. */
const CHECK_MS = 2_000

/**
 * Channel that notifies other processes of new work by LISTEN and NOTIFY. Polling finds work whose notification was
 * lost.
 */
export class WakeChannel {
  readonly #database: Database
  readonly #channel: string
  readonly #wake: () => void
  readonly #logger: SafeLogger
  #stop: (() => Promise<void>) | undefined
  #retry: NodeJS.Timeout | undefined
  #pending: NodeJS.Timeout | undefined
  #check: NodeJS.Timeout | undefined
  #isClosed = true
  #isHeard = false
  #failures = 0

  constructor(database: Database, schema: string, wake: () => void, logger: SafeLogger) {
    this.#database = database
    this.#channel = `${schema}_work`
    this.#wake = () => {
      this.#isHeard = true
      wake()
    }
    this.#logger = logger
  }

  /** Listens, and listens again when the connection is lost. */
  async open(): Promise<void> {
    if (!this.#isClosed) return
    this.#isClosed = false
    await this.#listen()
    this.#isHeard = false
    this.#check = setTimeout(() => this.#warnUnlessHeard(), CHECK_MS)
    this.#check.unref()
    this.notify()
  }

  /** Notifies the other processes after a short delay, unless a notification is already pending. */
  notify(): void {
    if (this.#pending !== undefined) return
    this.#pending = setTimeout(() => {
      this.#pending = undefined
      // If the notification is lost, the next poll finds the work.
      this.#database.run('SELECT pg_notify($1, $2)', [this.#channel, '']).catch(() => undefined)
    }, NOTIFY_MS)
    this.#pending.unref()
  }

  /** Stops listening and notifying. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retry)
    clearTimeout(this.#pending)
    clearTimeout(this.#check)
    this.#pending = undefined
    await this.#stop?.()
    this.#stop = undefined
  }

  /** Behind a transaction pooler, LISTEN succeeds, but no notification arrives. */
  #warnUnlessHeard(): void {
    if (this.#isHeard || this.#stop === undefined) return
    this.#logger.warn(
      'mirror: listen is true, but no notification arrives, as behind a transaction pooler such as pgbouncer. New work of other processes is found by polling. Connect this process to Postgres directly, or leave listen out',
    )
  }

  async #listen(): Promise<void> {
    try {
      this.#stop = await this.#database.listen?.(this.#channel, this.#wake, () => this.#listenLater())
      this.#failures = 0
      // Notifications may have been lost while there was no connection.
      this.#wake()
      if (this.#isClosed) await this.close()
    } catch {
      this.#failures += 1
      this.#listenLater()
    }
  }

  #listenLater(): void {
    this.#stop = undefined
    if (this.#isClosed) return
    const delayMs = Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** this.#failures)
    this.#retry = setTimeout(() => void this.#listen(), delayMs)
    this.#retry.unref()
  }
}
