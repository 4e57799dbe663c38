import fc from 'fast-check'
import {
  type RawBody,
  verifyWebhook,
  verifyWebhookSync,
  type WebhookHeaders,
  WebhookVerificationError,
} from 'pathology-sdk/webhooks'
import { describe, expect, it } from 'vitest'
import { rejection, sign, verifiers } from '../webhooks/support.js'

const secrets = fc.string({ minLength: 1, unit: 'binary' }).filter((text) => text.trim() === text)

/** An event's text with any JSON in it, in different notations. */
const bodies = fc
  .tuple(
    fc.string({ minLength: 1 }),
    fc.uuid(),
    fc.string({ minLength: 1 }),
    fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })),
    fc.integer({ min: 0, max: 4 }),
  )
  .map(([eventName, eventUuid, version, data, indent]) =>
    JSON.stringify({ eventName, eventUuid, version, data }, null, indent),
  )

const flipBit = (bytes: Uint8Array, bit: number): Buffer => {
  const changed = Buffer.from(bytes)
  const index = Math.floor(bit / 8) % changed.length
  changed[index] = (changed[index] ?? 0) ^ (1 << (bit % 8))
  return changed
}

describe.each(verifiers)('%s, for any body and secret', (name, verify) => {
  it(`${name} accepts any signed body, and returns its JSON (§6, property)`, async () => {
    await fc.assert(
      fc.asyncProperty(bodies, secrets, fc.boolean(), async (body, secret, asBytes) => {
        const event = await verify(asBytes ? Buffer.from(body) : body, sign(body, secret), secret)
        expect(event.eventName).toBe(JSON.parse(body).eventName)
      }),
    )
  })

  it(`${name} rejects signed bytes that are not an event for that reason, never for their signature (§6, property)`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 2_000 }), secrets, async (bytes, secret) => {
        const error = await rejection(verify(bytes, sign(bytes, secret), secret))
        expect(error).toBeInstanceOf(WebhookVerificationError)
        expect(error).toHaveProperty('reason', expect.stringMatching(/^(json|envelope)-/))
      }),
    )
  })

  it(`${name} rejects any change of one bit in the body (§6, property)`, async () => {
    await fc.assert(
      fc.asyncProperty(bodies, secrets, fc.nat(), async (body, secret, bit) => {
        const changed = flipBit(Buffer.from(body), bit)
        await expect(verify(changed, sign(body, secret), secret)).rejects.toMatchObject({
          reason: 'signature-mismatch',
        })
      }),
    )
  })

  it(`${name} rejects any change of one bit in the signature, except capital letters (§6, property)`, async () => {
    await fc.assert(
      fc.asyncProperty(bodies, secrets, fc.nat(64 * 8 - 1), async (body, secret, bit) => {
        const signature = sign(body, secret)
        const changed = flipBit(Buffer.from(signature, 'latin1'), bit).toString('latin1')
        if (changed.toLowerCase() === signature) return
        await expect(verify(body, changed, secret)).rejects.toBeInstanceOf(WebhookVerificationError)
      }),
    )
  })

  it(`${name} rejects any change of one bit in the secret (§6, property)`, async () => {
    const ascii = fc.string({ minLength: 1, maxLength: 60 }).filter((text) => text.trim() === text)
    await fc.assert(
      fc.asyncProperty(
        bodies,
        ascii,
        fc.nat(),
        fc.integer({ min: 0, max: 6 }),
        async (body, secret, at, bit) => {
          const changed = flipBit(Buffer.from(secret), (at % secret.length) * 8 + bit).toString()
          const error = await rejection(verify(body, sign(body, secret), changed))
          expect(error).toBeInstanceOf(WebhookVerificationError)
        },
      ),
    )
  })
})

describe('any arguments', () => {
  const junk = fc.anything({
    withMap: true,
    withNullPrototype: true,
    withTypedArray: true,
    withBigInt: true,
    withDate: true,
    withSparseArray: true,
  })
  const headerNames = fc.constantFrom('x-svc-hmac-sha256', 'X-Svc-Hmac-Sha256', 'headers', 'get', '__proto__')
  const headers = fc.oneof(
    junk,
    fc.string(),
    fc.dictionary(headerNames, junk),
    fc.array(fc.tuple(headerNames, junk)),
    fc.array(fc.oneof(headerNames, junk)),
  )

  it('verifying a webhook with any arguments only throws WebhookVerificationError (§6, property)', async () => {
    await fc.assert(
      fc.asyncProperty(junk, headers, fc.oneof(junk, secrets), async (body, source, secret) => {
        // The types forbid what plain JavaScript can pass.
        const args = [body as RawBody, source as WebhookHeaders, secret as string] as const
        expect(await rejection(verifyWebhook(...args))).toBeInstanceOf(WebhookVerificationError)
        expect(() => verifyWebhookSync(...args)).toThrow(WebhookVerificationError)
      }),
      { numRuns: 200 },
    )
  })

  it('headers with any contents never accept an unsigned body (§6, property)', async () => {
    await fc.assert(
      fc.asyncProperty(bodies, headers, secrets, async (body, source, secret) => {
        const error = await rejection(verifyWebhook(body, source as WebhookHeaders, secret))
        expect(error).toBeInstanceOf(WebhookVerificationError)
      }),
      { numRuns: 200 },
    )
  })
})
