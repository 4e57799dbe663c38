import { verifyWebhook, verifyWebhookSync, WebhookVerificationError } from 'pathology-sdk/webhooks'
import { describe, expect, it, vi } from 'vitest'
import { rejection, verifiers, withoutNodeCrypto } from '../support.js'
import { ISSUED_VECTOR, NEXT_SECRET, SECRET, VECTORS } from './vectors.js'

describe.each(verifiers)('%s (§6)', (name, verify) => {
  it.each(VECTORS)(
    `${name} accepts deliveries that openssl signed: $title (§6)`,
    async ({ body, signature, secret, eventName }) => {
      const event = await verify(body, signature, secret)
      expect(event).toEqual(JSON.parse(body))
      expect(event.eventName).toBe(eventName)
    },
  )

  it.each(VECTORS)(
    `${name} accepts the same deliveries as bytes: $title (§6)`,
    async ({ body, signature, secret }) => {
      const bytes = new TextEncoder().encode(body)
      const padded = new Uint8Array(bytes.length + 5)
      padded.set(bytes, 3)
      const forms = {
        Buffer: Buffer.from(body),
        Uint8Array: bytes,
        ArrayBuffer: bytes.buffer,
        DataView: new DataView(padded.buffer, 3, bytes.length),
        'part of a larger buffer': padded.subarray(3, 3 + bytes.length),
      }
      for (const [form, raw] of Object.entries(forms)) {
        await expect(verify(raw, signature, secret), form).resolves.toEqual(JSON.parse(body))
      }
    },
  )

  it(`${name} accepts a signature in capitals (§6)`, async () => {
    const { body, signature, secret } = ISSUED_VECTOR
    await expect(verify(body, signature.toUpperCase(), secret)).resolves.toMatchObject({ version: '1.0' })
  })

  it(`${name} accepts any of several secrets while one replaces another (§6)`, async () => {
    const { body, signature } = ISSUED_VECTOR
    await expect(verify(body, signature, [NEXT_SECRET, SECRET])).resolves.toBeDefined()
    await expect(verify(body, signature, [SECRET, NEXT_SECRET])).resolves.toBeDefined()
    await expect(verify(body, signature, [NEXT_SECRET, 'third'])).rejects.toMatchObject({
      reason: 'signature-mismatch',
    })
  })

  it(`${name} does not change the given body (§6)`, async () => {
    const bytes = Buffer.from(ISSUED_VECTOR.body)
    await verify(bytes, ISSUED_VECTOR.signature, SECRET)
    expect(bytes.toString()).toBe(ISSUED_VECTOR.body)
  })
})

const { body, signature, secret } = ISSUED_VECTOR

/** Calls `work` with these globals replaced. */
function where<T>(globals: Record<string, unknown>, work: () => T): T {
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value)
  try {
    return work()
  } finally {
    vi.unstubAllGlobals()
  }
}

it.each([
  ['no Buffer', { Buffer: undefined }],
  ['no process', { process: undefined }],
  ['a process without built-in modules', { process: { env: {} } }],
])(
  'with %s, verifyWebhook uses WebCrypto, and the error of verifyWebhookSync gives the reason',
  async (_title, globals) => {
    await expect(where(globals, () => verifyWebhook(body, signature, secret))).resolves.toBeDefined()
    const error = await rejection(where(globals, async () => verifyWebhookSync(body, signature, secret)))
    expect(error).toMatchObject({ name: 'WebhookVerificationError', reason: 'crypto-unavailable' })
  },
)

it.each([
  ['no crypto at all', { crypto: undefined, process: undefined }],
  ['a crypto without subtle, as in an insecure context', { crypto: {}, process: undefined }],
])('with %s, the error of verifyWebhook says that there is neither', async (_title, globals) => {
  const error = await rejection(where(globals, () => verifyWebhook(body, signature, secret)))
  expect(error).toMatchObject({ name: 'WebhookVerificationError', reason: 'crypto-unavailable' })
  expect(String(error)).toContain('neither node:crypto nor crypto.subtle')
})

it('verifyWebhook needs no WebCrypto if there is node:crypto', async () => {
  const pending = where({ crypto: undefined }, () => verifyWebhook(body, signature, secret))
  await expect(pending).resolves.toBeDefined()
})

it('the error of verifyWebhookSync without node:crypto names the asynchronous functions', async () => {
  const refusal = await withoutNodeCrypto(() => {
    expect(() => verifyWebhookSync(body, signature, secret)).toThrow(WebhookVerificationError)
    expect(() => verifyWebhookSync(body, signature, secret)).toThrow(/node:crypto.*asynchronous/)
    return verifyWebhook(body, signature, secret)
  })
  expect(refusal.eventName).toBe('referral.issued')
})

it('verifyWebhook verifies the bytes as they were at the call, even if they change while WebCrypto works', async () => {
  const bytes = Buffer.from(body)
  const event = await withoutNodeCrypto(() => {
    const pending = verifyWebhook(bytes, signature, secret)
    bytes.fill('x')
    return pending
  })
  expect(event).toEqual(JSON.parse(body))
})
