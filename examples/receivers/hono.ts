import { Hono } from 'hono'
import { FUNCTION_URL, type Serve } from './serve.js'

export const serve: Serve = (receiver) => {
  const app = new Hono().post('/webhooks', (context) => receiver.fetch(context.req.raw))
  return { url: FUNCTION_URL, handle: app.fetch }
}
