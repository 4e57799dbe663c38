import { type Clock, systemClock } from '../../common/clock.js'
import { ignore } from '../../common/errors.js'
import { ownOptions } from '../../common/known-options.js'
import { Lazy } from '../../common/lazy-import.js'
import type { MemoryEntries } from './memory-entries.js'
import { type LedgerNames, type ManagedOrderLedger, NamedLedger, type OrderLedger } from './order-ledger.js'

/**
 * Creates a ledger in the memory of this process. Each client has its own ledger by default. Pass one ledger as
 * `orderLedger` to share it between several clients of a process.
 *
 * The ledger keeps the last 5,000 orders with a known outcome, and all orders with an unknown outcome. It loses
 * everything when the process ends. Use `postgresOrderLedger` or `redisOrderLedger` for orders that must be placed once
 * across restarts and processes.
 *
 * @param options - `clock`: clock for tests. Default: the clock of the machine.
 */
export function memoryOrderLedger(
  options: LedgerNames & { readonly clock?: Clock | undefined } = {},
): ManagedOrderLedger & Required<Pick<OrderLedger, 'watch'>> {
  const { clock = systemClock, ...names } = ownOptions(OWNER, options, OPTION_NAMES)
  return new MemoryOrderLedger(clock, names)
}

const OWNER = 'memoryOrderLedger'

const OPTION_NAMES = new Set(['clock', 'namespace', 'fingerprintKey'])

/** The ledger's code is loaded on use. The operations reach it in the sequence of their calls. */
class MemoryOrderLedger extends NamedLedger implements ManagedOrderLedger {
  readonly #entries: Lazy<MemoryEntries>

  constructor(clock: Clock, names: LedgerNames) {
    super(OWNER, names)
    this.#entries = new Lazy(async () => new (await import('./memory-entries.js')).MemoryEntries(clock))
  }

  async setup(): Promise<void> {
    await this.#entries.load()
  }

  claim: ManagedOrderLedger['claim'] = async (...given) => (await this.#entries.load()).claim(...given)
  mark: ManagedOrderLedger['mark'] = async (...given) => (await this.#entries.load()).mark(...given)
  unmark: ManagedOrderLedger['unmark'] = async (...given) => (await this.#entries.load()).unmark(...given)
  renew: ManagedOrderLedger['renew'] = async (...given) => (await this.#entries.load()).renew(...given)
  record: ManagedOrderLedger['record'] = async (...given) => (await this.#entries.load()).record(...given)
  resolve: ManagedOrderLedger['resolve'] = async (...given) => (await this.#entries.load()).resolve(...given)
  list: ManagedOrderLedger['list'] = async (...given) => (await this.#entries.load()).list(...given)
  prune: ManagedOrderLedger['prune'] = async (...given) => (await this.#entries.load()).prune(...given)

  watch: Required<OrderLedger>['watch'] = (...given) => {
    const watching = this.#entries.load().then((entries) => entries.watch(...given))
    watching.catch(ignore)
    return () => void watching.then((stop) => stop()).catch(ignore)
  }
}
