import { consoleAsset } from './console/assets.js'
import type { ControlTarget } from './control/control-action.js'
import { controlListener } from './control/control-server.js'
import {
  AUTH_PREFIX,
  documentsListener,
  type Listening,
  listen,
  mainListener,
} from './transports/http-server.js'

/** Where to listen. */
export interface ListenOptions {
  /** Port of the API and the token service; 0 for any free one. Default 0. */
  readonly port?: number | undefined
  /** Port of the documents' origin; 0 for any free one. Default 0. */
  readonly documentsPort?: number | undefined
  /** Port of the control interface; 0 for any free one. Default 0. */
  readonly controlPort?: number | undefined
  /** Address that the service listens on; the control interface is on `127.0.0.1` always. Default `127.0.0.1`. */
  readonly host?: string | undefined
}

/** The servers of one fake. */
export interface RunningServers {
  readonly controlUrl: string
  close(): Promise<void>
}

const LOOPBACK = '127.0.0.1'

/** Starts a fake's servers; none runs when one of them cannot. */
export async function startServers(target: ControlTarget, options: ListenOptions): Promise<RunningServers> {
  const { port = 0, documentsPort = 0, controlPort = 0, host = LOOPBACK } = options
  const { core } = target
  const running: Listening[] = []
  const close = async (): Promise<void> => {
    await Promise.all(running.map((server) => server.close()))
  }
  const start = async (...parts: Parameters<typeof listen>): Promise<string> => {
    const server = await listen(...parts)
    running.push(server)
    return server.origin
  }
  try {
    const api = await start(mainListener(core), port, host)
    const documents = await start(documentsListener(core), documentsPort, host)
    const controlUrl = await start(controlListener(target, consoleAsset), controlPort, LOOPBACK)
    core.origins = { api, auth: `${api}${AUTH_PREFIX}`, documents }
    return { controlUrl, close }
  } catch (error) {
    await close()
    throw error
  }
}
