import { DELIVERY_TIME_HEADER, EVENT_VERSION, SIGNATURE_HEADER } from '../../src/contract/events.js'
import { WEBHOOK_ATTEMPTS, WEBHOOK_RESPONSE_MS } from '../../src/contract/limits.js'
import type { ContractTypes } from './contract-types.js'
import { type Json, type JsonObject, mapValues } from './json.js'
import { EVENT_SUMMARIES } from './operations.js'
import { schemaRef } from './schemas.js'

/** Types of the contract with the data of events. Each type becomes a schema of the document. */
export const EVENT_DATA_TYPES = [
  'ReferralEventData',
  'FullReferralEventData',
  'ResultEventData',
  'FullResultEventData',
  'CentresUpdatedData',
] as const

/** Returns the deliveries of the service to a subscribed URL, one entry for each event. */
export function webhookPaths(examples: ReadonlyMap<string, Json>): JsonObject {
  return mapValues(EVENT_SUMMARIES, (summary, name) => ({
    post: {
      operationId: `events.${name}`,
      summary,
      description: `Respond with a 2xx status within ${WEBHOOK_RESPONSE_MS / 1_000} seconds. Otherwise the service sends the event again, up to ${WEBHOOK_ATTEMPTS} attempts in total. The same \`eventUuid\` can arrive more than once.`,
      tags: ['events'],
      security: [],
      parameters: DELIVERY_HEADERS,
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: schemaRef(eventSchemaName(name)),
            example: examples.get(name) ?? null,
          },
        },
      },
      responses: { '2XX': { description: 'Received.' } },
    },
  }))
}

const DELIVERY_HEADERS = [
  {
    name: SIGNATURE_HEADER,
    in: 'header',
    required: true,
    description:
      "HMAC-SHA-256 of the raw body in hexadecimal digits, with the organisation's signing secret as the key. Compare the signature in constant time.",
    schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  },
  {
    name: DELIVERY_TIME_HEADER,
    in: 'header',
    required: true,
    description: 'Time of the delivery, by the clock of the service.',
    schema: { type: 'string' },
  },
]

/** Returns the schema of each delivery's body: the envelope with the data of its event. */
export function eventSchemas(types: ContractTypes): Record<string, JsonObject> {
  const docs = new Map(types.fieldsOf('EventEnvelope')?.map(({ name, doc }) => [name, doc]))
  const events = Object.entries(EVENT_SUMMARIES)
  return Object.fromEntries(
    events.map(([name, summary]) => [eventSchemaName(name), envelope(name, summary, docs)]),
  )
}

/** Returns the name of an event's schema, such as `ReferralBillingFailedEvent` for `referral.billing_failed`. */
function eventSchemaName(name: string): string {
  const words = name.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return `${words.join('')}Event`
}

function envelope(name: string, summary: string, docs: ReadonlyMap<string, string>): JsonObject {
  const fields: Readonly<Record<string, JsonObject>> = {
    eventName: { type: 'string', enum: [name] },
    eventUuid: { type: 'string', format: 'uuid' },
    version: { type: 'string', 'x-known-values': [EVENT_VERSION] },
    data: schemaRef(dataTypeOf(name)),
  }
  return {
    description: `${summary}.`,
    type: 'object',
    properties: mapValues(fields, (schema, field) => ({ description: docs.get(field) ?? '', ...schema })),
    required: Object.keys(fields),
  }
}

/** Returns the type of an event's data. The specification shows all fields only for created and updated records. */
function dataTypeOf(name: string): (typeof EVENT_DATA_TYPES)[number] {
  const [entity, change = ''] = name.split('.')
  if (entity === 'collection_centres') return 'CentresUpdatedData'
  const full = ['created', 'updated'].includes(change)
  if (entity === 'result') return full ? 'FullResultEventData' : 'ResultEventData'
  return full ? 'FullReferralEventData' : 'ReferralEventData'
}
