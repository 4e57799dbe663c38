import type { Database } from '../../database/database.js'

/** Pause before the channel listens again. The pause is doubled after each failure, up to the maximum. */
const RETRY_MS = 250
const MAX_RETRY_MS = 5_000

/** Delay of a notification, in milliseconds. One notification covers all work that becomes due during the delay. */
const NOTIFY_MS = 50

/**
 * Channel that notifies other processes of new work by LISTEN and NOTIFY. Polling finds work whose notification was
 * lost.
 */
export class WakeChannel {
  readonly #database: Database
  readonly #channel: string
  readonly #isUsed: boolean
  readonly #wake: () => void
  #stop: (() => Promise<void>) | undefined
  #retry: NodeJS.Timeout | undefined
  #pending: NodeJS.Timeout | undefined
  #isClosed = true
  #failures = 0

  /**
   * @param isUsed - Whether this process notifies other processes and listens to them. Ignored with PGlite, which only
   * one process can use.
   */
  constructor(database: Database, schema: string, isUsed: boolean, wake: () => void) {
    this.#database = database
    this.#channel = `${schema}_work`
    this.#isUsed = isUsed && database.kind === 'postgres'
    this.#wake = wake
  }

  /** Listens, and listens again when the connection is lost. */
  async open(): Promise<void> {
    if (!this.#isClosed) return
    this.#isClosed = false
    if (this.#isUsed) await this.#listen()
  }

  /** Notifies the other processes after a short delay, unless a notification is already pending. */
  notify(): void {
    if (!this.#isUsed || this.#pending !== undefined) return
    this.#pending = setTimeout(() => {
      this.#pending = undefined
      // If the notification is lost, the next poll finds the work.
      this.#database.query('SELECT pg_notify($1, $2)', [this.#channel, '']).catch(() => undefined)
    }, NOTIFY_MS)
    this.#pending.unref()
  }

  /** Stops listening and notifying. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retry)
    clearTimeout(this.#pending)
    this.#pending = undefined
    await this.#stop?.()
    this.#stop = undefined
  }

  async #listen(): Promise<void> {
    try {
      this.#stop = await this.#database.listen(this.#channel, this.#wake, () => this.#listenLater())
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
