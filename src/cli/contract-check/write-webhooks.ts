import { isFields } from '../../contract/check.js'
import { endpoints } from '../../contract/endpoints.js'
import { checkError, expect, type ReportPlace } from './check-response.js'
import type { WriteContext } from './order-lifecycle.js'
import { compare } from './records.js'

const { create, update, delete: remove } = endpoints.webhooks

/** URL of the webhook of a check. The webhook is paused, so nothing is sent to it. */
const WEBHOOK_URL = 'https://contract-check.example.com/webhooks'

const REJECTED: readonly (readonly [situation: string, body: object, code: string])[] = [
  [
    'http URL',
    { url: 'http://contract-check.example.com', events: ['referral.issued'] },
    'INVALID_WEBHOOK_URL',
  ],
  ['private URL', { url: 'https://10.0.0.1/webhooks', events: ['referral.issued'] }, 'INVALID_WEBHOOK_URL'],
  ['unknown event', { url: WEBHOOK_URL, events: ['no.such_event'] }, 'INVALID_WEBHOOK_EVENTS'],
  ['own id', { url: WEBHOOK_URL, events: ['referral.issued'], id: 'own-id' }, 'INVALID_PAYLOAD'],
]

/** Creates a paused webhook, changes it and deletes it. The organisation's owners get e-mails. */
export async function checkWebhookChanges(context: WriteContext): Promise<void> {
  const { requester, report } = context
  const post = (body: object) =>
    requester.send({ endpoint: create.id, method: 'POST', path: create.path, body })
  const created = new Set<string>()
  const deleteWebhook = async (id: string) => {
    const path = `/v1/webhooks/${encodeURIComponent(id)}`
    const response = await requester.send({ endpoint: remove.id, method: 'DELETE', path, isCleanUp: true })
    if (response.status < 300) created.delete(id)
    return response
  }
  try {
    for (const [situation, body, code] of REJECTED) {
      const response = await post({ ...body, active: false })
      checkError({ report, endpoint: create.id, situation }, response, { status: 400, code })
      if (response.status > 299 || !isFields(response.json)) continue
      // The service has accepted an invalid webhook. It is deleted at once, because later requests use its URL again.
      const id = String(response.json['id'])
      created.add(id)
      await deleteWebhook(id)
    }
    const body = { url: WEBHOOK_URL, events: ['referral.issued'], active: false }
    const webhook = compare(context, create, 'record', await post(body))
    if (webhook === undefined) return
    const id = String(webhook['id'])
    created.add(id)
    const second = await post(body)
    if (second.status < 300 && isFields(second.json)) created.add(String(second.json['id']))
    checkError({ report, endpoint: create.id, situation: 'second webhook with the event' }, second, {
      status: 409,
      code: 'DUPLICATE_WEBHOOK_SUBSCRIPTION',
    })
    const path = `/v1/webhooks/${encodeURIComponent(id)}`
    const events = ['result.complete']
    const patched = await requester.send({ endpoint: update.id, method: 'PATCH', path, body: { events } })
    const changed = compare(context, update, 'record', patched)
    const place: ReportPlace = { report, endpoint: update.id, situation: 'update' }
    const isReplaced = changed === undefined || JSON.stringify(changed['events']) === JSON.stringify(events)
    expect(place, isReplaced, { path: 'events', expected: 'the new list', seen: 'another list' })
    compare(context, remove, 'record', await deleteWebhook(id))
  } finally {
    for (const id of created) {
      await deleteWebhook(id).catch(() => undefined)
      if (created.has(id))
        context.onWarning(
          `The webhook ${id} of this check could not be deleted: npx pathology webhooks delete ${id}`,
        )
    }
  }
}
