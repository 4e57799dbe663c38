import { endpoints } from '../../contract/endpoints.js'
import { checkError, expect, type ReportPlace } from './check-response.js'
import { CreatedRecords } from './created-records.js'
import type { WriteContext } from './order-lifecycle.js'
import { compare } from './records.js'

type Fields = Readonly<Record<string, unknown>>

const { create, list, update, delete: remove } = endpoints.webhooks

/** Returns the webhooks that the service must reject. The URL belongs to the webhook of this run. */
function rejectedWebhooks(
  url: string,
  run: string,
): readonly (readonly [situation: string, body: object, code: string])[] {
  const events = ['referral.issued']
  return [
    ['http URL', { url: `http://contract-check.example.com/${run}`, events }, 'INVALID_WEBHOOK_URL'],
    ['private URL', { url: `https://10.0.0.1/${run}`, events }, 'INVALID_WEBHOOK_URL'],
    ['unknown event', { url, events: ['no.such_event'] }, 'INVALID_WEBHOOK_EVENTS'],
    ['own id', { url, events, id: 'own-id' }, 'INVALID_PAYLOAD'],
  ]
}

/**
 * Creates a paused webhook, changes it and deletes it. The owners and webhook managers get emails. Returns whether a
 * webhook may have been created.
 */
export async function checkWebhookChanges(context: WriteContext): Promise<boolean> {
  const { requester, report } = context
  const isOfRun = (webhook: Fields, run: string) => String(webhook['url']).includes(run)
  const created = new CreatedRecords(context, { create, list, idField: 'id', isOfRun })
  const { ids, run } = created
  // The webhook is paused, so nothing is sent to its URL. A webhook left by another run has another URL.
  const webhookUrl = `https://contract-check.example.com/${run}`
  const deleteWebhook = async (id: string) => {
    const path = `/v1/webhooks/${encodeURIComponent(id)}`
    const response = await requester.send({ endpoint: remove.id, method: 'DELETE', path, isCleanUp: true })
    if (response.status < 300) ids.delete(id)
    return response
  }
  try {
    for (const [situation, body, code] of rejectedWebhooks(webhookUrl, run)) {
      const response = await created.create({ ...body, active: false })
      checkError({ report, endpoint: create.id, situation }, response, { status: 400, code })
      // An accepted webhook is deleted at once, because later requests use its URL again.
      if (response.status < 300) for (const id of ids) await deleteWebhook(id)
    }
    const body = { url: webhookUrl, events: ['referral.issued'], active: false }
    const webhook = compare(context, create, 'record', await created.create(body))
    if (webhook === undefined) return created.mayHaveCreated
    const id = String(webhook['id'])
    const second = await created.create(body)
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
    return created.mayHaveCreated
  } finally {
    if (!(await created.addLost()))
      context.onWarning(
        `The outcome of a webhook request of this check is unknown: delete the webhook whose URL contains ${run}, ` +
          'if npx pathology webhooks list shows it',
      )
    for (const id of ids) {
      await deleteWebhook(id).catch(() => undefined)
      if (ids.has(id))
        context.onWarning(
          `The webhook ${id} of this check could not be deleted: npx pathology webhooks delete ${id}`,
        )
    }
  }
}
