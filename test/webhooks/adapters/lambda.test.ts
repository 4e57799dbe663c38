import type { LambdaRequestEvent } from 'pathology-sdk/webhooks'
import { expect, it } from 'vitest'
import { deliveryOf, eventOf, seeingReceiver } from '../support.js'

const event = eventOf({ data: { uuid: 'u', name: 'Zoë 病' } })
const { headers, body } = deliveryOf(event)
const signature = headers['x-svc-hmac-sha256'] ?? ''
const base64 = { body: Buffer.from(body).toString('base64'), isBase64Encoded: true }

/** As AWS documents them, shortened. */
const gatewayV1 = {
  resource: '/webhooks',
  path: '/webhooks',
  httpMethod: 'POST',
  headers: { 'Content-Type': 'application/json', 'X-Svc-Hmac-Sha256': signature },
  multiValueHeaders: { 'Content-Type': ['application/json'], 'X-Svc-Hmac-Sha256': [signature] },
  queryStringParameters: null,
  requestContext: { httpMethod: 'POST', stage: 'prod' },
  body,
  isBase64Encoded: false,
}
const gatewayV2 = {
  version: '2.0',
  routeKey: 'POST /webhooks',
  rawPath: '/webhooks',
  headers: { 'content-type': 'application/json', 'x-svc-hmac-sha256': signature },
  requestContext: { http: { method: 'POST', path: '/webhooks' }, stage: '$default' },
  body,
  isBase64Encoded: false,
}
const functionUrl = { ...gatewayV2, routeKey: '$default', ...base64 }
const loadBalancer = {
  httpMethod: 'POST',
  path: '/webhooks',
  multiValueHeaders: { 'content-type': ['application/json'], 'x-svc-hmac-sha256': [signature] },
  requestContext: { elb: {} },
  body,
  isBase64Encoded: false,
}

it.each<[string, LambdaRequestEvent]>([
  ['API Gateway, payload 1.0', gatewayV1],
  ['API Gateway, payload 1.0, base64', { ...gatewayV1, ...base64 }],
  ['API Gateway, payload 1.0, without lists', { ...gatewayV1, multiValueHeaders: null }],
  ['API Gateway, payload 2.0', gatewayV2],
  ['a function URL, base64', functionUrl],
  ['a load balancer with lists of values', loadBalancer],
])('receiver.lambda accepts a delivery by %s (§6)', async (_title, request) => {
  const { receiver, seen } = seeingReceiver()
  expect(await receiver.lambda(request)).toMatchObject({
    statusCode: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"outcome":"handled"}',
    isBase64Encoded: false,
  })
  expect(seen).toEqual([event])
})

it('receiver.lambda responds to a load balancer with lists of headers too', async () => {
  const response = await seeingReceiver().receiver.lambda(loadBalancer)
  expect(response.multiValueHeaders).toMatchObject({ 'content-type': ['application/json'] })
  expect(await seeingReceiver().receiver.lambda(gatewayV2)).not.toHaveProperty('multiValueHeaders')
})

it.each<[string, LambdaRequestEvent, number]>([
  [
    'a signature sent twice, of which payload 1.0 shows the last alone in headers',
    { ...gatewayV1, multiValueHeaders: { 'X-Svc-Hmac-Sha256': ['0'.repeat(64), signature] } },
    401,
  ],
  [
    'a signature sent twice, joined by payload 2.0',
    { ...gatewayV2, headers: { 'x-svc-hmac-sha256': `${signature},${signature}` } },
    401,
  ],
  ['no headers', { ...gatewayV2, headers: undefined }, 401],
  ['another method by payload 1.0', { ...gatewayV1, httpMethod: 'GET' }, 405],
  ['another method by payload 2.0', { ...gatewayV2, requestContext: { http: { method: 'PUT' } } }, 405],
  ['no body', { ...gatewayV2, body: null }, 400],
  ['invalid base64', { ...functionUrl, body: '%%%' }, 400],
  ['a body whose base64 is invalid in one place', { ...functionUrl, body: `%${functionUrl.body}` }, 400],
  ['more than 1 MiB in base64', { ...functionUrl, body: 'AAAA'.repeat(350_000) }, 413],
  ['base64 not marked as such', { ...functionUrl, isBase64Encoded: false }, 401],
])('receiver.lambda rejects %s (§6)', async (_title, request, status) => {
  const { receiver, seen } = seeingReceiver()
  expect((await receiver.lambda(request)).statusCode).toBe(status)
  expect(seen).toEqual([])
})

it.each([
  ['text', gatewayV2, body],
  ['base64', functionUrl, functionUrl.body],
  ['bytes', gatewayV2, Buffer.from(body)],
])(
  'receiver.lambda reads rawBody as %s when a middleware has parsed the body',
  async (_, request, rawBody) => {
    const { receiver, seen } = seeingReceiver()
    expect(await receiver.lambda({ ...request, body: event, rawBody })).toMatchObject({ statusCode: 200 })
    expect(seen).toEqual([event])
  },
)

it.each([[undefined], ['']])(
  'receiver.lambda says what to do when the body was parsed and rawBody is %j',
  async (rawBody) => {
    const { receiver, onError } = seeingReceiver()
    const response = await receiver.lambda({ ...gatewayV2, body: event, rawBody })
    expect(response.statusCode).toBe(500)
    const [error] = onError.mock.calls[0] ?? []
    expect(error).toMatchObject({ reason: 'body-not-raw' })
    expect(String(error)).toMatch(/middleware.*rawBody/)
  },
)
