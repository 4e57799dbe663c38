import type * as Webhooks from 'pathology-sdk/webhooks'

import { ISSUED_VECTOR, NEXT_SECRET, SECRET, VECTORS } from '../webhooks/verification/vectors.js'
import { type Check, failure, same } from './check.js'

const { body, signature } = ISSUED_VECTOR

/** Verification of deliveries: for every runtime that has WebCrypto. */
export function webhookChecks(webhooks: typeof Webhooks): Check[] {
  const { verifyWebhook, verifyWebhookSync, signWebhook, WebhookVerificationError, PathologyError } = webhooks
  const reasonOf = async (work: () => unknown): Promise<string> => {
    const error = await failure(work)
    if (!(error instanceof WebhookVerificationError && error instanceof PathologyError)) throw error
    return error.reason
  }
  return [
    ...VECTORS.map(
      (vector): Check => ({
        title: `verifyWebhook accepts what openssl signed: ${vector.title}`,
        run: async () => {
          const headers = new Headers({ 'x-svc-hmac-sha256': vector.signature })
          const bytes = new TextEncoder().encode(vector.body)
          for (const raw of [vector.body, bytes, bytes.buffer]) {
            same(await verifyWebhook(raw, headers, vector.secret), JSON.parse(vector.body))
          }
        },
      }),
    ),
    {
      title:
        'verifyWebhook refuses deliveries with another secret, and accepts the next secret next to the old one',
      run: async () => {
        same(await reasonOf(() => verifyWebhook(body, signature, NEXT_SECRET)), 'signature-mismatch')
        same((await verifyWebhook(body, signature, [NEXT_SECRET, SECRET])).eventName, 'referral.issued')
      },
    },
    {
      title: 'verifyWebhook refuses a body that was changed, parsed or not signed',
      run: async () => {
        const parsed: string = JSON.parse(body)
        same(await reasonOf(() => verifyWebhook(`${body} `, signature, SECRET)), 'signature-mismatch')
        same(await reasonOf(() => verifyWebhook(parsed, signature, SECRET)), 'body-not-raw')
        same(await reasonOf(() => verifyWebhook(body, new Headers(), SECRET)), 'signature-missing')
      },
    },
    {
      title: 'signWebhook signs what verifyWebhook accepts',
      run: async () => {
        same(await signWebhook(body, SECRET), signature)
      },
    },
    {
      title:
        'verifyWebhookSync verifies if there is node:crypto; otherwise the error says that it is missing',
      run: async () => {
        const hasNodeCrypto = globalThis.process?.getBuiltinModule?.('node:crypto') !== undefined
        if (hasNodeCrypto) same(verifyWebhookSync(body, signature, SECRET).eventName, 'referral.issued')
        else same(await reasonOf(() => verifyWebhookSync(body, signature, SECRET)), 'crypto-unavailable')
      },
    },
    { title: 'a receiver takes a Request, and handles each event once', run: () => receives(webhooks) },
  ]
}

async function receives({ createWebhookReceiver }: typeof Webhooks): Promise<void> {
  const handled: string[] = []
  const receiver = createWebhookReceiver({
    secret: SECRET,
    on: { 'referral.issued': ({ eventUuid }) => void handled.push(eventUuid) },
  })
  const post = async (with_: string): Promise<number> => {
    const headers = { 'content-type': 'application/json', 'x-svc-hmac-sha256': with_ }
    const request = new Request('https://hooks.example.com/', { method: 'POST', headers, body })
    return (await receiver.fetch(request)).status
  }
  same(await post(signature), 200, 'the first response')
  same(await post(signature), 200, 'the response to a duplicate')
  same(await post(`0${signature.slice(1)}`), 401, 'the response to an invalid signature')
  same(handled, ['7c0e8a52-3f0b-4c7d-9b58-2d3a54f6a001'], 'what was handled')
}
