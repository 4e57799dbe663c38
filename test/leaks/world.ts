import { type ClientOptions, type Logger, PathologyClient, type PathologyErrorName } from 'pathology-sdk'
import { CANARIES } from '../support/canary-values.js'
import { SkippingClock } from '../support/skipping-clock.js'
import type { HostileService } from './hostile-service.js'

/** Environment in which errors are provoked. */
export interface World {
  readonly service: HostileService
  readonly logger: Logger
  /** A client with marker values as credentials, and without real waits. */
  client(options?: ClientOptions): PathologyClient
}

/** One provocation of an error. */
export interface Provocation {
  readonly title: string
  /** The class of the error. */
  readonly error: PathologyErrorName
  /** Throws, or rejects, with that error. */
  readonly provoke: (world: World) => unknown
}

export function createWorld(service: HostileService, logger: Logger): World & { close(): Promise<void> } {
  const clients: PathologyClient[] = []
  return {
    service,
    logger,
    client(options) {
      const client = new PathologyClient({
        baseUrl: service.origin,
        authUrl: service.origin,
        clientId: 'client-1',
        clientSecret: CANARIES.clientSecret,
        clock: new SkippingClock(),
        random: () => 0.5,
        logger,
        ...options,
      })
      clients.push(client)
      return client
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()))
    },
  }
}

/** A provocation by a call to a service with this response. */
export function answered(
  title: string,
  error: PathologyErrorName,
  script: Parameters<HostileService['on']>[1],
  call: (client: PathologyClient) => unknown,
  options: ClientOptions = {},
): Provocation {
  const provoke = ({ service, client }: World): unknown => {
    service.on('*', script)
    return call(client(options))
  }
  return { title, error, provoke }
}
