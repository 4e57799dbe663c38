import { type ControlAction, driverAction } from './control-action.js'

/** What can be done to webhooks and deliveries. */
export const WEBHOOK_ACTIONS: readonly ControlAction[] = [
  driverAction({
    method: 'POST',
    path: '/webhooks',
    description: 'adds a webhook as the portal does; loopback URLs are accepted here',
    body: { url: 'string', events: 'list of event names, default all' },
    driver: ['webhooks', 'createInPortal'],
    from: ['body'],
  }),
  driverAction({
    method: 'POST',
    path: '/webhooks/foreign',
    description: 'adds a webhook of another organisation: its id gives WEBHOOK_NOT_FOUND',
    driver: ['webhooks', 'createForeign'],
    from: [],
  }),
  driverAction({
    method: 'GET',
    path: '/webhooks/signing-secret',
    description: 'the secret that deliveries are signed with',
    driver: ['webhooks', 'signingSecret'],
    from: [],
  }),
  driverAction({
    method: 'GET',
    path: '/webhooks/owner-notices',
    description: 'the emails that owners and webhook managers would have got',
    driver: ['webhooks', 'ownerNotices'],
    from: [],
  }),
  driverAction({
    method: 'GET',
    path: '/deliveries',
    description: 'every delivery still kept, with its attempts',
    driver: ['deliveries', 'list'],
    from: [],
  }),
  driverAction({
    method: 'GET',
    path: '/events',
    description: 'every event still kept, whether a webhook wanted it or not',
    driver: ['deliveries', 'events'],
    from: [],
  }),
  driverAction({
    method: 'POST',
    path: '/events/{eventUuid}/resend',
    description: 'sends an event again, with the same bytes, to every webhook that had it',
    driver: ['deliveries', 'resend'],
    from: ['{eventUuid}'],
  }),
  driverAction({
    method: 'POST',
    path: '/deliveries/faults',
    description: 'makes coming deliveries go wrong',
    body: {
      kind: 'bad-signature, duplicate, reorder or lost',
      eventName: 'string: only this event',
      entityUuid: 'string: only about this referral or result',
      webhookId: 'string: only to this webhook',
      times: 'whole number, default 1',
    },
    driver: ['deliveries', 'fault'],
    from: ['body'],
  }),
  driverAction({
    method: 'GET',
    path: '/deliveries/faults',
    description: 'delivery faults that nothing has drawn yet',
    driver: ['deliveries', 'unusedFaults'],
    from: [],
  }),
]
