import type * as z from 'zod'

import { checkRequest } from '../../contract/check-request.js'
import { type EventName, isKnownEventName } from '../../contract/events.js'
import { fieldIssue, type RequestIssue } from '../../contract/issues.js'
import { REQUEST_SCHEMAS } from '../../contract/schemas/index.js'
import { FakeApiError } from '../server/api-error.js'
import type { FakeCall, FakeContext } from '../server/context.js'
import { checkWebhookUrl } from './webhooks-url.js'

/** The fields of a webhook that a body set, checked: the URL as it is stored, each event once. */
export interface WebhookFields {
  readonly url?: string
  readonly events?: readonly EventName[]
  readonly active?: boolean
}

type SchemaName = 'WebhookCreate' | 'WebhookUpdate'

/**
 * The body of a webhook (§4.6). The shape is judged first, then the URL, then the events; `errorList` names every
 * problem of all three.
 *
 * @throws FakeApiError - INVALID_PAYLOAD, INVALID_WEBHOOK_URL or INVALID_WEBHOOK_EVENTS.
 */
export function checkWebhookBody(context: FakeContext, call: FakeCall, schema: SchemaName): WebhookFields {
  const url = fieldOf(call.body, 'url')
  const events = fieldOf(call.body, 'events')
  const checkedUrl =
    typeof url === 'string'
      ? checkWebhookUrl(url, { allowLoopback: context.options.allowLoopbackWebhooks })
      : undefined
  const shape = checkRequest(schema, call.body, call.version).filter(
    (issue) => !isJudgedHere(issue, url, events),
  )
  const urls =
    checkedUrl !== undefined && 'problem' in checkedUrl ? [fieldIssue(['url'], checkedUrl.problem)] : []
  const names = eventIssues(events)
  const issues = [...shape, ...urls, ...names]
  if (shape.length > 0) throw new FakeApiError('INVALID_PAYLOAD', issues)
  if (urls.length > 0) throw new FakeApiError('INVALID_WEBHOOK_URL', issues)
  if (names.length > 0) throw new FakeApiError('INVALID_WEBHOOK_EVENTS', issues)
  return fieldsOf(
    call.body,
    schema,
    checkedUrl !== undefined && 'url' in checkedUrl ? checkedUrl.url : undefined,
  )
}

/** The events of a list, each once, in the order given. */
export function uniqueEvents(events: readonly EventName[]): EventName[] {
  return [...new Set(events)]
}

function fieldsOf(body: unknown, schema: SchemaName, url: string | undefined): WebhookFields {
  const fields: z.output<typeof REQUEST_SCHEMAS.WebhookUpdate> = REQUEST_SCHEMAS[schema].parse(body)
  return {
    ...(url === undefined ? {} : { url }),
    ...(fields.events === undefined ? {} : { events: uniqueEvents(fields.events) }),
    ...(fields.active === undefined ? {} : { active: fields.active }),
  }
}

function fieldOf(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
}

/** Text as a URL and a list of texts as events have codes of their own, whatever is wrong with them. */
function isJudgedHere(issue: RequestIssue, url: unknown, events: unknown): boolean {
  if (issue.field === 'url') return typeof url === 'string'
  if (issue.field === 'events') return Array.isArray(events)
  const index = /^events\[(\d+)\]$/.exec(issue.field ?? '')?.[1]
  return index !== undefined && Array.isArray(events) && typeof events[Number(index)] === 'string'
}

function eventIssues(events: unknown): RequestIssue[] {
  if (!Array.isArray(events)) return []
  if (events.length === 0) return [fieldIssue(['events'], 'must name at least one event')]
  return events.flatMap((name: unknown, index) => {
    if (typeof name !== 'string' || isKnownEventName(name)) return []
    return [fieldIssue(['events', index], `is not a known event: ${JSON.stringify(name.slice(0, 100))}`)]
  })
}
