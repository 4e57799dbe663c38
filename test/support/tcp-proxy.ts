import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy on loopback between a client and a server. The proxy breaks the network in several ways. */
export interface TcpProxy extends AsyncDisposable {
  /** The server's URL, through the proxy. */
  readonly url: string
  /** Breaks all connections, and refuses new connections until `restore`. */
  cut(): void
  /** Holds all bytes of the server until `restore`, so that statements run without a response. */
  holdAnswers(): void
  /** Holds all bytes in both directions until `restore`. */
  freeze(): void
  /** Delays every chunk by this number of milliseconds. `restore` does not remove the delay. */
  slow(delayMs: number): void
  /** Forwards everything again. Held bytes arrive late. */
  restore(): void
}

export async function startTcpProxy(serverUrl: string): Promise<TcpProxy> {
  const pairs = new Set<{ readonly near: Socket; readonly far: Socket }>()
  let state: 'open' | 'cut' | 'answers held' | 'frozen' = 'open'
  let delayMs = 0

  const server = createServer((near) => {
    if (state === 'cut') {
      near.resetAndDestroy()
      return
    }
    const far = connect(Number(new URL(serverUrl).port), '127.0.0.1')
    const pair = { near, far }
    pairs.add(pair)
    const end = (): void => {
      pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) socket.once('close', end).on('error', () => undefined)
    near.on('data', (bytes) => pass(bytes, far))
    far.on('data', (bytes) => pass(bytes, near))
    apply(pair)
  })

  function apply({ near, far }: { readonly near: Socket; readonly far: Socket }): void {
    if (state === 'frozen') near.pause()
    else near.resume()
    if (state === 'open') far.resume()
    else far.pause()
  }

  function pass(bytes: Buffer, to: Socket): void {
    if (delayMs === 0) to.write(bytes)
    else setTimeout(() => to.destroyed || to.write(bytes), delayMs)
  }

  function become(next: typeof state): void {
    state = next
    for (const pair of pairs) {
      if (next === 'cut') pair.near.resetAndDestroy()
      else apply(pair)
    }
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(serverUrl)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    cut: () => become('cut'),
    holdAnswers: () => become('answers held'),
    freeze: () => become('frozen'),
    slow(ms) {
      delayMs = ms
    },
    restore: () => become('open'),
    async [Symbol.asyncDispose]() {
      become('cut')
      server.close()
      await once(server, 'close')
    },
  }
}
