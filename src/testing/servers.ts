import { CONSOLE_ACTIONS } from './console/actions.js'
import { consoleAssets } from './console/assets.js'
import type { ControlAction } from './control/control-action.js'
import { ACTIONS } from './control/control-actions.js'
import { controlListener } from './control/control-server.js'
import type { FakeCore } from './core/fake-core.js'
import { checkAllowedHosts, createHostCheck, type HostCheck } from './transports/allowed-hosts.js'
import {
  AUTH_PREFIX,
  apiListener,
  documentsListener,
  type Listening,
  listen,
} from './transports/http-server.js'

/** Every action of the control API, except `GET /changes`. */
export const CONTROL_ACTIONS: readonly ControlAction[] = [...ACTIONS, ...CONSOLE_ACTIONS]

/** Addresses and ports of the servers. */
export interface ListenOptions {
  /** Port of the API and the token service; 0 for any free port. Default 0. */
  readonly port?: number | undefined
  /** Port of the documents; 0 for any free port. Default 0. */
  readonly documentsPort?: number | undefined
  /** Port of the control API; 0 for any free port. Default 0. */
  readonly controlPort?: number | undefined
  /**
   * Address on which the API and the documents listen. Default `127.0.0.1`. With `0.0.0.0` or `::` (every address),
   * document URLs have the host name of the API request that returns them. The control API always listens on
   * `127.0.0.1`.
   */
  readonly host?: string | undefined
  /**
   * Host names, without a port, that the API and the documents accept in the Host header of a request. `localhost`,
   * `*.localhost` and loopback addresses are always accepted. A request with another Host gets 421. Without this check,
   * a web page whose host name resolves to this machine (DNS rebinding) could read the fake. Default: no further names
   * if `host` is a loopback address; any Host if `host` is another address, such as `0.0.0.0` in a container. The
   * control API accepts only `localhost`, `*.localhost` and loopback addresses.
   */
  readonly allowedHosts?: readonly string[] | undefined
}

export interface RunningServers {
  close(): Promise<void>
}

const LOOPBACK = '127.0.0.1'

/**
 * Returns an origin that this machine can connect to. For a server on `0.0.0.0` or `::`, this is the loopback address.
 */
function reachable(origin: string): string {
  return origin.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

/**
 * Starts a fake's servers. If one of them cannot start, closes the others and throws its error.
 *
 * @throws RangeError - `allowedHosts` is invalid.
 */
export async function startServers(core: FakeCore, options: ListenOptions): Promise<RunningServers> {
  const { port = 0, documentsPort = 0, controlPort = 0, host = LOOPBACK, allowedHosts } = options
  checkAllowedHosts(allowedHosts)
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
    const hostCheck = (address: string): HostCheck => createHostCheck(address, allowedHosts)
    const api = await start((address) => apiListener(core, hostCheck(address)), port, host)
    const documents = await start(
      (address) => documentsListener(core, hostCheck(address)),
      documentsPort,
      host,
    )
    const control = controlListener({ core, actions: CONTROL_ACTIONS, asset: consoleAssets() })
    core.controlUrl = await start(() => control, controlPort, LOOPBACK)
    core.origins = {
      api: reachable(api),
      auth: `${reachable(api)}${AUTH_PREFIX}`,
      documents: reachable(documents),
    }
    core.followsHost = reachable(documents) !== documents
    return { close }
  } catch (error) {
    await close()
    throw error
  }
}
