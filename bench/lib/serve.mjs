import { createServer } from 'node:http'

/**
 * Serves bodies from memory as fast as node:http can. Returns the URL.
 * @param {(url: string) => { readonly body: Buffer, readonly delayMs?: number }} answer
 * @returns {Promise<string>}
 */
export function serve(answer) {
  const server = createServer((request, response) => {
    request.resume()
    const { body, delayMs } = answer(request.url ?? '/')
    const send = () => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
      response.end(body)
    }
    if (delayMs === undefined) send()
    else setTimeout(send, delayMs)
  })
  server.keepAliveTimeout = 60_000
  return new Promise((resolve, reject) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (address === null || typeof address === 'string') reject(new Error('no port'))
      else resolve(`http://127.0.0.1:${address.port}`)
    })
  })
}
