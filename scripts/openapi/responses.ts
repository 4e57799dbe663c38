import type { Endpoint, Wrapper } from '../../src/contract/endpoint.js'
import { ENDPOINTS } from '../../src/contract/endpoints.js'
import { ERROR_CODES, type KnownErrorCode } from '../../src/contract/error-codes.js'
import {
  ACCEPT_HEADERS,
  API_VERSIONS,
  type ApiVersion,
  SERVICE_DEFAULT_VERSION,
} from '../../src/contract/versions.js'
import { type Json, type JsonObject, present, schemaRef } from './json.js'
import type { OperationNotes } from './operations.js'
import { SINGLE_ORDER } from './scenario.js'

type ListWrapper = Extract<Wrapper, { kind: 'list' }>

/** Returns the schemas of bodies with lists and wrapped objects, by name. */
export function wrapperSchemas(): Record<string, JsonObject> {
  const wrappers = ENDPOINTS.map(({ response }) => response)
  return Object.fromEntries(
    wrappers.flatMap((wrapper) => {
      if (wrapper.kind === 'one') return []
      if (wrapper.kind === 'under') return [[responseName(wrapper), underSchema(wrapper)]]
      const named = [pageName(wrapper), listSchema(wrapper)] as const
      return wrapper.documented ? [named] : [named, [responseName(wrapper), anyListSchema(wrapper)] as const]
    }),
  )
}

function responseName(wrapper: Wrapper): string {
  if (wrapper.kind === 'one') return wrapper.schema
  if (wrapper.kind === 'under') return `${wrapper.schema}Response`
  return wrapper.documented ? pageName(wrapper) : `${wrapper.schema}ListResponse`
}

function pageName({ schema, paged }: ListWrapper): string {
  return `${schema}${paged ? 'Page' : 'List'}`
}

function underSchema({ key, schema }: Extract<Wrapper, { kind: 'under' }>): JsonObject {
  const property = { ...schemaRef(schema), description: 'The requested data.' }
  return { type: 'object', properties: { [key]: property }, required: [key] }
}

/** Returns the schema of a list whose wrapper the specification does not show. */
function anyListSchema(wrapper: ListWrapper): JsonObject {
  return {
    description:
      'The specification does not show the wrapper of this list: accept the list under its own name, under `data`, and without a wrapper.',
    anyOf: [
      schemaRef(pageName(wrapper)),
      { ...listSchema({ ...wrapper, key: 'data' }), description: 'The list as `data`.' },
      { description: 'The list without a wrapper.', type: 'array', items: schemaRef(wrapper.schema) },
    ],
  }
}

function listSchema({ key, schema, paged }: ListWrapper): JsonObject {
  const counted = schema === 'CollectionCentre'
  return present({
    type: 'object',
    description: `${paged ? 'One page of a' : 'A'} list.`,
    properties: present({
      [key]: {
        description: paged ? 'The records of this page.' : 'All records.',
        type: 'array',
        items: schemaRef(schema),
      },
      totalResults: counted ? { type: 'integer', description: 'Number of records on all pages.' } : undefined,
      cursor: paged
        ? { ...schemaRef('PageCursor'), description: 'Absent on a page without records.' }
        : undefined,
    }),
    required: [key, ...(counted ? ['totalResults'] : [])],
  })
}

/** Returns the responses of an operation by status. `default` has the codes whose status is not documented. */
export function operationResponses(endpoint: Endpoint, { errors = [] }: OperationNotes): JsonObject {
  const { body, path } = endpoint
  const all: KnownErrorCode[] = [
    ...(body === undefined || path.includes('{') ? (['INVALID_PARAMETER'] as const) : []),
    ...(body === undefined ? [] : (['INVALID_PAYLOAD'] as const)),
    ...errors,
  ]
  const statuses = [...new Set(all.map((code) => ERROR_CODES[code].status))].filter((each) => each !== null)
  const withStatus = (status: number | null) => all.filter((code) => ERROR_CODES[code].status === status)
  return {
    '200': { description: 'Success.', content: contentByVersion(endpoint) },
    ...Object.fromEntries(
      statuses.map((status) => [status, errorResponse(codeLines(withStatus(status)), withStatus(status))]),
    ),
    '401': responseRef('Unauthenticated'),
    default: undocumented(withStatus(null)),
  }
}

const OTHER = 'Any other error, such as a rate limit (429) or a failure of the service (5xx).'

/** Codes of authentication errors, which any call can get. */
const AUTHENTICATION_ERRORS: readonly KnownErrorCode[] = [
  ...(['MISSING_AUTHORIZATION_HEADER', 'INVALID_JWT', 'INVALID_JWT_SIGNATURE'] as const),
]

/** Responses that any call can get. */
export const COMMON_RESPONSES: JsonObject = {
  Unauthenticated: errorResponse(codeLines(AUTHENTICATION_ERRORS), AUTHENTICATION_ERRORS),
  OtherError: errorResponse(OTHER, []),
}

/** Returns the response for errors whose status the specification does not show. */
function undocumented(codes: readonly KnownErrorCode[]): JsonObject {
  if (codes.length === 0) return responseRef('OtherError')
  return errorResponse(`${codeLines(codes)} ${OTHER}`, codes)
}

function responseRef(name: string): JsonObject {
  return { $ref: `#/components/responses/${name}` }
}

/**
 * Returns the contents by Accept header, each with the recorded example. `application/json` has the content of the
 * service's default version, in which an order returns one referral.
 */
function contentByVersion({ id, response }: Endpoint): JsonObject {
  const types: readonly (readonly [string, ApiVersion])[] = [
    ...API_VERSIONS.toReversed().map((version) => [ACCEPT_HEADERS[version], version] as const),
    ['application/json', SERVICE_DEFAULT_VERSION],
  ]
  return Object.fromEntries(
    types.map(([type, version]) => {
      const name = responseName(response)
      const isSingle = name === 'PlacedReferrals' && version === SERVICE_DEFAULT_VERSION
      const schema = schemaRef(isSingle ? 'Referral' : name)
      return [type, { schema, examples: exampleRef(isSingle ? SINGLE_ORDER : id) }]
    }),
  )
}

/** Returns the examples of a body: the one that the scenario has recorded under a name. */
export function exampleRef(name: string): JsonObject {
  return { [name]: { $ref: `#/components/examples/${name}` } }
}

function errorResponse(description: string, codes: readonly KnownErrorCode[]): JsonObject {
  const known: Json[] = [...codes]
  return present({
    description,
    content: { 'application/json': { schema: schemaRef('ErrorEnvelope') } },
    'x-error-codes': known.length > 0 ? known : undefined,
  })
}

function codeLines(codes: readonly KnownErrorCode[]): string {
  return codes.map((code) => `\`${code}\`: ${ERROR_CODES[code].meaning}.`).join(' ')
}
