// The import names a file, because Bun replaces the package name with its own undici, which has no dispatchers.
import { Dispatcher, errors } from 'undici/index.js'

import type { FakeServer } from '../server/http.js'
import { DispatchedRequest } from './dispatched-request.js'

type Options = Dispatcher.DispatchOptions
type Handler = Dispatcher.DispatchHandler

/** An undici dispatcher that reaches a fake in this process, without sockets. */
class InProcessDispatcher extends Dispatcher {
  // Not `#private`: `compose` wraps a dispatcher in a Proxy, which cannot access such members.
  private readonly server: FakeServer
  private readonly running = new Map<DispatchedRequest, Promise<void>>()
  private closedError: (() => Error) | undefined

  constructor(server: FakeServer) {
    super()
    this.server = server
  }

  override dispatch(options: Options, handler: Handler): boolean {
    const request = new DispatchedRequest(this.server, options, handler)
    if (this.closedError !== undefined) {
      request.fail(this.closedError())
      return false
    }
    const run = request.run().then(() => {
      this.running.delete(request)
    })
    this.running.set(request, run)
    return true
  }

  override close(): Promise<void>
  override close(callback: () => void): void
  override close(callback?: () => void): Promise<void> | undefined {
    this.closedError ??= () => new errors.ClientClosedError()
    return whenEnded([...this.running.values()], callback)
  }

  override destroy(): Promise<void>
  override destroy(error: Error | null): Promise<void>
  override destroy(callback: () => void): void
  override destroy(error: Error | null, callback: () => void): void
  override destroy(error?: Error | null | (() => void), callback?: () => void): Promise<void> | undefined {
    this.closedError = () => new errors.ClientDestroyedError()
    const reason = error instanceof Error ? error : new errors.ClientDestroyedError()
    for (const request of this.running.keys()) request.abort(reason)
    return whenEnded([], typeof error === 'function' ? error : callback)
  }
}

function whenEnded(running: readonly Promise<void>[], callback?: () => void): Promise<void> | undefined {
  const ended = Promise.all(running).then(() => callback?.())
  return callback === undefined ? ended : undefined
}

/** Creates the dispatcher. `compose` adapts handlers of undici's older interface. */
export function createDispatcher(server: FakeServer): Dispatcher {
  return new InProcessDispatcher(server).compose(
    (dispatch) => (options, handler) => dispatch(options, handler),
  )
}
