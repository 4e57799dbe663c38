import { inspect } from 'node:util'
import {
  isPathologyError,
  PathologyError,
  type RawBody,
  type WebhookHeaders,
  WebhookVerificationError,
  type WebhookVerificationReason,
} from 'pathology-sdk/webhooks'
import { describe, expect, it } from 'vitest'
import { VERIFICATION_REASONS } from '../../../src/webhooks/verification/verification-error.js'
import { shareOf } from '../../support/sample.js'
import { eventOf, rejection, sign, verifiers } from '../support.js'
import { ISSUED_VECTOR, SECRET } from './vectors.js'

const { body, signature } = ISSUED_VECTOR

/** Values that a caller in plain JavaScript can pass despite the types. */
const unchecked = <T>(value: unknown): T => value as T

interface Refusal {
  readonly title: string
  readonly reason: WebhookVerificationReason
  readonly body?: unknown
  readonly headers?: unknown
  readonly secret?: unknown
  readonly says?: RegExp
}

const signed = (text: string | Uint8Array): Pick<Refusal, 'body' | 'headers'> => ({
  body: text,
  headers: sign(text),
})

const nested = (levels: number): string =>
  `{"eventName":"x","eventUuid":"u","version":"1.0","data":{"deep":${'['.repeat(levels)}${']'.repeat(levels)}}}`

