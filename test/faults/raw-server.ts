import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { onTestFinished } from 'vitest'

/** Action on the socket after a complete request has arrived. */
export type WireScript = (socket: Socket, request: string) => void

/** A server that sends raw bytes. Request n of all connections gets script n; the last one repeats. */
export class RawServer {
  /** Complete requests as received. */
  readonly requests: string[] = []
  readonly sockets = new Set<Socket>()
  readonly #scripts: readonly WireScript[]
  #port = 0

  private constructor(scripts: readonly WireScript[]) {
    this.#scripts = scripts
  }

  static start(...scripts: WireScript[]): Promise<RawServer> {
    const raw = new RawServer(scripts)
    return raw.#listen(createServer((socket) => raw.#follow(socket)))
  }

  static startTls(options: TlsOptions, ...scripts: WireScript[]): Promise<RawServer> {
    const raw = new RawServer(scripts)
    const server = createTlsServer(options, (socket) => raw.#follow(socket))
    server.on('connection', (socket: Socket) => raw.#keep(socket))
    return raw.#listen(server)
  }

  /** A server that accepts connections and never responds. */
  static async startMute(): Promise<RawServer> {
    const raw = new RawServer([])
    return raw.#listen(createServer((socket) => raw.#keep(socket)))
  }

  /** A server that responds in plain HTTP to any bytes, such as a TLS handshake. */
  static async startPlainAnswer(): Promise<RawServer> {
    const raw = new RawServer([])
    const answer = 'HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n'
    const greet = (socket: Socket): void => {
      raw.#keep(socket)
      socket.once('data', () => socket.end(answer))
    }
    return raw.#listen(createServer(greet))
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  get secureOrigin(): string {
    return `https://localhost:${this.#port}`
  }

  async #listen(server: Server): Promise<this> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    this.#port = (server.address() as AddressInfo).port
    onTestFinished(async () => {
      for (const socket of this.sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    })
    return this
  }

  #keep(socket: Socket): void {
    this.sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.sockets.delete(socket))
  }

  #follow(socket: Socket): void {
    this.#keep(socket)
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const whole = wholeRequest(text)
      if (whole === undefined) return
      text = text.slice(whole.length)
      this.requests.push(whole)
      const script = this.#scripts[this.requests.length - 1] ?? this.#scripts.at(-1)
      script?.(socket, whole)
    })
  }
}

function wholeRequest(text: string): string | undefined {
  const head = text.indexOf('\r\n\r\n')
  if (head === -1) return undefined
  const length = Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0)
  const end = head + 4 + length
  return text.length < end ? undefined : text.slice(0, end)
}

/** The head of a response: a status and header lines. */
export const head = (status: number, ...lines: string[]): string =>
  [`HTTP/1.1 ${status} X`, 'content-type: application/json', ...lines, '', ''].join('\r\n')

/** A complete, valid response. */
export const good =
  (value: unknown): WireScript =>
  (socket) => {
    const body = JSON.stringify(value)
    socket.write(`${head(200, `content-length: ${Buffer.byteLength(body)}`)}${body}`)
  }

/** Resets the connection. */
export const reset: WireScript = (socket) => void socket.resetAndDestroy()

/** Closes the connection without a response. */
export const hangUp: WireScript = (socket) => void socket.end()

/** Writes raw bytes, and closes the connection or keeps it open. */
export const bytes =
  (text: string, then: 'end' | 'keep' | 'reset' = 'end'): WireScript =>
  (socket) =>
    void socket.write(text, 'latin1', () => {
      if (then === 'end') socket.end()
      if (then === 'reset') socket.resetAndDestroy()
    })

/** Sends nothing. */
export const silence: WireScript = () => undefined
