import { type ControlAction, methodAction } from './control-action.js'

export const WEBHOOK_ACTIONS: readonly ControlAction[] = [
  methodAction(
    'POST /webhooks',
    'webhooks.createInPortal',
    'adds a webhook, as the portal does; accepts loopback URLs',
    { body: { url: 'string', events: 'list of event names, default all' } },
  ),
  methodAction(
    'PUT /webhooks/{id}',
    'webhooks.changeInPortal',
    'changes a webhook, as the portal does; fields that are missing stay as they are',
    {
      body: {
        url: 'string',
        events: 'list of event names',
        active: 'boolean: false pauses the webhook',
      },
    },
  ),
  methodAction(
    'DELETE /webhooks/{id}',
    'webhooks.deleteInPortal',
    'deletes a webhook, as the portal does; queued deliveries are still sent',
  ),
  methodAction(
    'POST /webhooks/foreign',
    'webhooks.createForeign',
    'adds a paused webhook of another organisation; the API responds to its id with WEBHOOK_NOT_FOUND',
  ),
  methodAction(
    'GET /webhooks/signing-secret',
    'webhooks.signingSecret',
    'returns the secret that signs deliveries',
  ),
  methodAction(
    'GET /webhooks/owner-notices',
    'webhooks.ownerNotices',
    'returns the emails that the service would have sent to owners and webhook managers',
  ),
  methodAction(
    'GET /deliveries',
    'deliveries.list',
    'returns the stored deliveries with their attempts, oldest first',
  ),
  methodAction('GET /events', 'deliveries.events', 'returns the stored events, oldest first'),
  methodAction(
    'POST /events/{eventUuid}/resend',
    'deliveries.resend',
    'sends an event again, with the same bytes, to every webhook that has a delivery of the event',
  ),
  methodAction('POST /deliveries/faults', 'deliveries.fault', 'adds a fault for the next deliveries', {
    body: {
      kind: 'bad-signature, duplicate, reorder or lost',
      eventName: 'string: only this event',
      entityUuid: 'string: only events about the entity with this UUID',
      webhookId: 'string: only deliveries to this webhook',
      times: 'integer, default 1',
    },
  }),
  methodAction('DELETE /deliveries/faults', 'deliveries.clearFaults', 'removes every delivery fault'),
  methodAction(
    'GET /deliveries/faults',
    'deliveries.unusedFaults',
    'returns the delivery faults that still apply to deliveries',
  ),
]
