import type * as z from 'zod'

import { isPrivateHost } from '../../common/private-addresses.js'
import { checkRequest } from '../../contract/check-request.js'
import { type EventName, isKnownEventName } from '../../contract/events.js'
import { fieldIssue, type IssueDraft } from '../../contract/issues.js'
import { REQUEST_SCHEMAS } from '../../contract/schemas/index.js'
import { rejection } from '../server/api-error.js'
import type { FakeCall } from '../server/context.js'
import type { FakeContext } from '../state/context.js'

/** Checked fields of a webhook: the normalised URL, and each event once. */
export interface WebhookFields {
  readonly url?: string
  readonly events?: readonly EventName[]
  readonly active?: boolean
}

/** The normalised URL of a webhook, or the rule that it breaks. */
interface CheckedUrl {
  readonly url?: string
  readonly problem?: string
}

type SchemaName = 'WebhookCreate' | 'WebhookUpdate'

/**
 * Checks the body of a webhook (§4.6).
 *
 * @throws FakeApiError - INVALID_PAYLOAD if the shape is invalid, otherwise INVALID_WEBHOOK_URL if the URL is invalid,
 * otherwise INVALID_WEBHOOK_EVENTS. `errorList` contains every problem.
 */
export function checkWebhookBody(context: FakeContext, call: FakeCall, schema: SchemaName): WebhookFields {
  const url = fieldOf(call.body, 'url')
  const events = fieldOf(call.body, 'events')
  const checked: CheckedUrl =
    typeof url === 'string'
      ? checkWebhookUrl(url, { allowLoopback: context.options.allowLoopbackWebhooks })
      : {}
  const issues = [
    ...checkRequest(schema, call.body, call.version).filter((issue) => !hasOwnCode(issue, url, events)),
    ...(checked.problem === undefined ? [] : [fieldIssue(['url'], checked.problem, 'INVALID_WEBHOOK_URL')]),
    ...eventIssues(events),
  ]
  if (issues.length > 0) throw rejection(issues, ['INVALID_WEBHOOK_URL', 'INVALID_WEBHOOK_EVENTS'])
  const fields: z.output<typeof REQUEST_SCHEMAS.WebhookUpdate> = REQUEST_SCHEMAS[schema].parse(call.body)
  return {
    ...(checked.url !== undefined && { url: checked.url }),
    ...(fields.events !== undefined && { events: uniqueEvents(fields.events) }),
    ...(fields.active !== undefined && { active: fields.active }),
  }
}

/** Returns the events of a list, each once, in order. */
export function uniqueEvents(events: readonly EventName[]): EventName[] {
  return [...new Set(events)]
}

function fieldOf(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
}

/**
 * Returns `true` when another check of this file reports the issue: URLs and event names have their own error codes.
 */
function hasOwnCode(issue: IssueDraft, url: unknown, events: unknown): boolean {
  if (issue.field === 'url') return typeof url === 'string'
  if (issue.field === 'events') return Array.isArray(events)
  const index = /^events\[(\d+)\]$/.exec(issue.field ?? '')?.[1]
  return index !== undefined && Array.isArray(events) && typeof events[Number(index)] === 'string'
}

function eventIssues(events: unknown): IssueDraft[] {
  if (!Array.isArray(events)) return []
  if (events.length === 0)
    return [fieldIssue(['events'], 'must name at least one event', 'INVALID_WEBHOOK_EVENTS')]
  return events.flatMap((name: unknown, index) => {
    if (typeof name !== 'string' || isKnownEventName(name)) return []
    const rule = `is not a known event: ${JSON.stringify(name.slice(0, 100))}`
    return [fieldIssue(['events', index], rule, 'INVALID_WEBHOOK_EVENTS')]
  })
}

/**
 * Checks a webhook's URL. Returns the normalised URL, or the problem (§2.12, §4.6). Does not resolve host names.
 *
 * @param policy - `allowLoopback` accepts loopback hosts, with http too.
 */
export function checkWebhookUrl(text: string, policy: { readonly allowLoopback: boolean }): CheckedUrl {
  if (!URL.canParse(text)) return { problem: 'must be a URL' }
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return { problem: 'must not contain credentials' }
  if (policy.allowLoopback && /^https?:$/.test(url.protocol) && isLoopback(url.hostname)) {
    return { url: url.href }
  }
  if (url.protocol !== 'https:') return { problem: 'must use https' }
  return isPrivateHost(url.hostname)
    ? { problem: 'must not be a private, loopback, link-local or internal address' }
    : { url: url.href }
}

/**
 * Returns `true` when a host is a loopback address, `localhost`, or a subdomain of `localhost`. The URL parser has
 * already converted decimal, octal and hexadecimal addresses.
 */
function isLoopback(hostname: string): boolean {
  return /^(127(\.\d+){3}|\[::1\]|(.+\.)?localhost\.?)$/.test(hostname)
}
