import { isKnownEventName, type KnownEvent, type WebhookEvent } from '../../contract/events.js'
import { fieldOf } from '../../contract/read.js'
import { isBytes } from '../../contract/realms.js'
import { WebhookVerificationError } from './verification-error.js'

/** Deeper nesting could overflow the stack of loggers and structured clones. No real event comes near it. */
const MAX_DEPTH = 64

/**
 * Parses an event that was verified earlier, such as one from a queue: `receiver.dispatch(parseWebhookEvent(row))`. It
 * checks no signature, so use `verifyWebhook` for a delivery.
 *
 * What it checks is the envelope: `eventName` and `version` are text that isn't empty, `eventUuid` has 1 to 200
 * printable ASCII characters, `data` is an object, and nothing is nested more than 64 levels deep. The service may add
 * names and versions, so unknown ones pass, and the fields of `data` are not checked.
 *
 * @param source - JSON as text, JSON as bytes in UTF-8, or a value from `JSON.parse`.
 * @throws {@link WebhookVerificationError} with reason `json-invalid`, `json-too-deep` or `envelope-invalid`.
 */
export function parseWebhookEvent(source: unknown): WebhookEvent {
  const value = typeof source === 'string' || isBytes(source) ? parseJson(source) : source
  if (!isEnvelope(value)) throw new WebhookVerificationError('envelope-invalid', envelopeProblem(value))
  refuseDeeper(value, 1)
  return value
}

/**
 * Returns `true` when this version knows the event's name. For a known event, a `switch` over `event.eventName` can be
 * exhaustive. Respond to unknown events with 200: the service may add names at any time.
 */
export function isKnownEvent(event: WebhookEvent): event is KnownEvent {
  const name = fieldOf(event, 'eventName')
  return typeof name === 'string' && isKnownEventName(name)
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function parseJson(body: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof body === 'string' ? body : UTF_8.decode(body))
  } catch {
    // The error has no cause, because the parser's message quotes the body.
    throw new WebhookVerificationError('json-invalid')
  }
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
  return isFields(value) && ENVELOPE.every(([field, , holds]) => holds(value[field]))
}

function envelopeProblem(value: unknown): string {
  if (!isFields(value)) return 'It must be an object.'
  const broken = ENVELOPE.filter(([field, , holds]) => !holds(value[field]))
  return broken.map(([field, rule]) => `${field} must be ${rule}.`).join(' ')
}

function refuseDeeper(node: object, depth: number): void {
  if (depth > MAX_DEPTH)
    throw new WebhookVerificationError('json-too-deep', `The limit is ${MAX_DEPTH} levels.`)
  const values: readonly unknown[] = Array.isArray(node) ? node : Object.values(node)
  for (const value of values) if (isObject(value)) refuseDeeper(value, depth + 1)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
