import type { LambdaRequestEvent, WebhookReceiver } from 'pathology-sdk/webhooks'
import { FUNCTION_URL, type Serve } from './serve.js'

/** The handler itself is `export const handler = receiver.lambda`. Here, a function URL stands in front of it. */
export const serve: Serve = (receiver) => ({
  url: FUNCTION_URL,
  handle: (request) => functionUrl(receiver.lambda, request),
})

/** What AWS makes of a request to a function URL, and of the handler's answer. */
async function functionUrl(handler: WebhookReceiver['lambda'], request: Request): Promise<Response> {
  const event: LambdaRequestEvent = {
    headers: Object.fromEntries(request.headers),
    requestContext: { http: { method: request.method, path: new URL(request.url).pathname } },
    body: Buffer.from(await request.arrayBuffer()).toString('base64'),
    isBase64Encoded: true,
  }
  const { statusCode, headers, body } = await handler(event)
  return new Response(body, { status: statusCode, headers })
}
