import { EVENT_NAMES, type EventName } from '../../contract/events.js'
import type { DeletedWebhook, Webhook } from '../../contract/types.js'
import { FakeApiError } from '../server/api-error.js'
import type { FakeCall, FakeContext, HandlerTable } from '../server/context.js'
import { listPage, standardPages } from '../server/lists.js'
import type { Organisation } from '../state/orders.js'
import type { OwnerNotice, WebhookRow } from '../state/webhooks.js'
import { checkWebhookBody, type WebhookFields } from './webhooks-body.js'

/** §4.6 */
export const handlers: HandlerTable = {
  'webhooks.create': createWebhook,
  'webhooks.list': listWebhooks,
  'webhooks.eventNames': () => ({ events: [...EVENT_NAMES] }),
  'webhooks.retrieve': (context, call) => webhookView(findWebhook(context, call.params['id'])),
  'webhooks.update': updateWebhook,
  'webhooks.delete': deleteWebhook,
}

/** A webhook as the service answers it (§2.12); the signing secret is never part of it. */
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

/** Keeps a new webhook; what its URL and events are has been checked before. */
export function addWebhook(
  context: FakeContext,
  fields: { readonly url: string; readonly events: readonly EventName[]; readonly active?: boolean },
  organisation: Organisation = 'own',
): WebhookRow {
  const { webhooks } = context.state
  const now = context.clock.iso()
  const row: WebhookRow = {
    sequence: webhooks.nextSequence,
    organisation,
    id: context.random.uuid(),
    url: fields.url,
    events: fields.events,
    active: fields.active ?? true,
    createdAt: now,
    updatedAt: now,
  }
  webhooks.nextSequence += 1
  webhooks.webhooks.set(row.id, row)
  webhooks.lists[organisation].push(row)
  return row
}

function createWebhook(context: FakeContext, call: FakeCall): Webhook {
  const { url = '', events = [], active = true } = checkWebhookBody(context, call, 'WebhookCreate')
  refuseDuplicate(context, { url, events })
  const row = addWebhook(context, { url, events, active })
  notifyOwners(context, 'webhook-created', row)
  return webhookView(row)
}

function listWebhooks(context: FakeContext, call: FakeCall): unknown {
  const { items, cursor } = listPage(
    call,
    standardPages('webhooks.list'),
    { rows: context.state.webhooks.lists.own, position: (row) => row.sequence },
    { sortDefault: 'desc' },
  )
  const webhooks = items.map(webhookView)
  return cursor === undefined ? { webhooks } : { webhooks, cursor }
}

function updateWebhook(context: FakeContext, call: FakeCall): Webhook {
  const row = findWebhook(context, call.params['id'])
  const changes: WebhookFields = checkWebhookBody(context, call, 'WebhookUpdate')
  const { url = row.url, events = row.events, active = row.active } = changes
  refuseDuplicate(context, { url, events, id: row.id })
  const repointed = url !== row.url
  Object.assign(row, { url, events, active, updatedAt: context.clock.iso() })
  if (repointed) notifyOwners(context, 'webhook-repointed', row)
  return webhookView(row)
}

/** Deliveries that are queued already carry their own URL and still go (§3.5). */
function deleteWebhook(context: FakeContext, call: FakeCall): DeletedWebhook {
  const row = findWebhook(context, call.params['id'])
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

/** One event reaches one URL from one webhook only; a paused webhook counts, as it may be resumed (§4.6). */
function refuseDuplicate(
  context: FakeContext,
  wanted: { readonly url: string; readonly events: readonly EventName[]; readonly id?: string },
): void {
  const taken = context.state.webhooks.lists.own
    .filter((row) => row.id !== wanted.id && row.url === wanted.url)
    .flatMap((row) => row.events.filter((event) => wanted.events.includes(event)))
  if (taken.length === 0) return
  const issues = taken.map(
    (event) => `${event} already reaches this url from another webhook [field: events]`,
  )
  throw new FakeApiError('DUPLICATE_WEBHOOK_SUBSCRIPTION', issues)
}

function notifyOwners(context: FakeContext, kind: OwnerNotice['kind'], row: WebhookRow): void {
  const { ownerNotices } = context.state.webhooks
  ownerNotices.push({ kind, webhookId: row.id, sentAt: context.clock.iso() })
  if (ownerNotices.length > context.options.journalLimit) ownerNotices.shift()
}
