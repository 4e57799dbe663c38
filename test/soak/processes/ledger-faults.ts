import { setTimeout as sleep } from 'node:timers/promises'
import type { TcpProxy } from '../../support/tcp-proxy.js'
import type { Dice } from '../dice.js'

/** Server of a ledger that can be restarted. */
export interface LedgerServer extends AsyncDisposable {
  readonly url: string
  restart(): Promise<void>
}

/** Disconnects, delays and restarts the ledger until `stop` is called. */
export class LedgerFaults {
  readonly counts = new Map<string, number>()
  readonly #ended: Promise<void>
  readonly #end = new AbortController()

  constructor(server: LedgerServer, proxy: TcpProxy, dice: Dice) {
    this.#ended = this.#run(server, proxy, dice)
  }

  /** Stops after at least one fault. */
  async stop(): Promise<void> {
    this.#end.abort()
    await this.#ended
  }

  async #run(server: LedgerServer, proxy: TcpProxy, dice: Dice): Promise<void> {
    const faults = [
      { name: 'cut', weight: 4, begin: async () => proxy.cut() },
      { name: 'responses held back', weight: 4, begin: async () => proxy.holdAnswers() },
      { name: 'frozen', weight: 2, begin: async () => proxy.freeze() },
      { name: 'server restarted', weight: 2, begin: () => server.restart() },
    ]
    while (!this.#isOver || this.counts.size === 0) {
      await this.#sleep(1_500 + dice.below(2_000))
      if (this.#isOver && this.counts.size > 0) return
      const { name, begin } = dice.weighted(faults)
      this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
      await begin()
      await this.#sleep(200 + dice.below(2_300))
      proxy.restore()
    }
  }

  get #isOver(): boolean {
    return this.#end.signal.aborted
  }

  async #sleep(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#end.signal }).catch(() => undefined)
  }
}
