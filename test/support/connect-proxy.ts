import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** An HTTP proxy on loopback that tunnels with CONNECT. */
export interface ConnectProxy {
  /** URL of the proxy, without credentials. */
  readonly url: string
  /** Targets of the tunnels, in order. */
  readonly targets: readonly string[]
}

/** @param authorization - Required value of Proxy-Authorization. For any other value, the proxy responds with 407. */
export async function startConnectProxy(authorization?: string): Promise<ConnectProxy> {
  const targets: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((_, response) => void response.writeHead(400).end('not a tunnel'))
  server.on('connect', (request, near: Socket) => {
    if (authorization !== undefined && request.headers['proxy-authorization'] !== authorization) {
      near.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n')
      return
    }
    targets.push(request.url ?? '')
    const [host, port] = (request.url ?? '').split(':')
    const far = connect(Number(port), host)
    for (const socket of [near, far]) sockets.add(socket.on('error', () => undefined))
    far.once('connect', () => {
      near.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      near.pipe(far).pipe(near)
    })
    far.once('close', () => near.destroy())
    near.once('close', () => far.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, targets }
}
