import { createHmac } from 'node:crypto'
import { createWebhookReceiver, verifyWebhook, verifyWebhookSync } from 'pathology-sdk/webhooks'
import { CANARIES } from '../support/canary-values.js'
import { referral } from '../support/samples.js'
import type { Provocation } from './world.js'

const BODY = JSON.stringify({
  eventName: 'referral.issued',
  eventUuid: CANARIES.firstName,
  version: '1.0',
  data: referral({ metadata: { notes: CANARIES.clinicalNotes } }),
})

const sign = (body: string): string => createHmac('sha256', CANARIES.signingSecret).update(body).digest('hex')

const CASES: Readonly<Record<string, () => unknown>> = {
  'a signature that is wrong': () => verifyWebhook(BODY, sign(`${BODY} `), CANARIES.signingSecret),
  'an invalid signature': () => verifyWebhookSync(BODY, CANARIES.signingSecret, CANARIES.signingSecret),
  'two signatures': () =>
    verifyWebhook(BODY, { 'x-svc-hmac-sha256': [sign(BODY), CANARIES.signature] }, CANARIES.signingSecret),
  'invalid headers': () =>
    verifyWebhook(
      BODY,
      { headers: { authorization: CANARIES.accessToken } } as never,
      CANARIES.signingSecret,
    ),
  'a secret with a line break': () => verifyWebhook(BODY, sign(BODY), `${CANARIES.signingSecret}\n`),
  'no signature': () => verifyWebhook(BODY, {}, CANARIES.signingSecret),
  'a parsed body': () => verifyWebhook(JSON.parse(BODY), sign(BODY), CANARIES.signingSecret),
  'a body that is not JSON': () => {
    const body = `${CANARIES.firstName} ${CANARIES.lastName}`
    return verifyWebhook(body, sign(body), CANARIES.signingSecret)
  },
  'a body that is not an event': () => {
    const body = JSON.stringify({ eventName: { [CANARIES.lastName]: 1 }, data: [CANARIES.clinicalNotes] })
    return verifyWebhook(body, sign(body), CANARIES.signingSecret)
  },
  'a body that is too deep': () => {
    const deep = `${'['.repeat(200)}"${CANARIES.lastName}"${']'.repeat(200)}`
    const body = `{"eventName":"x","eventUuid":"y","version":"1.0","data":{"a":${deep}}}`
    return verifyWebhook(body, sign(body), CANARIES.signingSecret)
  },
}

/** Deliveries that the verifier and a receiver with a logger reject. */
export const WEBHOOKS: readonly Provocation[] = [
  ...Object.entries(CASES).map(
    ([title, provoke]): Provocation => ({
      title: `a webhook: ${title}`,
      error: 'WebhookVerificationError',
      provoke,
    }),
  ),
  {
    title: 'a webhook receiver: a body that breaks off',
    error: 'PathologyError',
    provoke: async ({ logger }) => {
      const errors: unknown[] = []
      const receiver = createWebhookReceiver({
        secret: CANARIES.signingSecret,
        logger,
        on: { '*': () => undefined },
        onError: (error) => errors.push(error),
      })
      const body = new ReadableStream({
        pull(controller) {
          const rawPacket = Buffer.from(BODY)
          controller.error(Object.assign(new Error(BODY), { name: CANARIES.lastName, code: BODY, rawPacket }))
        },
      })
      await receiver.fetch(
        new Request('http://127.0.0.1/', {
          method: 'POST',
          body,
          duplex: 'half',
          headers: { 'x-svc-hmac-sha256': sign(BODY) },
        } as RequestInit),
      )
      throw errors[0]
    },
  },
]
