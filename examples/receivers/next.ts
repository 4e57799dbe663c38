import type { WebhookReceiver } from 'pathology-sdk/webhooks'
import { FUNCTION_URL, type Serve } from './serve.js'

/**
 * Returns the exports of `app/webhooks/route.ts`. In a Next.js application, create the receiver at the first request, because
 * `next build` loads this file without your secrets.
 */
function route(receiver: WebhookReceiver): { readonly POST: (request: Request) => Promise<Response> } {
  return { POST: receiver.fetch }
}

export const serve: Serve = (receiver) => {
  const { POST } = route(receiver)
  return { url: FUNCTION_URL, handle: (request) => POST(request) }
}
