import type { WebhookReceiver } from 'pathology-sdk/webhooks'
import { FUNCTION_URL, type Serve } from './serve.js'

/** What `app/webhooks/route.ts` of a Next.js application exports; there the receiver is made at the first request. */
function route(receiver: WebhookReceiver): { readonly POST: (request: Request) => Promise<Response> } {
  return { POST: receiver.fetch }
}

export const serve: Serve = (receiver) => {
  const { POST } = route(receiver)
  return { url: FUNCTION_URL, handle: (request) => POST(request) }
}
