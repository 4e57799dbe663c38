import { setTimeout as sleep } from 'node:timers/promises'
import type { TcpProxy } from '../../support/tcp-proxy.js'
import type { Dice } from '../dice.js'

/** Server of a ledger that can be restarted. */
export interface LedgerServer extends AsyncDisposable {
  readonly url: string
  restart(): Promise<void>
}

/** Cuts, delays and restarts the ledger until it is told to end. */
export class LedgerWeather {
  readonly counts = new Map<string, number>()
  readonly #ended: Promise<void>
  #isOver = false

  constructor(server: LedgerServer, proxy: TcpProxy, dice: Dice) {
    this.#ended = this.#blow(server, proxy, dice)
  }

  async calm(): Promise<void> {
    this.#isOver = true
    await this.#ended
  }

  async #blow(server: LedgerServer, proxy: TcpProxy, dice: Dice): Promise<void> {
    const gusts = [
      { name: 'cut', weight: 4, begin: async () => proxy.cut() },
      { name: 'answers held back', weight: 4, begin: async () => proxy.holdAnswers() },
      { name: 'frozen', weight: 2, begin: async () => proxy.freeze() },
      { name: 'server restarted', weight: 2, begin: () => server.restart() },
    ]
    while (!this.#isOver) {
      await sleep(1_500 + dice.below(2_000))
      const { name, begin } = dice.weighted(gusts)
      this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
      await begin()
      await sleep(200 + dice.below(2_300))
      proxy.restore()
    }
  }
}