const refusals: readonly Refusal[] = [
  { title: 'an undefined secret', reason: 'secret-missing', secret: undefined, says: /environment variable/ },
  { title: 'a null secret', reason: 'secret-missing', secret: null },
  { title: 'an empty secret', reason: 'secret-missing', secret: '', headers: sign(body, '') },
  { title: 'no secret in the list', reason: 'secret-missing', secret: [] },
  {
    title: 'an empty secret in a list',
    reason: 'secret-missing',
    secret: [SECRET, ''],
    says: /secret 2 of 2/,
  },
  { title: 'a missing secret in a list', reason: 'secret-missing', secret: [SECRET, undefined] },
  { title: 'a secret that is bytes', reason: 'secret-missing', secret: Buffer.from(SECRET) },
  { title: 'a secret with a line break', reason: 'secret-whitespace', secret: `${SECRET}\n`, says: /trim/ },
  {
    title: 'a secret after a space',
    reason: 'secret-whitespace',
    secret: ` ${SECRET}`,
    says: /^(?!.*1 of 1)/,
  },
  { title: 'a padded secret in a list', reason: 'secret-whitespace', secret: [SECRET, 'b '], says: /2 of 2/ },
  { title: 'a parsed body', reason: 'body-not-raw', body: JSON.parse(body), says: /exact bytes/ },
  { title: 'a parsed list', reason: 'body-not-raw', body: [1, 2, 3] },
  { title: 'no body', reason: 'body-not-raw', body: undefined },
  { title: 'a null body', reason: 'body-not-raw', body: null },
  { title: 'a number for a body', reason: 'body-not-raw', body: 42 },
  { title: 'an empty text', reason: 'body-empty', ...signed('') },
  { title: 'no bytes', reason: 'body-empty', ...signed(new Uint8Array()) },
  { title: 'an empty ArrayBuffer', reason: 'body-empty', body: new ArrayBuffer(0) },
  {
    title: 'more than 10 MiB',
    reason: 'body-too-large',
    body: new Uint8Array(10 * 2 ** 20 + 1),
    says: /10485760/,
  },
  { title: 'text of more than 10 MiB', reason: 'body-too-large', body: '€'.repeat(4_000_000) },
  { title: 'no headers', reason: 'signature-missing', headers: undefined },
  { title: 'no signature among the headers', reason: 'signature-missing', headers: { host: 'example.org' } },
  { title: 'an empty signature', reason: 'signature-missing', headers: '' },
  { title: 'a number for headers', reason: 'headers-unreadable', headers: 7 },
  {
    title: 'a complete request instead of headers',
    reason: 'headers-unreadable',
    headers: { method: 'POST', headers: {} },
  },
  { title: 'two signatures, joined', reason: 'signature-ambiguous', headers: `${signature}, ${signature}` },
  { title: 'a signature one digit short', reason: 'signature-malformed', headers: signature.slice(1) },
  { title: 'a signature one digit long', reason: 'signature-malformed', headers: `${signature}0` },
  { title: 'a valid signature and more text', reason: 'signature-malformed', headers: `${signature}zz` },
  { title: 'a valid signature and a line break', reason: 'signature-malformed', headers: `${signature}\n` },
  { title: 'a valid signature after a space', reason: 'signature-malformed', headers: ` ${signature}` },
  {
    title: 'a valid signature after its algorithm',
    reason: 'signature-malformed',
    headers: `sha256=${signature}`,
  },
  { title: 'an invalid first digit', reason: 'signature-malformed', headers: `g${signature.slice(1)}` },
  { title: 'an invalid last digit', reason: 'signature-malformed', headers: `${signature.slice(0, -1)}g` },
  {
    title: 'the signature in base64',
    reason: 'signature-malformed',
    headers: Buffer.from(signature, 'hex').toString('base64'),
  },
  {
    title: 'a signature that is a number',
    reason: 'signature-malformed',
    headers: { 'x-svc-hmac-sha256': 5 },
  },
  { title: 'a signature of another secret', reason: 'signature-mismatch', headers: sign(body, 'other') },
  {
    title: 'a body written out again',
    reason: 'signature-mismatch',
    body: JSON.stringify(JSON.parse(body), null, 1),
    says: /exactly the received bytes/,
  },
  {
    title: 'text that lost bytes',
    reason: 'signature-mismatch',
    body: body.replace('ISSUED', '\uFFFD'),
    says: /U\+FFFD/,
  },
  { title: 'signed text that is not JSON', reason: 'json-invalid', ...signed('{"eventName": canary-text}') },
  { title: 'signed JSON after a byte order mark', reason: 'json-invalid', ...signed(`\uFEFF${body}`) },
  {
    title: 'signed bytes after a byte order mark',
    reason: 'json-invalid',
    ...signed(Buffer.from(`\uFEFF${body}`)),
  },
  {
    title: 'signed bytes that are not UTF-8',
    reason: 'json-invalid',
    ...signed(Buffer.from('{"a":"\xff"}', 'latin1')),
  },
  {
    title: 'signed JSON nested too deeply',
    reason: 'json-too-deep',
    ...signed(nested(70)),
    says: /64 levels/,
  },
  { title: 'signed null', reason: 'envelope-invalid', ...signed('null') },
  { title: 'a signed list', reason: 'envelope-invalid', ...signed('[]'), says: /must be an object/ },
  {
    title: 'a signed object',
    reason: 'envelope-invalid',
    ...signed('{}'),
    says: /eventName.*eventUuid.*version.*data/,
  },
  ...[
    ['eventName', 7],
    ['eventName', ''],
    ['eventUuid', null],
    ['eventUuid', ''],
    ['eventUuid', 'x'.repeat(201)],
    ['eventUuid', 'é'],
    ['eventUuid', 'a\nb'],
    ['version', 1],
    ['data', []],
    ['data', 'text'],
    ['data', null],
  ].map(
    ([field, value]): Refusal => ({
      title: `an event whose ${field} is ${JSON.stringify(value)}`,
      reason: 'envelope-invalid',
      ...signed(JSON.stringify(eventOf({ [String(field)]: value }))),
      says: new RegExp(`${field} must be`),
    }),
  ),
]

/** The first function is tested with every value, the others with some: they share the checks. */
function refusalsOf(verifier: string): readonly Refusal[] {
  const index = verifiers.findIndex(([name]) => name === verifier)
  return index === 0 ? refusals : shareOf(refusals, index, verifiers.length)
}

