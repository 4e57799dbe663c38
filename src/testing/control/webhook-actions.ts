import { type ControlAction, methodAction } from './control-action.js'

/** Actions on webhooks and deliveries. */
export const WEBHOOK_ACTIONS: readonly ControlAction[] = [
  methodAction({
    method: 'POST',
    path: '/webhooks',
    description: 'adds a webhook, as the portal does; accepts loopback URLs',
    body: { url: 'string', events: 'list of event names, default all' },
    calls: ['webhooks', 'createInPortal'],
    from: ['body'],
  }),
  methodAction({
    method: 'PUT',
    path: '/webhooks/{id}',
    description: 'changes a webhook, as the portal does; fields that are missing stay as they are',
    body: {
      url: 'string',
      events: 'list of event names',
      active: 'boolean: false pauses the webhook',
    },
    calls: ['webhooks', 'changeInPortal'],
    from: ['{id}', 'body'],
  }),
  methodAction({
    method: 'DELETE',
    path: '/webhooks/{id}',
    description: 'deletes a webhook, as the portal does; queued deliveries are still sent',
    calls: ['webhooks', 'deleteInPortal'],
    from: ['{id}'],
  }),
  methodAction({
    method: 'POST',
    path: '/webhooks/foreign',
    description:
      'adds a paused webhook of another organisation; the API responds to its id with WEBHOOK_NOT_FOUND',
    calls: ['webhooks', 'createForeign'],
    from: [],
  }),
  methodAction({
    method: 'GET',
    path: '/webhooks/signing-secret',
    description: 'returns the secret that signs deliveries',
    calls: ['webhooks', 'signingSecret'],
    from: [],
  }),
  methodAction({
    method: 'GET',
    path: '/webhooks/owner-notices',
    description: 'returns the emails that the service would have sent to owners and webhook managers',
    calls: ['webhooks', 'ownerNotices'],
    from: [],
  }),
  methodAction({
    method: 'GET',
    path: '/deliveries',
    description: 'returns the stored deliveries with their attempts, oldest first',
    calls: ['deliveries', 'list'],
    from: [],
  }),
  methodAction({
    method: 'GET',
    path: '/events',
    description: 'returns the stored events, oldest first',
    calls: ['deliveries', 'events'],
    from: [],
  }),
  methodAction({
    method: 'POST',
    path: '/events/{eventUuid}/resend',
    description:
      'sends an event again, with the same bytes, to every webhook that has a delivery of the event',
    calls: ['deliveries', 'resend'],
    from: ['{eventUuid}'],
  }),
  methodAction({
    method: 'POST',
    path: '/deliveries/faults',
    description: 'adds a fault for the next deliveries',
    body: {
      kind: 'bad-signature, duplicate, reorder or lost',
      eventName: 'string: only this event',
      entityUuid: 'string: only events about the entity with this UUID',
      webhookId: 'string: only deliveries to this webhook',
      times: 'integer, default 1',
    },
    calls: ['deliveries', 'fault'],
    from: ['body'],
  }),
  methodAction({
    method: 'DELETE',
    path: '/deliveries/faults',
    description: 'removes every delivery fault',
    calls: ['deliveries', 'clearFaults'],
    from: [],
  }),
  methodAction({
    method: 'GET',
    path: '/deliveries/faults',
    description: 'returns the delivery faults that still apply to deliveries',
    calls: ['deliveries', 'unusedFaults'],
    from: [],
  }),
]
