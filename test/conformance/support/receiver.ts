import { createServer, type IncomingHttpHeaders } from 'node:http'
import { type JsonObject, obj, parseJson } from './json.js'
import { until } from './samples.js'

export interface Received {
  readonly path: string
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  readonly body: JsonObject
}

export interface Receiver {
  readonly url: string
  readonly received: Received[]
  /** Status of the response to deliveries by path; 204 by default, 0 for no response. */
  readonly answers: Map<string, number>
  readonly at: (path: string) => Received[]
  readonly waitFor: (path: string, count: number) => Promise<Received[]>
  readonly stop: () => Promise<void>
}

/** A webhook endpoint on loopback that stores the exact bytes of every delivery. */
export const startReceiver = async (): Promise<Receiver> => {
  const received: Received[] = []
  const answers = new Map<string, number>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      const path = request.url ?? ''
      const body = obj(parseJson(bytes.toString('utf8')))
      received.push({ path, method: request.method ?? '', headers: request.headers, bytes, body })
      const status = answers.get(path) ?? 204
      if (status !== 0) response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the receiver has no port')
  const ofPath = (path: string): Received[] => received.filter((delivery) => delivery.path === path)
  return {
    url: `http://127.0.0.1:${address.port}`,
    received,
    answers,
    at: ofPath,
    waitFor: (path, count) =>
      until(
        async () => ofPath(path),
        (found) => found.length >= count,
      ),
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
