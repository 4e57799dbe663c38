import type { Database } from '../../database/database.js'

const RETRY_MS = 5_000

/** Pause between two notifications: one wakes a machine for all work of that time. */
const NOTIFY_MS = 50

/** Notifies other machines of new work by LISTEN and NOTIFY. Polling finds whatever a notification misses. */
export class WakeChannel {
  readonly #database: Database
  readonly #channel: string
  readonly #isUsed: boolean
  readonly #wake: () => void
  #stop: (() => Promise<void>) | undefined
  #retry: NodeJS.Timeout | undefined
  #pending: NodeJS.Timeout | undefined
  #isClosed = true

  /** @param isUsed - Whether this machine notifies others. On PGlite there are no others. */
  constructor(database: Database, schema: string, isUsed: boolean, wake: () => void) {
    this.#database = database
    this.#channel = `${schema}_work`
    this.#isUsed = isUsed && database.kind === 'postgres'
    this.#wake = wake
  }

  /** Listens, and listens again when the connection is lost. */
  async open(): Promise<void> {
    this.#isClosed = false
    if (this.#isUsed) await this.#listen()
  }

  /** Notifies the other machines, unless it has just done so. */
  notify(): void {
    if (!this.#isUsed || this.#pending !== undefined) return
    this.#pending = setTimeout(() => {
      this.#pending = undefined
      // A lost notification only costs the time until the next poll.
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
    } catch {
      this.#listenLater()
    }
  }

  #listenLater(): void {
    this.#stop = undefined
    if (this.#isClosed) return
    this.#retry = setTimeout(() => void this.#listen(), RETRY_MS)
    this.#retry.unref()
  }
}
