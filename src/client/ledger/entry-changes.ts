import { ignore } from '../../common/errors.js'
import type { ResolvedOptions } from '../call/request-options.js'
import type { Deadline } from '../core/deadline.js'
import type { LedgerSession } from './ledger-session.js'
import type { OrderName } from './order-ledger.js'

/** Minimum pause between two polls, in milliseconds. */
const SHORTEST_PAUSE_MS = 100

/** Upper limit of a pause, in milliseconds: its first value, which grows from poll to poll, and its highest value. */
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 1_000

/**
 * Waits for changes of an entry that another call holds. Polls the ledger, and also uses the ledger's `watch` if the
 * ledger has this function.
 */
export class EntryChanges {
  readonly #session: LedgerSession
  readonly #name: OrderName
  readonly #options: Pick<ResolvedOptions, 'clock' | 'random'>
  #bound = FIRST_PAUSE_MS
  #isWatched = false
  #hasChanged = false
  #stopWatching: () => void = ignore
  #wake: () => void = ignore

  constructor(session: LedgerSession, name: OrderName, options: Pick<ResolvedOptions, 'clock' | 'random'>) {
    this.#session = session
    this.#name = name
    this.#options = options
  }

  /** Resolves when the entry has changed or should be polled. Rejects as soon as the call ends. */
  async wait(deadline: Deadline): Promise<void> {
    if (!this.#isWatched) {
      this.#isWatched = true
      this.#stopWatching = this.#session.watch(this.#name, this.#onChange)
      // The entry may have changed before the ledger had the listener.
      if (this.#stopWatching !== ignore) return
    }
    if (!this.#hasChanged) await deadline.race(this.#next())
    this.#hasChanged = false
  }

  stop(): void {
    this.#stopWatching()
    this.#wake()
  }

  readonly #onChange = (): void => {
    this.#hasChanged = true
    this.#wake()
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      // The ledger in the memory of this client reports each change and has no leases, so it is not polled.
      const timer = this.#session.options.isPrivate ? undefined : this.#poll(resolve)
      this.#wake = () => {
        timer?.cancel()
        resolve()
      }
    })
  }

  #poll(resolve: () => void) {
    const { clock, random } = this.#options
    const pause = SHORTEST_PAUSE_MS + random() * (this.#bound - SHORTEST_PAUSE_MS)
    this.#bound = Math.min(LONGEST_PAUSE_MS, this.#bound * 1.5)
    return clock.schedule(resolve, pause)
  }
}
