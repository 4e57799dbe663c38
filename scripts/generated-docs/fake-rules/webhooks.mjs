/** @type {readonly import('./resources.mjs').FakeRule[]} */
export const WEBHOOK_RULES = [
  {
    at: '4.6',
    rule: '`POST /v1/webhooks` takes public https URLs only.',
    fake: 'INVALID_WEBHOOK_URL for credentials, and for private, loopback, link-local and internal hosts however they are spelt.',
    tests: [
      ['conformance/webhook-urls', '§4.6 INVALID_WEBHOOK_URL'],
      ['testing/domain/webhooks-url', 'the refusal does not repeat credentials'],
    ],
    open: '`allowLoopbackWebhooks` lets receivers on this machine in.',
  },
  {
    at: '4.6',
    rule: 'Events must be known and at least one.',
    fake: 'INVALID_WEBHOOK_EVENTS that names the unknown ones.',
    tests: [['conformance/webhooks', '§4.6 INVALID_WEBHOOK_EVENTS']],
  },
  {
    at: '4.6',
    rule: 'One event reaches a URL from one webhook only.',
    fake: '409 DUPLICATE_WEBHOOK_SUBSCRIPTION on create and update; a paused webhook keeps its place.',
    tests: [
      ['conformance/webhook-duplicates', '§4.6 one event reaches a URL from one webhook only'],
      ['conformance/together', '20 webhooks on one URL and event: one is made'],
    ],
  },
  {
    at: '4.6',
    rule: 'The id is the service’s; other fields are refused; the secret is in no answer.',
    fake: 'INVALID_PAYLOAD; `webhooks.signingSecret()` beside the API.',
    tests: [
      ['conformance/webhooks', '§4.6 INVALID_PAYLOAD'],
      ['testing/domain/webhooks', '§4.6 no answer ever carries the signing secret'],
    ],
  },
  {
    at: '4.6',
    rule: 'Owners are emailed of a new, re-pointed or deleted webhook.',
    fake: '`webhooks.ownerNotices()`.',
    tests: [['conformance/webhook-duplicates', 'on create, re-point and delete, not on pause and events']],
    open: 'No email leaves the machine.',
  },
  {
    at: '4.6',
    rule: '`GET /v1/webhooks` is newest first, with those of the portal; `GET /v1/webhooks/{id}` gives one.',
    fake: 'WEBHOOK_NOT_FOUND for another organisation’s, INVALID_PARAMETER for what is no id.',
    tests: [
      ['testing/domain/webhooks', '§4.6 newest first, with those of the portal, and asc on request'],
      ['testing/domain/webhooks', "§4.6 %s of another organisation's: 404"],
    ],
    open: 'What makes an id malformed is not said: the fake’s ids are UUIDs.',
  },
  {
    at: '4.6',
    rule: '`PATCH /v1/webhooks/{id}` changes URL, events or activity, one at least; `DELETE /v1/webhooks/{id}` ends it.',
    fake: 'Events replace the whole list; the answer to a delete is its own shape.',
    tests: [
      ['testing/domain/webhooks', '§4.6 changes what is given; events replaces the whole list'],
      ['conformance/webhooks', 'answers {object, id, deleted} and is gone'],
    ],
  },
  {
    at: '4.6',
    rule: '`GET /v1/webhook-events` lists every event name.',
    fake: 'The eighteen of §6.',
    tests: [['conformance/webhooks', '§6 GET /v1/webhook-events']],
  },
  {
    at: '6',
    rule: 'A delivery is a POST of JSON, signed over its exact bytes, with the time of its sending.',
    fake: 'Over real HTTP, or to a receiver in the process (`deliverTo`).',
    tests: [
      ['conformance/deliveries', 'is signed with hex HMAC-SHA-256 over its exact bytes'],
      ['testing/transports/delivery-sender', 'are a POST of JSON, signed over the exact bytes'],
    ],
    open: 'The format of the time is not shown: ISO 8601.',
  },
  {
    at: '6',
    rule: 'A 2xx within three seconds is a success, anything else is not.',
    fake: 'Redirects are not followed; a connection that is cut counts as failed.',
    tests: [
      ['testing/transports/delivery-sender', 'a receiver that says nothing in time counts as failed'],
      ['conformance/retries', '§6 only 2xx counts'],
    ],
    open: '`webhookTimeoutMs`.',
  },
  {
    at: '6',
    rule: 'Five attempts, N squared minutes apart, picked up once a minute.',
    fake: 'On the fake’s clock, to the minute.',
    tests: [
      ['conformance/retries', '§6 five attempts, N squared minutes apart'],
      [
        'testing/domain/deliveries',
        'five attempts: 1, 4, 9 and 16 minutes after the one before, then no more',
      ],
    ],
    open: 'Which minute picks up: `deliveryPickUp`.',
  },
  {
    at: '6',
    rule: 'Events of one entity come in order; a failing one holds back the later ones.',
    fake: 'A queue for each webhook and entity; others go on.',
    tests: [
      ['conformance/retries', '§6 a failed delivery holds back later events of its entity'],
      ['testing/domain/deliveries', 'created before updated, however many there are'],
    ],
  },
  {
    at: '6',
    rule: 'Duplicates can come, with the same event UUID.',
    fake: '`deliveries.resend()` and the faults `duplicate`, `reorder`, `bad-signature` and `lost`.',
    tests: [
      ['testing/domain/deliveries', '§6 sends a duplicate: the same bytes, eventUuid and signature'],
      ['testing/domain/deliveries', 'reorder: the entity’s next event comes first'],
    ],
    open: 'By themselves they never come.',
  },
  {
    at: '6',
    rule: 'Payloads are small, and named in a table for some events.',
    fake: 'Exactly those fields; nothing of the patient.',
    tests: [
      ['conformance/deliveries', 'holds the fields of the table and no more'],
      ['testing/domain/events', 'no event carries anything of the patient'],
    ],
    open: 'Payloads of the other events: `undocumentedPayloads`.',
  },
  {
    at: '6',
    rule: 'Each operation emits its events.',
    fake: 'Orders, edits, results, reviews and incoming results; a delete emits none.',
    tests: [
      ['testing/domain/events', '§6 which operation emits which event'],
      ['conformance/deliveries', '§6 the order of events'],
    ],
  },
  {
    at: '6',
    rule: '`collection_centres.updated` names every changed centre, once a week at most; a body can have 250 KB.',
    fake: 'None when nothing changed; revived centres with new details are in two lists.',
    tests: [
      ['conformance/centre-refresh', '§3.4, §6 a weekly refresh'],
      ['testing/domain/centres-refresh', '§6, §8 a body of about 250 KB arrives whole and signed'],
    ],
  },
]
