import type { WebhookReceiver } from 'pathology-sdk/webhooks'
import { FUNCTION_URL, type Serve } from './serve.js'

/** The export of `app/webhooks/route.ts` in a Next.js application. There, create the receiver at the first request. */
function route(receiver: WebhookReceiver): { readonly POST: (request: Request) => Promise<Response> } {
  return { POST: receiver.fetch }
}

export const serve: Serve = (receiver) => {
  const { POST } = route(receiver)
  return { url: FUNCTION_URL, handle: (request) => POST(request) }
}
