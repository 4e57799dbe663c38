import fastify from 'fastify'
import type { Serve } from './serve.js'

export const serve: Serve = async (receiver) => {
  const app = fastify()
  await app.register(receiver.fastify, { path: '/webhooks' }) // other routes still parse JSON
  app.post('/orders', async ({ body }) => ({ received: body }))
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  return { url: `${origin}/webhooks`, close: () => app.close() }
}
