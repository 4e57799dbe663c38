import { type ClientOptions, PathologyClient, type TokenLock } from 'pathology-sdk'
import { onTestFinished } from 'vitest'
import { ShiftedClock } from './shifted-clock.js'
import type { SkippingClock } from './skipping-clock.js'
import { startTokenService, type TokenService } from './token-service.js'

/** A token service and its clients on one clock; closed when the test ends. */
export class SharedClients {
  readonly clock: ShiftedClock | SkippingClock
  readonly service: TokenService
  /** Warnings that the clients logged. */
  readonly warnings: string[] = []

  #isHeld = false

  readonly #lock: TokenLock = {
    acquire: () => {
      if (this.#isHeld) return undefined
      this.#isHeld = true
      return () => {
        this.#isHeld = false
      }
    },
  }

  private constructor(service: TokenService, clock: ShiftedClock | SkippingClock) {
    this.service = service
    this.clock = clock
  }

  /** @param clock - A `SkippingClock` where no client waits for another one. */
  static async start(clock: ShiftedClock | SkippingClock = new ShiftedClock()): Promise<SharedClients> {
    const service = await startTokenService()
    onTestFinished(() => service[Symbol.asyncDispose]())
    return new SharedClients(service, clock)
  }

  /** A client with its own state, like a client of another process. With a store, it has the lock of all clients. */
  client(options: ClientOptions = {}): PathologyClient {
    const tokenLock = options.tokenStore === undefined ? undefined : this.#lock
    const logger = { warn: (message: string) => this.warnings.push(message) }
    const common = { clock: this.clock, logger, timeout: Number.POSITIVE_INFINITY, tokenLock }
    const client = new PathologyClient({ ...this.service.options, ...common, ...options })
    onTestFinished(() => client.close())
    return client
  }

  /** The token requests so far, such as `refresh_token 400`. */
  get asked(): string[] {
    return this.service.tokenRequests.map(({ grant, status }) => `${grant} ${status}`)
  }

  /** Lets every access token expire. */
  expire(): void {
    this.clock.advance(this.service.settings.expiresIn * 1_000)
  }
}

/** Makes one API call, which needs a token. */
export async function call(client: PathologyClient): Promise<void> {
  await client.vendors.list().toArray()
}
