import { endpoints } from '../../contract/endpoints.js'
import { identifierRefusals } from './identifiers.js'
import {
  type Refusal,
  type Samples,
  type ServiceRule,
  type WrongBody,
  wrongBodies,
  wrongValues,
} from './rule.js'

/** §3.5, §4.6, §6. */
export const WEBHOOKS_RULES: readonly ServiceRule[] = [
  {
    section: '3.5',
    text: 'A paused webhook gets no events. Deliveries that were queued before a delete are still sent.',
    fake: 'This also applies after a snapshot is restored.',
    open: 'Deliveries that were queued before a pause: `pausedDeliveries`.',
    tests: ['testing/domain/webhooks', 'testing/domain/deliveries'],
  },
  {
    section: '4.6',
    text: '`POST /v1/webhooks` accepts only public https URLs.',
    fake: 'INVALID_WEBHOOK_URL for other protocols, for credentials, and for private, loopback, link-local and internal hosts in any notation.',
    open: '`allowLoopbackWebhooks` permits receivers on your machine.',
    tests: ['testing/domain/webhooks-url'],
    refusals: wrongUrls,
  },
  {
    section: '4.6',
    text: 'A webhook has at least one event, and all its events are known.',
    fake: 'INVALID_WEBHOOK_EVENTS with the unknown names.',
    tests: ['testing/domain/webhooks'],
    refusals: wrongEvents,
  },
  {
    section: '4.6',
    text: 'Only one webhook sends an event to a URL.',
    fake: '409 DUPLICATE_WEBHOOK_SUBSCRIPTION on create and update. Paused webhooks count too.',
    tests: ['testing/domain/webhooks', 'conformance/together'],
  },
  {
    section: '4.6',
    text: 'The service creates the id of a webhook. A request with an undocumented field is rejected. No response contains the secret.',
    fake: 'INVALID_PAYLOAD for an undocumented field. `webhooks.signingSecret()` returns the secret.',
    tests: ['testing/domain/webhooks'],
    refusals: wrongFields,
  },
  {
    section: '4.6',
    text: 'Owners and webhook managers get an email about a new or deleted webhook, and about a new URL.',
    fake: '`webhooks.ownerNotices()` returns the emails.',
    open: 'The fake does not send emails.',
    tests: ['testing/domain/webhooks'],
  },
  {
    section: '4.6',
    text: '`GET /v1/webhooks` lists webhooks, newest first, including webhooks created in the portal. `GET /v1/webhooks/{id}` returns one webhook.',
    fake: "WEBHOOK_NOT_FOUND for an unknown webhook or another organisation's webhook, INVALID_PARAMETER for a malformed id.",
    open: "The form of an id is not documented. The fake's ids are UUIDs.",
    tests: ['testing/domain/webhooks'],
    refusals: () => identifierRefusals(endpoints.webhooks.retrieve, 'WEBHOOK_NOT_FOUND'),
  },
  {
    section: '4.6',
    text: '`PATCH /v1/webhooks/{id}` changes the URL, the events or `active`. `DELETE /v1/webhooks/{id}` deletes a webhook.',
    fake: '`events` replaces the complete list. The response to a delete has its own shape.',
    tests: ['testing/domain/webhooks'],
    refusals: wrongIdentifiers,
  },
  {
    section: '4.6',
    text: '`GET /v1/webhook-events` lists every event name.',
    fake: 'The eighteen documented events.',
    tests: ['testing/domain/webhooks'],
  },
  {
    section: '6',
    text: 'A delivery is a POST of JSON. The signature covers the exact bytes of the body; a header has the time.',
    fake: 'The fake sends deliveries over HTTP, or passes them to a receiver in the process (`deliverTo`).',
    open: 'The format of the time is not documented: ISO 8601.',
    tests: ['testing/domain/deliveries', 'testing/transports/delivery-sender'],
  },
  {
    section: '6',
    text: 'A 2xx within three seconds is a success.',
    fake: 'Redirects are not followed. A lost connection is a failure.',
    open: '`webhookTimeoutMs` sets another time limit.',
    tests: ['testing/transports/delivery-sender', 'testing/domain/deliveries'],
  },
  {
    section: '6',
    text: 'There are five attempts. The next attempt follows N squared minutes after attempt N. The service starts retries once a minute.',
    fake: "Retries run on the fake's clock, exactly at these times. If an attempt started a minute or more late, the time of the next attempt counts from its start.",
    open: 'The minute in which a retry starts: `deliveryPickUp`.',
    tests: ['testing/domain/deliveries'],
  },
  {
    section: '6',
    text: 'Events of one entity are delivered in order. A failing delivery delays the later deliveries.',
    fake: 'One queue for each webhook and entity.',
    tests: ['testing/domain/deliveries'],
  },
  {
    section: '6',
    text: 'Duplicates with the same event UUID are possible.',
    fake: '`deliveries.resend()` and the fault `duplicate`. Other faults of deliveries are `reorder`, `bad-signature` and `lost`.',
    open: 'After a successful delivery, the fake sends the event again only with `resend()` and the fault `duplicate`.',
    tests: ['testing/domain/deliveries'],
  },
  {
    section: '6',
    text: 'The payload of an event has a few fields. The service documents the payloads of some events.',
    fake: "Exactly the documented fields, without the patient's details.",
    open: 'Payloads of other events: `undocumentedPayloads`.',
    tests: ['testing/domain/deliveries', 'testing/domain/events'],
  },
  {
    section: '6',
    text: 'Operations send events.',
    fake: 'Orders, updates, results, reviews and incoming results send their events. A delete does not send an event.',
    tests: ['testing/domain/events', 'testing/domain/deliveries'],
  },
  {
    section: '6',
    text: '`collection_centres.updated` contains every changed centre, at most once a week. A body can have 250 KB.',
    fake: 'A refresh without changes does not send an event. A centre that becomes ACTIVE again with new details is in two lists of the event.',
    tests: ['testing/domain/centres-refresh'],
  },
]

