import { inspect } from 'node:util'
import { isKnownEvent, parseWebhookEvent, WebhookVerificationError } from 'pathology-sdk/webhooks'
import { expect, it } from 'vitest'
import { eventOf } from '../support.js'

const nested = (depth: number): unknown => (depth === 0 ? 0 : [nested(depth - 1)])

function caught(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

const event = eventOf()
const text = JSON.stringify(event)

it('parseWebhookEvent reads an event from text, from bytes and from a parsed value', () => {
  for (const source of [text, Buffer.from(text), JSON.parse(text)])
    expect(parseWebhookEvent(source)).toEqual(event)
})

it.each([
  ['no JSON', 'private words', 'json-invalid'],
  ['no object', 17, 'envelope-invalid'],
  ['nothing', undefined, 'envelope-invalid'],
  ['no event', { eventName: 'referral.issued', data: {} }, 'envelope-invalid'],
  ['data that is not an object', eventOf({ data: 'private words' }), 'envelope-invalid'],
  ['too deep', eventOf({ data: { deep: nested(100) } }), 'json-too-deep'],
])('parseWebhookEvent rejects %s with its reason, and repeats nothing of it', (_what, source, reason) => {
  const error = caught(() => parseWebhookEvent(source))
  expect(error).toBeInstanceOf(WebhookVerificationError)
  expect(error).toMatchObject({ reason })
  expect(inspect(error, { showHidden: true })).not.toContain('private words')
})

it('parseWebhookEvent says what is wrong with a text that is not an event', () => {
  expect(String(caught(() => parseWebhookEvent('17')))).toMatch(/ It must be an object\.$/)
})

it.each([
  ['referral.issued', true],
  ['referral.sneezed', false],
  ['toString', false],
  ['constructor', false],
  ['__proto__', false],
])('isKnownEvent: %s: %s', (eventName, known) => {
  expect(isKnownEvent(parseWebhookEvent(eventOf({ eventName })))).toBe(known)
})

it.each(['1', 'an event of 7', 'x'.repeat(200)])(
  'parseWebhookEvent accepts the eventUuid %j',
  (eventUuid) => {
    expect(parseWebhookEvent(eventOf({ eventUuid }))).toHaveProperty('eventUuid', eventUuid)
  },
)

it('parseWebhookEvent keeps a key __proto__ as plain data', () => {
  const { data } = parseWebhookEvent(text.replace('"data":{', '"data":{"__proto__":{"admin":true},'))
  expect(Object.keys(data)).toEqual(['__proto__', 'uuid', 'status'])
  expect(Reflect.get({}, 'admin')).toBeUndefined()
})
