// Compiled without Node's types, as for a Worker or a browser.
import { createWebhookReceiver, verifyWebhook, type WebhookEvent } from 'pathology-sdk/webhooks'

export const verify = (request: Request, secret: string): Promise<WebhookEvent> =>
  request.arrayBuffer().then((body) => verifyWebhook(body, request.headers, secret))

export default createWebhookReceiver({ secret: 'a-signing-secret', on: { '*': () => undefined } })
