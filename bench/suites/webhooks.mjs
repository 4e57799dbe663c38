import { createHmac, timingSafeEqual } from 'node:crypto'
import { verify as octokitVerify } from '@octokit/webhooks-methods'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { verifyWebhook, verifyWebhookSync } from '../../dist/webhooks.js'
import { compare } from '../lib/measure.mjs'

const SECRET = 'bench-signing-secret'
const KEY = Buffer.from('bench-signing-secret-24b').toString('base64')

/** @param {number} size */
function body(size) {
  const event = {
    eventName: 'collection_centres.updated',
    eventUuid: '5f3c7e52-1111-4222-8333-000000000001',
    version: '1.0',
    data: {
      runUuid: '5f3c7e52-1111-4222-8333-000000000002',
      ranAt: '2026-01-05T00:00:00.000Z',
      counts: { created: 0, updated: 0, revived: 0, missing: 0, retired: 0 },
      changed: { created: [''].slice(1), updated: [''].slice(1), revived: [], missing: [], retired: [] },
    },
  }
  while (JSON.stringify(event).length < size) {
    for (let index = 0; index < Math.max(1, size / 400); index += 1) {
      event.data.changed.updated.push('5f3c7e52-1111-4222-8333-000000000003')
    }
  }
  return Buffer.from(JSON.stringify(event))
}

/** @param {Buffer} raw */
function contenders(raw) {
  const signature = createHmac('sha256', SECRET).update(raw).digest('hex')
  const text = raw.toString()
  const seconds = Math.floor(Date.now() / 1_000)
  const stripe = new Stripe('sk_test_bench')
  const stripeHeader = stripe.webhooks.generateTestHeaderString({
    payload: text,
    secret: SECRET,
    timestamp: seconds,
  })
  const signed = (prefix) => ({
    [`${prefix}-id`]: 'msg_1',
    [`${prefix}-timestamp`]: String(seconds),
    [`${prefix}-signature`]: `v1,${createHmac('sha256', Buffer.from(KEY, 'base64')).update(`msg_1.${seconds}.${text}`).digest('base64')}`,
  })
  const svix = new SvixWebhook(KEY)
  const standard = new StandardWebhook(KEY)
  const headers = { 'x-svc-hmac-sha256': signature }
  const limit = () => {
    const expected = createHmac('sha256', SECRET).update(raw).digest()
    if (!timingSafeEqual(expected, Buffer.from(signature, 'hex'))) throw new Error('wrong')
    return JSON.parse(raw.toString())
  }
  return [
    { name: 'createHmac + timingSafeEqual + JSON.parse', run: limit },
    { name: 'pathology-sdk, sync', run: () => verifyWebhookSync(raw, headers, SECRET) },
    { name: 'pathology-sdk', run: () => verifyWebhook(raw, headers, SECRET) },
    { name: 'stripe', run: () => stripe.webhooks.constructEvent(raw, stripeHeader, SECRET) },
    { name: 'svix', run: () => svix.verify(text, signed('svix')) },
    {
      name: '@octokit/webhooks-methods, verify only',
      run: () => octokitVerify(SECRET, text, `sha256=${signature}`),
    },
    { name: 'standardwebhooks', run: () => standard.verify(text, signed('webhook')) },
  ]
}

/** Measures the verification and parsing of deliveries of three sizes. */
export async function webhooks() {
  /** @type {Record<string, import('../lib/measure.mjs').Row[]>} */
  const tables = {}
  for (const [label, size, operations] of /** @type {const} */ ([
    ['500 B', 500, 4_000],
    ['5 KB', 5_000, 2_000],
    ['250 KB', 250_000, 60],
  ])) {
    tables[`webhook of ${label}, verified and parsed`] = await compare(contenders(body(size)), {
      rounds: 9,
      operations,
    })
  }
  return tables
}
