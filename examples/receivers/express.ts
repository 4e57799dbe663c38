import { createServer } from 'node:http'
import express from 'express'
import { listen, type Serve } from './serve.js'

export const serve: Serve = (receiver) => {
  const app = express()
  app.post('/webhooks', receiver.node) // before the JSON parser, because the signature covers the raw body
  app.use(express.json())
  app.get('/health', (_request, response) => void response.json({ ok: true }))
  return listen(createServer(app))
}
