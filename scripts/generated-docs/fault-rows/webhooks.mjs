/** @type {readonly import('../reliability.mjs').FaultRow[]} */
export const WEBHOOK_ROWS = [
  {
    row: 61,
    fault: 'A signature that is not 64 hexadecimal digits',
    behaviour: '`WebhookVerificationError` `signature-malformed`; 401',
    tests: ['test/webhooks/refusals.test.ts', 'test/properties/webhook-verify.test.ts'],
  },
  {
    row: 62,
    fault: 'The header is missing, doubled, a list',
    behaviour: '`signature-missing` or `signature-ambiguous`; 401',
    tests: ['test/webhooks/headers.test.ts'],
  },
  {
    row: 63,
    fault: 'A parsed or rewritten body',
    behaviour: '`body-not-raw`, which says what to do; 500',
    tests: ['test/webhooks/refusals.test.ts', 'test/webhooks/adapter-express.test.ts'],
  },
  {
    row: 64,
    fault: 'No secret, an empty one, two of them',
    behaviour: '`secret-missing`; a list of secrets is tried through',
    tests: ['test/webhooks/refusals.test.ts', 'test/webhooks/verify.test.ts'],
  },
  {
    row: 65,
    fault: 'A replay',
    behaviour: 'acknowledged and not handled, by `eventUuid`, for 24 hours',
    tests: ['test/webhooks/receiver-dedupe.test.ts'],
  },
  {
    row: 66,
    fault: '250 KB',
    behaviour: 'accepted, up to 1 MiB; then 413',
    tests: ['test/webhooks/verify.test.ts', 'test/webhooks/adapter-express.test.ts'],
  },
  {
    row: 67,
    fault: 'Event names like `constructor`, new names and versions',
    behaviour: 'given to `*` and `onUnknown`, and acknowledged',
    tests: ['test/webhooks/receiver.test.ts'],
  },
  {
    row: 68,
    fault: 'A handler that is slow or throws',
    behaviour: '500 before the service gives up; the event comes again; `failures` counts',
    tests: ['test/webhooks/receiver-deadline.test.ts', 'test/webhooks/receiver.test.ts'],
  },
  {
    row: 69,
    fault: 'Out of order, doubled, at the same time',
    behaviour: "one entity's events one after another; a duplicate shares the first one's fate",
    tests: ['test/webhooks/receiver-order.test.ts', 'test/webhooks/receiver-dedupe.test.ts'],
  },
]
