// By its file, as everywhere here: what Bun has by the name of undici has no dispatchers.
import { Dispatcher, errors } from 'undici/index.js'

import type { FakeCore } from '../core/fake-core.js'
import { DispatchExchange } from './dispatched-request.js'

type Options = Dispatcher.DispatchOptions
type Handler = Dispatcher.DispatchHandler

/** An undici dispatcher whose other end is a fake in this process: no socket is opened. */
class InProcessDispatcher extends Dispatcher {
  // Not `#private`: composing wraps a dispatcher in a Proxy, which such members cannot be reached through.
  private readonly core: FakeCore
  private readonly running = new Map<DispatchExchange, Promise<void>>()
  private refusal: (() => Error) | undefined

  constructor(core: FakeCore) {
    super()
    this.core = core
  }

  override dispatch(options: Options, handler: Handler): boolean {
    const exchange = new DispatchExchange(this.core, options, handler)
    if (this.refusal !== undefined) {
      exchange.fail(this.refusal())
      return false
    }
    const run = exchange.run().then(() => {
      this.running.delete(exchange)
    })
    this.running.set(exchange, run)
    return true
  }

  override close(): Promise<void>
  override close(callback: () => void): void
  override close(callback?: () => void): Promise<void> | undefined {
    this.refusal ??= () => new errors.ClientClosedError()
    return settle([...this.running.values()], callback)
  }

  override destroy(): Promise<void>
  override destroy(error: Error | null): Promise<void>
  override destroy(callback: () => void): void
  override destroy(error: Error | null, callback: () => void): void
  override destroy(error?: Error | null | (() => void), callback?: () => void): Promise<void> | undefined {
    this.refusal = () => new errors.ClientDestroyedError()
    const reason = error instanceof Error ? error : new errors.ClientDestroyedError()
    for (const exchange of this.running.keys()) exchange.abort(reason)
    return settle([], typeof error === 'function' ? error : callback)
  }
}

function settle(running: readonly Promise<void>[], callback?: () => void): Promise<void> | undefined {
  const settled = Promise.all(running).then(() => callback?.())
  return callback === undefined ? settled : undefined
}

/** A dispatcher for handlers of both of undici's interfaces: composing it makes the older one fit. */
export function createDispatcher(core: FakeCore): Dispatcher {
  return new InProcessDispatcher(core).compose((dispatch) => (options, handler) => dispatch(options, handler))
}