describe.each(verifiers)('%s rejects (§6)', (verifier, verify) => {
  it.each(refusalsOf(verifier))(`${verifier} rejects $title: $reason (§6)`, async (refusal) => {
    const given = { body, headers: signature, secret: SECRET, ...refusal }
    const error = await rejection(
      verify(
        unchecked<RawBody>(given.body),
        unchecked<WebhookHeaders>(given.headers),
        unchecked<string>(given.secret),
      ),
    )
    expect(error).toBeInstanceOf(WebhookVerificationError)
    expect(error).toMatchObject({
      name: 'WebhookVerificationError',
      reason: refusal.reason,
      code: `WEBHOOK_${refusal.reason.toUpperCase().replaceAll('-', '_')}`,
    })
    expect(String(error)).toMatch(refusal.says ?? /./)
  })

  it.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
  ])(
    `${verifier} rejects JSON that is nested more than 64 levels deep: %s`,
    async (_title, opening, closing) => {
      const levels = (count: number): string => {
        const inside = `${opening.repeat(count - 2)}1${closing.repeat(count - 2)}`
        return `{"eventName":"x","eventUuid":"u","version":"1.0","data":{"deep":${inside}}}`
      }
      await expect(verify(levels(64), sign(levels(64)), SECRET)).resolves.toBeDefined()
      const error = await rejection(verify(levels(65), sign(levels(65)), SECRET))
      expect(error).toHaveProperty('reason', 'json-too-deep')
    },
  )

  it(`${verifier} rejects an event, and names each wrong field`, async () => {
    const text = JSON.stringify(eventOf({ eventName: 7, data: [] }))
    const error = await rejection(verify(text, sign(text), SECRET))
    expect(String(error)).toMatch(/eventName must be a non-empty string\. data must be an object\.$/)
  })

  it.each<[string, RawBody]>([
    ['text that lost none', body.replace('ISSUED', 'issued')],
    ['bytes that hold U+FFFD', Buffer.from(body.replace('ISSUED', '\uFFFD'))],
  ])(`${verifier} rejects %s, without a hint about lost bytes`, async (_title, changed) => {
    const error = await rejection(verify(changed, signature, SECRET))
    expect(error).toHaveProperty('reason', 'signature-mismatch')
    expect(String(error)).not.toContain('FFFD')
  })
})

it('every reason of a rejection is tested above, except the runtime without cryptography', () => {
  const tested = new Set<string>([...refusals.map(({ reason }) => reason), 'crypto-unavailable'])
  expect([...tested].sort()).toEqual(Object.keys(VERIFICATION_REASONS).sort())
})

it.each(verifiers)('a rejection by %s contains no secret and no part of the body', async (_name, verify) => {
  const canary = 'Marguerite Canary-Smith 1961-02-03'
  const secret = 'canary-secret-9f2c'
  const text = JSON.stringify(eventOf({ data: { uuid: 'u', name: canary } }))
  const broken = `${text.slice(0, -1)},`
  const cases: [RawBody, WebhookHeaders | string, string | string[]][] = [
    [text, sign(text, 'other'), secret],
    [broken, sign(broken, secret), secret],
    [`{"eventName":"${canary}"}`, sign(`{"eventName":"${canary}"}`, secret), secret],
    [unchecked<RawBody>(JSON.parse(text)), sign(text, secret), secret],
    [text, `${sign(text, secret)}${canary}`, secret],
    [text, sign(text, secret), `${secret} `],
    [text, sign(text, secret), [secret, `${secret} `]],
  ]
  for (const [raw, headers, secrets] of cases) {
    const error = await rejection(verify(raw, headers, secrets))
    expect(error).toBeInstanceOf(WebhookVerificationError)
    const shown = [
      inspect(error, { depth: 10, showHidden: true }),
      String(error),
      JSON.stringify(error),
      error instanceof Error ? `${error.stack} ${error.cause}` : '',
    ].join('\n')
    expect(shown).not.toMatch(/Canary|1961-02-03|canary-secret/)
    expect(shown).not.toContain(sign(text, secret))
  }
})

it('a WebhookVerificationError is a PathologyError, and its JSON contains the reason', () => {
  const error = new WebhookVerificationError('signature-missing')
  expect(error).toBeInstanceOf(PathologyError)
  expect(isPathologyError(error, 'WEBHOOK_SIGNATURE_MISSING')).toBe(true)
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: 'WebhookVerificationError',
    code: 'WEBHOOK_SIGNATURE_MISSING',
    retryable: false,
    message: error.message,
    reason: 'signature-missing',
  })
})
