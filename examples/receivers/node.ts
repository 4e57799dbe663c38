import { createServer } from 'node:http'
import { listen, type Serve } from './serve.js'

export const serve: Serve = (receiver) =>
  listen(
    createServer((request, response) => {
      if (request.url === '/webhooks') void receiver.node(request, response)
      else response.writeHead(404).end()
    }),
  )
