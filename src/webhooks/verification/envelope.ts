import { isKnownEventName, type KnownEvent, type WebhookEvent } from '../../contract/events.js'
import { fieldOf } from '../../contract/read.js'
import { WebhookVerificationError } from './verification-error.js'

/**
 * Maximum nesting of an event. The limit prevents stack overflows in loggers and structured clones. No real event
 * reaches the limit.
 */
const MAX_DEPTH = 64

/**
 * Parses an event that was verified earlier, such as an event from a queue:
 * `receiver.dispatch(parseWebhookEvent(row))`. This function does not check a signature: use `verifyWebhook` for a
 * delivery.
 *
 * The function checks the envelope: `eventName` and `version` are text that is not empty, `eventUuid` has 1 to 200
 * printable ASCII characters, and `data` is an object. It also checks that the event is nested at most 64 levels deep.
 * Unknown names and versions are accepted, because the service may add them. The fields of `data` are not checked.
 *
 * The function removes keys that could pollute prototypes, such as `__proto__`. If you pass an object, the function
 * changes this object and does not copy it. A frozen object with such a key is rejected.
 *
 * @param source - JSON as text, JSON as bytes in UTF-8, or a value from `JSON.parse`.
 * @throws {@link WebhookVerificationError} with reason `json-invalid`, `json-too-deep` or `envelope-invalid`.
 */
export function parseWebhookEvent(source: unknown): WebhookEvent {
  try {
    const value = typeof source === 'string' || source instanceof Uint8Array ? parseJson(source) : source
    if (!isEnvelope(value)) throw new WebhookVerificationError('envelope-invalid', envelopeProblem(value))
    makeSafe(value, 1)
    return value
  } catch (error) {
    if (error instanceof WebhookVerificationError) throw error
    // The value is a proxy, has a getter that throws, or is frozen and has a key that must be removed. JSON.parse never
    // returns such a value.
    throw new WebhookVerificationError(
      'envelope-invalid',
      'It must be JSON, or a value from JSON.parse that is not frozen.',
    )
  }
}

/**
 * Returns `true` when this version knows the event's name. For a known event, a `switch` over `event.eventName` can be
 * exhaustive. Respond to unknown events with 200: the service may add names at any time.
 */
export function isKnownEvent(event: WebhookEvent): event is KnownEvent {
  const name = fieldOf(event, 'eventName')
  return typeof name === 'string' && isKnownEventName(name)
}

function parseJson(body: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof body === 'string' ? body : decode(body))
  } catch {
    // The error has no cause, because the parser's message quotes the body.
    throw new WebhookVerificationError('json-invalid')
  }
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}

type Fields = Record<string, unknown>

function isFields(value: unknown): value is Fields {
  return isObject(value) && !Array.isArray(value)
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

/** Format of an event's id. The service sends a UUID; the limits protect the stores that use the id as a key. */
const EVENT_UUID = /^[\x20-\x7e]{1,200}$/

const isEventUuid = (value: unknown): boolean => typeof value === 'string' && EVENT_UUID.test(value)

/** Fields of every event: the rule for error messages, and its check. */
const ENVELOPE = [
  ['eventName', 'a non-empty string', isText],
  ['eventUuid', '1 to 200 printable ASCII characters', isEventUuid],
  ['version', 'a non-empty string', isText],
  ['data', 'an object', isFields],
] as const

function isEnvelope(value: unknown): value is WebhookEvent & Fields {
  // The checks are written out, because a loop over ENVELOPE is slower for a small event.
  return (
    isFields(value) &&
    isText(value['eventName']) &&
    isEventUuid(value['eventUuid']) &&
    isText(value['version']) &&
    isFields(value['data'])
  )
}

function envelopeProblem(value: unknown): string {
  if (!isFields(value)) return 'It must be an object.'
  const broken = ENVELOPE.filter(([field, , holds]) => !holds(value[field]))
  return broken.map(([field, rule]) => `${field} must be ${rule}.`).join(' ')
}

/**
 * Removes keys that would pollute prototypes when a caller copies or merges the event. Throws for an event that is
 * nested too deeply. The value is changed in place, because no valid event has such a key.
 */
function makeSafe(node: object, depth: number): void {
  if (depth > MAX_DEPTH) {
    throw new WebhookVerificationError('json-too-deep', `The limit is ${MAX_DEPTH} levels.`)
  }
  if (isFields(node)) makeFieldsSafe(node, depth)
  else if (Array.isArray(node)) {
    for (const item of node) if (isObject(item)) makeSafe(item, depth + 1)
  }
}

function makeFieldsSafe(fields: Fields, depth: number): void {
  // Object.entries takes several times as long for a small event.
  for (const key in fields) {
    const value = fields[key]
    if (!pollutesPrototype(key, value)) {
      if (isObject(value)) makeSafe(value, depth + 1)
    } else if (!Reflect.deleteProperty(fields, key)) throw new TypeError('frozen')
  }
}

function pollutesPrototype(key: string, value: unknown): boolean {
  if (key === '__proto__') return true
  return key === 'constructor' && isFields(value) && Object.hasOwn(value, 'prototype')
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