const { create, update, delete: remove } = endpoints.webhooks
const INVALID = 'INVALID_PAYLOAD'

/** The same wrong bodies for a new webhook, and for a change of the webhook that the check has created. */
function both({ webhookUrl }: Samples, rows: readonly WrongBody[]): Refusal[] {
  const good = { url: webhookUrl, events: ['referral.issued'], active: false }
  return [...wrongBodies(create, good, rows), ...wrongBodies(update, {}, rows)]
}

/** URLs that are not public, not https, not complete, or with credentials, in notations that a careless check passes. */
const WRONG_URLS = [
  'http://hooks.example.com/x',
  'ftp://hooks.example.com/x',
  'javascript:alert(1)',
  '//hooks.example.com/x',
  '',
  ' ',
  'not a url',
  '/x',
  'https://',
  'https://user@hooks.example.com/x',
  'https://:p@hooks.example.com/x',
  'https://10.0.0.1/x',
  'https://172.31.255.255/x',
  'https://192.168.1.1?x',
  'https://169.254.169.254/x',
  'https://0.0.0.0/x',
  'https://100.64.0.1/x',
  'https://0x0a000001/x',
  'https://2852039166/x',
  'https://10.1/x',
  'https://012.0.0.1/x',
  'https://[fc00::1]/x',
  'https://[fe80::1]/x',
  'https://[::]/x',
  'https://10.0.0.1./x',
  'https://[::ffff:10.0.0.1]/x',
  'https://[64:ff9b::a00:1]/x',
  'https://[2002:a00:1::]/x',
  'https://service.internal./x',
  'https://PRINTER.local/x',
  'https://intranet/x',
  'https://%31%30.0.0.1/x',
]

function wrongUrls(samples: Samples): Refusal[] {
  return both(samples, [
    ...WRONG_URLS.map((url): WrongBody => [`URL '${url}'`, { url }, 'INVALID_WEBHOOK_URL']),
    ...[5, null, []].map((url): WrongBody => {
      return [`${JSON.stringify(url)} as the URL`, { url }, ['INVALID_WEBHOOK_URL', INVALID]]
    }),
  ])
}

function wrongEvents(samples: Samples): Refusal[] {
  const wrong = [
    [],
    ['no.such_event'],
    ['*'],
    ['referral.*'],
    ['REFERRAL.CREATED'],
    ['referral.created '],
    [''],
  ]
  return both(samples, [
    ...wrong.map(
      (events): WrongBody => [`events ${JSON.stringify(events)}`, { events }, 'INVALID_WEBHOOK_EVENTS'],
    ),
    ...['referral.created', null, [1]].map((events): WrongBody => {
      return [`${JSON.stringify(events)} as the events`, { events }, ['INVALID_WEBHOOK_EVENTS', INVALID]]
    }),
  ])
}

function wrongFields(samples: Samples): Refusal[] {
  const own = ['id', 'secret', 'object', 'createdAt', 'name']
  return [
    ...both(samples, [
      ...own.map((name): WrongBody => [`own ${name}`, { [name]: 'own' }, INVALID, name]),
      ...wrongValues(INVALID, { active: ['yes', 1, null] }),
    ]),
    { endpoint: update, situation: 'update without a field', body: {}, code: INVALID },
  ]
}

function wrongIdentifiers(): Refusal[] {
  return [
    ...identifierRefusals(update, 'WEBHOOK_NOT_FOUND', { active: false }),
    ...identifierRefusals(remove, 'WEBHOOK_NOT_FOUND'),
  ]
}
