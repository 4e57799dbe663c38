import { endpoints } from '../../contract/endpoints.js'
import { CreatedRecords, recordsIn, type WriteContext } from './created-records.js'
import { compare, compareSent } from './records.js'
import { checkRefusal, needsNoRecord } from './refusals.js'

const { create, list, update, delete: remove } = endpoints.webhooks

/**
 * Creates a paused webhook, changes it and deletes it. The owners and webhook managers get emails. Returns whether a
 * webhook may have been created.
 */
export async function checkWebhookChanges(context: WriteContext, webhookUrl: string): Promise<boolean> {
  const { run } = context
  const created = new CreatedRecords(context, {
    ...{ list, remove, idField: 'id' },
    isOfRun: ({ url }) => String(url).includes(run),
    lost: `The outcome of a webhook request of this check is unknown: delete the webhook whose URL contains ${run}, if npx pathology webhooks list shows it`,
    left: (id) => `The webhook ${id} of this check could not be deleted: npx pathology webhooks delete ${id}`,
  })
  try {
    // The webhook is paused, so nothing is sent to its URL. A webhook left by another run has another URL.
    const body = { url: webhookUrl, events: ['referral.issued'], active: false }
    const webhook = compare(context, create, 'record', await created.send(create, { body }))
    if (webhook !== undefined) {
      const second = { endpoint: create, situation: 'second webhook with the event', body }
      const code = 'DUPLICATE_WEBHOOK_SUBSCRIPTION'
      await checkRefusal(context, { ...second, code }, { send: created.send })
      await checkUpdate(context, String(webhook['id']))
      compare(context, remove, 'record', await created.delete(String(webhook['id'])))
    }
    for (const refusal of context.refusals.filter(needsNoRecord)) {
      const { endpoint } = refusal
      if (endpoint === update || endpoint === remove) await checkRefusal(context, refusal)
      if (endpoint !== create) continue
      const { status, json } = await checkRefusal(context, refusal, { send: created.send })
      // An accepted webhook is deleted at once, because later requests use its URL again.
      if (status < 300) for (const { id } of recordsIn(json)) await created.delete(String(id))
    }
    return created.mayHaveCreated
  } finally {
    await created.cleanUp()
  }
}

async function checkUpdate(context: WriteContext, id: string): Promise<void> {
  const { report, refusals } = context
  for (const refusal of refusals.filter((each) => each.endpoint === update && !needsNoRecord(each)))
    await checkRefusal(context, refusal, { id })
  const events = ['result.complete']
  const changed = await compareSent(context, update, 'record', { id, body: { events } })
  const isReplaced = changed === undefined || JSON.stringify(changed['events']) === JSON.stringify(events)
  report.at(update.id, 'update').expect(isReplaced, 'events', 'the new list', 'another list')
}
