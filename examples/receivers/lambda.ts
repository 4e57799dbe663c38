import type { LambdaRequestEvent, WebhookReceiver } from 'pathology-sdk/webhooks'
import { FUNCTION_URL, type Serve } from './serve.js'

/** The handler is `export const handler = receiver.lambda`. This example calls it like a function URL. */
export const serve: Serve = (receiver) => ({
  url: FUNCTION_URL,
  handle: (request) => functionUrl(receiver.lambda, request),
})

/** Converts a request to the event of a function URL, and the handler's result to a response, like AWS. */
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
