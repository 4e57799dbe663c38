import * as z from 'zod'

import { ERROR_CODES, TOKEN_ERROR_CODES } from '../../src/contract/error-codes.js'
import { POSTCODE_DIGITS } from '../../src/contract/limits.js'
import * as centre from '../../src/contract/schemas/centre.js'
import * as rules from '../../src/contract/schemas/field-types.js'
import { metadataSchema } from '../../src/contract/schemas/field-types.js'
import { REQUEST_SCHEMAS, RESPONSE_SCHEMAS } from '../../src/contract/schemas/index.js'
import * as provider from '../../src/contract/schemas/provider.js'
import * as requests from '../../src/contract/schemas/requests.js'
import * as result from '../../src/contract/schemas/result.js'
import * as shared from '../../src/contract/schemas/shared.js'
import * as token from '../../src/contract/schemas/token.js'
import type { ContractField, ContractTypes } from './contract-types.js'
import { isJsonObject, type JsonObject, mapValues, present, toJsonObject } from './json.js'
import { tidy } from './tidy.js'
import { EVENT_DATA } from './webhooks.js'

/** Named schemas within requests and responses. */
const PARTS = {
  Address: shared.addressSchema,
  Person: shared.personSchema,
  OrderingPractitioner: shared.orderingPractitionerSchema,
  Biomarker: result.biomarkerSchema,
  CanonicalValue: result.canonicalValueSchema,
  AdditionalRange: result.additionalRangeSchema,
  BiomarkerCategory: result.biomarkerCategorySchema,
  BiomarkerSummary: result.biomarkerSummarySchema,
  LabPatient: result.labPatientSchema,
  Doctor: result.doctorSchema,
  ProviderConnection: provider.providerConnectionSchema,
  OpeningDay: centre.openingDaySchema,
  OpeningPeriod: centre.openingPeriodSchema,
  AddressInput: requests.addressInputSchema,
  OrderingPractitionerInput: requests.orderingPractitionerInputSchema,
  PageCursor: shared.pageCursorSchema,
  Metadata: metadataSchema,
  ErrorEnvelope: shared.errorEnvelopeSchema,
  TokenResponse: token.tokenResponseSchema,
  TokenError: token.tokenErrorSchema,
  ...EVENT_DATA,
} as const

/** Schemas without a type of their own, with the type whose docstrings they use. */
const DESCRIBED_BY: Readonly<Record<string, string>> = { OrderingPractitionerInput: 'OrderingPractitioner' }

/**
 * Additions to the generated JSON Schemas: descriptions, and rules that the zod schemas contain as code or that
 * `contract/rules.ts` checks.
 */
const ADDITIONS: Readonly<Record<string, JsonObject>> = {
  PlacedReferrals: { description: 'Referrals of an order: one referral, or a list.' },
  Metadata: { description: 'Your own data, as names and values.' },
  Person: { properties: { dob: { format: 'date' } } },
  ErrorEnvelope: {
    description: 'Body of every error of the API.',
    properties: {
      error: { description: 'Always `true`.' },
      code: {
        description: 'Machine-readable code of the error.',
        'x-known-values': Object.keys(ERROR_CODES),
      },
      message: { description: 'Description of the error for people.' },
      errorList: {
        description: 'All problems, as `<message> [field: <name>]` if a field has the problem; may be empty.',
      },
    },
  },
  TokenError: {
    description: 'Body of every error of the token service.',
    properties: {
      error: { description: 'Always `true`.' },
      code: {
        description: 'Code of the error: a number as text.',
        'x-known-values': Object.keys(TOKEN_ERROR_CODES),
      },
      type: {
        description: 'Name of the error.',
        'x-known-values': Object.values(TOKEN_ERROR_CODES).map(({ type }) => type),
      },
      message: { description: 'Description of the error for people.' },
    },
  },
  Order: {
    // Most generators create no type for an `anyOf` whose parts have no properties.
    'x-at-least-one-of': ['tests', 'bundleId', 'medicareTests'],
    dependentRequired: { medicareTests: ['orderingPractitioner', 'medicareCardNumber'] },
  },
  PriceRequest: { minProperties: 1 },
  WebhookUpdate: { minProperties: 1 },
  CentreQuery: {
    properties: {
      uuids: { items: { format: 'uuid' } },
      postcodes: { items: { pattern: `^\\d{${POSTCODE_DIGITS}}$` } },
    },
  },
}

const SPELLINGS = new Map<z.core.$ZodType, JsonObject>([
  [rules.textSchema, { pattern: '\\S' }],
  [rules.dobSchema, { format: 'date' }],
  [rules.emailSchema, { format: 'email' }],
  [rules.instantSchema, { description: 'ISO 8601 date or date-time.' }],
])

/**
 * Returns all named schemas of requests and responses. Queries are parameters, not schemas: see {@link querySchema}.
 */
export function contractSchemas(types: ContractTypes): Record<string, JsonObject> {
  const bodies = Object.entries(REQUEST_SCHEMAS).filter(([name]) => !name.endsWith('Query'))
  const named = z.registry<{ id: string }>()
  const schemas = Object.entries({ ...RESPONSE_SCHEMAS, ...Object.fromEntries(bodies), ...PARTS })
  for (const [id, schema] of schemas) named.add(schema, { id })
  const found = z.toJSONSchema(named, { ...SETTINGS, uri: (id) => `#/components/schemas/${id}` }).schemas
  return mapValues(found, (schema, name) => finish(schema, name, types))
}

export function querySchema(name: keyof typeof REQUEST_SCHEMAS, types: ContractTypes): JsonObject {
  return finish(z.toJSONSchema(REQUEST_SCHEMAS[name], SETTINGS), name, types)
}

const SETTINGS = {
  target: 'draft-2020-12',
  // Responses may get new fields; 'output' would forbid them.
  io: 'input',
  override: ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: object }) => {
    Object.assign(jsonSchema, SPELLINGS.get(zodSchema))
  },
} as const

function finish(schema: object, name: string, types: ContractTypes): JsonObject {
  const type = DESCRIBED_BY[name] ?? name
  const described = describe(toJsonObject(schema), types.docOf(type), types.fieldsOf(type) ?? [])
  return tidy(merge(described, ADDITIONS[name] ?? {}))
}

/** Returns a schema with the docstrings of a type's fields as descriptions of its properties. */
function describe(schema: JsonObject, doc: string, fields: readonly ContractField[]): JsonObject {
  const { description } = schema
  const text = doc || description
  const properties = Object.fromEntries(fields.map((field) => [field.name, field]))
  const within = mapValues(schema, (value, key) => {
    if (key === 'properties' && isJsonObject(value)) {
      return mapValues(value, (property, name) => {
        const field = properties[name]
        return isJsonObject(property) && field ? describe(property, field.doc, field.fields()) : property
      })
    }
    if (key === 'items' && isJsonObject(value)) return describe(value, '', fields)
    if (key === 'anyOf' && Array.isArray(value) && fields.length > 0) {
      return value.map((part) => (isJsonObject(part) ? describe(part, '', fields) : part))
    }
    return value
  })
  return present({ ...within, description: text })
}

function merge(schema: JsonObject, addition: JsonObject): JsonObject {
  const merged = mapValues(addition, (value, key) => {
    const own = schema[key]
    return isJsonObject(own) && isJsonObject(value) ? merge(own, value) : value
  })
  return { ...schema, ...merged }
}
