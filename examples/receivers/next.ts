import type { WebhookReceiver } from 'pathology-sdk/webhooks'
import { FUNCTION_URL, type Serve } from './serve.js'

/** `app/webhooks/route.ts` of a Next.js application has a receiver and one more line: `export const POST = receiver.fetch`. */
function route(receiver: WebhookReceiver): { readonly POST: (request: Request) => Promise<Response> } {
  return { POST: receiver.fetch }
}

export const serve: Serve = (receiver) => {
  const { POST } = route(receiver)
  return { url: FUNCTION_URL, handle: (request) => POST(request) }
}
