import type { LambdaRequestEvent, WebhookReceiver } from 'pathology-sdk/webhooks'
import { FUNCTION_URL, type Serve } from './serve.js'

/** In Lambda, write `export const handler = receiver.lambda`. This example calls the handler as a function URL does. */
export const serve: Serve = (receiver) => ({
  url: FUNCTION_URL,
  handle: (request) => functionUrl(receiver.lambda, request),
})

/** Converts a request to the event of a function URL, and the handler's result to a response, as AWS does. */
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
