import { endpoints } from '../../contract/endpoints.js'
import { EVENT_NAMES, type EventName } from '../../contract/events.js'
import type { DeletedWebhook, Webhook } from '../../contract/types.js'
import { FakeApiError } from '../server/api-error.js'
import type { FakeCall, HandlerTable } from '../server/context.js'
import { pageResponse } from '../server/lists.js'
import { anyValue, boolean, checkFields, text } from '../server/value-rules.js'
import type { FakeContext } from '../state/context.js'
import type { Organisation } from '../state/orders.js'
import type { OwnerNotice, WebhookRow } from '../state/webhooks.js'
import { rejectMisspeltEvent } from './events.js'
import { addToJournal } from './journals.js'
import { checkWebhookBody, checkWebhookUrl, uniqueEvents, type WebhookFields } from './webhooks-body.js'

/** Handlers of the webhook endpoints (§4.6). */
export const handlers: HandlerTable<FakeContext> = {
  'webhooks.create': createWebhook,
  'webhooks.list': listWebhooks,
  'webhooks.eventNames': () => ({ events: [...EVENT_NAMES] }),
  'webhooks.retrieve': (context, call) => webhookView(findWebhook(context, call.params['id'])),
  'webhooks.update': updateWebhook,
  'webhooks.delete': deleteWebhook,
}

