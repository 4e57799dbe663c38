import * as z from 'zod'
import { PROVENANCES, REFERRAL_STATUSES, RESULT_STATUSES } from '../../src/contract/enums.js'
import { DELIVERY_TIME_HEADER, EVENT_VERSION, SIGNATURE_HEADER } from '../../src/contract/events.js'
import { WEBHOOK_ATTEMPTS, WEBHOOK_RESPONSE_MS } from '../../src/contract/limits.js'
import { metadataSchema } from '../../src/contract/schemas/field-types.js'
import { open } from '../../src/contract/schemas/shared.js'
import type { ContractTypes } from './contract-types.js'
import { type Json, type JsonObject, mapValues, schemaRef } from './json.js'
import { EVENT_SUMMARIES } from './operations.js'

const common = {
  uuid: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  profileUuid: z.string().nullable(),
  organisationUuid: z.string(),
  metadata: metadataSchema.nullable(),
}
const referral = z.object({
  status: open(REFERRAL_STATUSES),
  ...common,
  issuedAt: z.string().nullable(),
  reference: z.string(),
})
const result = z.object({
  status: open(RESULT_STATUSES),
  ...common,
  provenance: open(PROVENANCES),
  referralUuid: z.string().nullable(),
})
const ALWAYS = { uuid: true, status: true, createdAt: true, updatedAt: true } as const
const changes = <Kind extends z.ZodType>(kind: Kind) =>
  z.object({ created: kind, updated: kind, revived: kind, missing: kind, retired: kind })

/** Schemas of the data of events. The client checks events without zod, so these are only for the document. */
export const EVENT_DATA = {
  ReferralEventData: referral.partial(),
  FullReferralEventData: referral.partial().required(ALWAYS),
  ResultEventData: result.partial(),
  FullResultEventData: result.partial().required(ALWAYS),
  CentresUpdatedData: z.object({
    runUuid: z.string(),
    ranAt: z.string(),
    counts: changes(z.int()),
    changed: changes(z.array(z.string())),
  }),
} as const

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
function dataTypeOf(name: string): keyof typeof EVENT_DATA {
  const [entity, change = ''] = name.split('.')
  if (entity === 'collection_centres') return 'CentresUpdatedData'
  const full = ['created', 'updated'].includes(change)
  if (entity === 'result') return full ? 'FullResultEventData' : 'ResultEventData'
  return full ? 'FullReferralEventData' : 'ReferralEventData'
}
