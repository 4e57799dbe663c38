import { createServer, type IncomingMessage } from 'node:http'
import express, { type RequestHandler } from 'express'
import { expect, it } from 'vitest'
import { deliveryOf, eventOf, listening, seeingReceiver } from '../support.js'

async function serve(...parsers: RequestHandler[]) {
  const { receiver, seen, onError } = seeingReceiver()
  const app = express()
  for (const parser of parsers) app.use(parser)
  app.all('/webhooks', receiver.node)
  return { origin: `${await listening(createServer(app))}/webhooks`, seen, onError }
}

const keepBytes = (
  request: IncomingMessage & { rawBody?: Buffer },
  _response: unknown,
  bytes: Buffer,
): void => {
  request.rawBody = bytes
}

/** Text whose bytes change when it is parsed and serialised again. */
const spaced = (): string => JSON.stringify(eventOf({ data: { uuid: 'u', amount: 1.0, note: 'é' } }), null, 2)

it.each<[string, RequestHandler[]]>([
  ['no body parser before it', []],
  ['a JSON parser that keeps the raw bytes', [express.json({ verify: keepBytes })]],
  ['a raw parser', [express.raw({ type: 'application/json' })]],
  ['a text parser', [express.text({ type: 'application/json' })]],
  ['a JSON parser for other content', [express.json({ type: 'application/vnd.other+json' })]],
])('receiver.node accepts a delivery in Express with %s (§6)', async (_title, parsers) => {
  const { origin, seen } = await serve(...parsers)
  const delivery = deliveryOf(spaced())
  const response = await fetch(origin, delivery)
  expect([response.status, await response.json()]).toEqual([200, { outcome: 'handled' }])
  expect(seen).toEqual([JSON.parse(delivery.body)])
})

it.each<[string, RequestHandler[]]>([
  ['a JSON parser', [express.json()]],
  ['a raw parser behind a JSON parser', [express.json(), express.raw({ type: 'application/json' })]],
])(
  'receiver.node responds with 500 in Express and names the correction when %s has consumed the bytes (§6)',
  async (_title, parsers) => {
    const { origin, seen, onError } = await serve(...parsers)
    const response = await fetch(origin, deliveryOf(spaced()))
    expect(response.status).toBe(500)
    expect(seen).toEqual([])
    const [error] = onError.mock.calls[0] ?? []
    expect(error).toMatchObject({ reason: 'body-not-raw' })
    expect(String(error)).toMatch(/body parser.*before.*rawBody/)
  },
)

it.each([[''], [Buffer.alloc(0)]])(
  'receiver.node ignores an empty rawBody while the stream is unread',
  async (rawBody) => {
    const { origin, seen } = await serve((request, _response, next) => {
      Object.assign(request, { rawBody })
      next()
    })
    expect((await fetch(origin, deliveryOf())).status).toBe(200)
    expect(seen).toHaveLength(1)
  },
)