/** Converts a webhook to the service's response (§2.12), which does not contain the signing secret. */
export function webhookView(row: WebhookRow): Webhook {
  return {
    object: 'webhook',
    id: row.id,
    url: row.url,
    events: [...row.events],
    active: row.active,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

/** Stores a new webhook. The caller has checked its URL and events. */
export function addWebhook(
  context: FakeContext,
  fields: {
    readonly url: string
    readonly events: readonly EventName[]
    readonly active?: boolean
    readonly createdAt?: string
  },
  organisation: Organisation = 'own',
): WebhookRow {
  const { webhooks } = context.state
  const createdAt = fields.createdAt ?? context.clock.tick()
  const row: WebhookRow = {
    sequence: webhooks.nextSequence,
    organisation,
    id: context.random.uuid(),
    url: fields.url,
    events: fields.events,
    active: fields.active ?? true,
    createdAt,
    updatedAt: createdAt,
  }
  webhooks.nextSequence += 1
  webhooks.webhooks.set(row.id, row)
  webhooks.lists[organisation].push(row)
  return row
}

function createWebhook(context: FakeContext, call: FakeCall): Webhook {
  const { url = '', events = [], active = true } = checkWebhookBody(context, call, 'WebhookCreate')
  rejectDuplicate(context, { url, events })
  const row = addWebhook(context, { url, events, active })
  notifyOwners(context, 'webhook-created', row)
  return webhookView(row)
}

function listWebhooks(context: FakeContext, call: FakeCall): unknown {
  return pageResponse(call, {
    endpoint: endpoints.webhooks.list,
    rows: context.state.webhooks.lists.own,
    view: webhookView,
  })
}

function updateWebhook(context: FakeContext, call: FakeCall): Webhook {
  const row = findWebhook(context, call.params['id'])
  const changes: WebhookFields = checkWebhookBody(context, call, 'WebhookUpdate')
  const { url = row.url, events = row.events, active = row.active } = changes
  rejectDuplicate(context, { url, events, id: row.id })
  return webhookView(changeWebhook(context, row, { url, events, active }))
}

function changeWebhook(
  context: FakeContext,
  row: WebhookRow,
  changes: Pick<WebhookRow, 'url' | 'events' | 'active'>,
): WebhookRow {
  const repointed = changes.url !== row.url
  Object.assign(row, changes, { updatedAt: context.clock.tick() })
  if (repointed) notifyOwners(context, 'webhook-repointed', row)
  return row
}

/** Deletes a webhook. Queued deliveries contain the URL and are still sent (§3.5). */
function deleteWebhook(context: FakeContext, call: FakeCall): DeletedWebhook {
  return removeWebhook(context, findWebhook(context, call.params['id']))
}

function removeWebhook(context: FakeContext, row: WebhookRow): DeletedWebhook {
  const { webhooks } = context.state
  webhooks.webhooks.delete(row.id)
  webhooks.lists.own.splice(webhooks.lists.own.indexOf(row), 1)
  notifyOwners(context, 'webhook-deleted', row)
  return { object: 'webhook', id: row.id, deleted: true }
}

function findWebhook(context: FakeContext, id = ''): WebhookRow {
  const row = context.state.webhooks.webhooks.get(id.toLowerCase())
  if (row === undefined || row.organisation !== 'own') throw new FakeApiError('WEBHOOK_NOT_FOUND')
  return row
}

interface Subscription {
  readonly url: string
  readonly events: readonly EventName[]
  readonly id?: string
}

/** Rejects a webhook if another webhook, active or paused, sends the same event to the same URL (§4.6). */
function rejectDuplicate(context: FakeContext, wanted: Subscription): void {
  const issues = duplicates(context, wanted).map((problem) => `${problem} [field: events]`)
  if (issues.length > 0) throw new FakeApiError('DUPLICATE_WEBHOOK_SUBSCRIPTION', issues)
}

/** Returns a problem for each event that another webhook sends to the same URL. */
function duplicates(context: FakeContext, wanted: Subscription): string[] {
  return context.state.webhooks.lists.own
    .filter((row) => row.id !== wanted.id && row.url === wanted.url)
    .flatMap((row) => row.events.filter((event) => wanted.events.includes(event)))
    .map((event) => `another webhook already sends ${event} to this url`)
}

function notifyOwners(context: FakeContext, kind: OwnerNotice['kind'], row: WebhookRow): void {
  const { ownerNotices } = context.state.webhooks
  addToJournal(context, ownerNotices, { kind, webhookId: row.id, sentAt: context.clock.iso() })
}

/** Returns a webhook of the organisation. Throws an Error for an unknown id. */
function portalWebhook({ state }: FakeContext, id: string): WebhookRow {
  const row = state.webhooks.webhooks.get(id)
  if (row === undefined || row.organisation !== 'own') throw new Error(`the fake has no webhook ${id}`)
  return row
}

const FOREIGN = { url: 'https://hooks.other-organisation.example/', events: EVENT_NAMES, active: false }

function portalFields(
  context: FakeContext,
  { url, events, id }: Subscription,
): Pick<WebhookRow, 'url' | 'events'> {
  const { url: checked = url, problem } = checkWebhookUrl(url, { allowLoopback: true })
  if (problem !== undefined) throw new RangeError(`webhook url ${problem}`)
  const fields = { url: checked, events: portalEvents(events) }
  const [duplicate] = duplicates(context, { ...fields, ...(id === undefined ? {} : { id }) })
  if (duplicate !== undefined) throw new Error(duplicate)
  return fields
}

/** Checks the events of a webhook that the portal adds. Accepts names of new events. */
function portalEvents(events: readonly EventName[]): EventName[] {
  if (!Array.isArray(events) || events.length === 0 || !events.every(text.accepts))
    throw new RangeError('events must be a list of at least one event name')
  for (const name of events) rejectMisspeltEvent(name)
  return uniqueEvents(events)
}

const PORTAL_RULES = { url: text, events: anyValue }
const CHANGE_RULES = { ...PORTAL_RULES, active: boolean }

/** Control methods of webhooks (§4.6). */
export const webhookMethods = {
  /**
   * Adds a webhook, as the portal does. Without `events`, the webhook gets every known event. Accepts loopback URLs
   * even without `allowLoopbackWebhooks`, and names of new events. Throws an Error for an event that another webhook
   * already sends to the same URL. Throws a RangeError for:
   * - an unknown field
   * - an invalid URL, or a URL with credentials
   * - a public URL without https, or an internal address that is not a loopback address
   * - an empty list of events, or a misspelt event
   */
  createInPortal(
    context: FakeContext,
    options: { readonly url: string; readonly events?: readonly EventName[] | undefined },
  ): Webhook {
    checkFields(options, PORTAL_RULES, 'webhook', ['url'])
    const { url, events = EVENT_NAMES } = options
    return webhookView(addWebhook(context, portalFields(context, { url, events })))
  },
  /**
   * Changes the URL, the events or the state of a webhook, as the portal does: `active: false` pauses it. Accepts the
   * same URLs and events as `createInPortal`, and throws the same errors. Throws an Error for an unknown id.
   */
  changeInPortal(
    context: FakeContext,
    id: string,
    changes: {
      readonly url?: string | undefined
      readonly events?: readonly EventName[] | undefined
      readonly active?: boolean | undefined
    },
  ): Webhook {
    checkFields(changes, CHANGE_RULES, 'webhook')
    const row = portalWebhook(context, id)
    const { url = row.url, events = row.events, active = row.active } = changes
    return webhookView(changeWebhook(context, row, { ...portalFields(context, { url, events, id }), active }))
  },
  /** Deletes a webhook, as the portal does. Queued deliveries are still sent. Throws an Error for an unknown id. */
  deleteInPortal(context: FakeContext, id: string): DeletedWebhook {
    return removeWebhook(context, portalWebhook(context, id))
  },
  /** Adds a paused webhook of another organisation. The API responds to its id with WEBHOOK_NOT_FOUND. */
  createForeign(context: FakeContext): Webhook {
    return webhookView(addWebhook(context, FOREIGN, 'other'))
  },
  /** Returns the secret that signs the organisation's deliveries. No endpoint returns it. */
  signingSecret(context: FakeContext): string {
    return context.state.webhooks.signingSecrets.own
  },
  /**
   * Returns the emails that the service would have sent to owners and webhook managers, oldest first. The fake stores
   * the newest `journalLimit` emails.
   */
  ownerNotices(context: FakeContext): OwnerNotice[] {
    return context.state.webhooks.ownerNotices
  },
} as const

/**
 * Adds the initial webhooks, a day old: a webhook of another organisation and, if `options.webhookUrl` is set, the
 * webhook of this URL.
 */
export function seedWebhooks(context: FakeContext): void {
  const createdAt = new Date(context.clock.now() - 86_400_000).toISOString()
  addWebhook(context, { ...FOREIGN, createdAt }, 'other')
  const { webhookUrl } = context.options
  if (webhookUrl !== undefined)
    addWebhook(context, { ...portalFields(context, { url: webhookUrl, events: EVENT_NAMES }), createdAt })
}
