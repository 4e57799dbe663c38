import type { WebhookEvent } from '../contract/events.js'
import { WebhookVerificationError } from './verification-error.js'

/** Deeper than any event; what recurses over a body (a logger, a structured clone) stays clear of its stack. */
const MAX_DEPTH = 64

/**
 * Reads an event that was verified before, such as one kept in a queue: `receiver.dispatch(parseWebhookEvent(row))`.
 * It is not the check of a delivery: that is `verifyWebhook`, which reads the signed body by this function (§6).
 *
 * Checked: the envelope (`eventName` and `version` as text, `eventUuid` as 1 to 200 printable ASCII characters, `data` as
 * an object) and the depth.
 * Names and versions that this package does not know pass, since the service may add some; what an event's
 * `data` holds is the service's word. Keys that poison prototypes are removed.
 *
 * @param source - JSON, as text or bytes in UTF-8, or what `JSON.parse` made of it.
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
    // Only an object with getters or a proxy, which no JSON is.
    throw new WebhookVerificationError('envelope-invalid', 'It must be JSON, or what JSON.parse made of it.')
  }
}

function parseJson(body: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof body === 'string' ? body : decode(body))
  } catch {
    // The parser's own message quotes the body, so it is not kept as the cause.
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

/** The service sends a UUID. It becomes the key of de-duplication stores, so another text is accepted within bounds only. */
const EVENT_UUID = /^[\x20-\x7e]{1,200}$/

const isEventUuid = (value: unknown): boolean => typeof value === 'string' && EVENT_UUID.test(value)

/** What every event has, and what each must be, for errors. */
const ENVELOPE = [
  ['eventName', 'a non-empty string', isText],
  ['eventUuid', '1 to 200 printable ASCII characters', isEventUuid],
  ['version', 'a non-empty string', isText],
  ['data', 'an object', isFields],
] as const

function isEnvelope(value: unknown): value is WebhookEvent & Fields {
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
 * Removes the keys that poison prototypes when a caller copies or merges the event, and refuses a body nested
 * too deeply. Only what `JSON.parse` made has such keys, so nobody's own object is changed.
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
  // Object.values would triple the cost for a small event.
  for (const key in fields) {
    const value = fields[key]
    if (isPoison(key, value)) Reflect.deleteProperty(fields, key)
    else if (isObject(value)) makeSafe(value, depth + 1)
  }
}

function isPoison(key: string, value: unknown): boolean {
  if (key === '__proto__') return true
  return key === 'constructor' && isFields(value) && Object.hasOwn(value, 'prototype')
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
