import type { Endpoint } from '../../src/contract/endpoint.js'
import {
  DEFAULT_CENTRE_PAGE_SIZE,
  DEFAULT_PAGE_SIZE,
  MAX_CENTRE_PAGE_SIZE,
  MAX_PAGE_SIZE,
} from '../../src/contract/limits.js'
import { PATH_PARAMETERS, type PathParameter } from '../../src/contract/path-parameters.js'
import type { ContractTypes } from './contract-types.js'
import { isJsonObject, type Json, type JsonObject, present } from './json.js'
import type { OperationNotes } from './operations.js'
import { querySchema } from './schemas.js'

const PATH_SCHEMAS: Readonly<Record<PathParameter, JsonObject>> = {
  uuid: { type: 'string', format: 'uuid' },
  id: { type: 'string', pattern: PATH_PARAMETERS.id.pattern.source },
  providerNumber: { type: 'string', pattern: PATH_PARAMETERS.providerNumber.pattern.source },
}

/** The parameters that a path template names. */
export function pathParameters(path: string): Json[] {
  const named = Object.entries(PATH_SCHEMAS).filter(([name]) => path.includes(`{${name}}`))
  return named.map(([name, schema]) => ({ name, in: 'path', required: true, schema }))
}

/** The query of an endpoint. Nothing in a query is required (§4). */
export function queryParameters(endpoint: Endpoint, notes: OperationNotes, types: ContractTypes): Json[] {
  if (endpoint.query === undefined) return [...(notes.parameters ?? [])]
  const { properties } = querySchema(endpoint.query, types)
  const fields = isJsonObject(properties) ? Object.entries(properties) : []
  return fields.map(([name, field]) => {
    const { description, ...schema } = isJsonObject(field) ? field : {}
    return present({
      name,
      in: 'query',
      description:
        [description, PARAMETER_NOTES[name]?.(endpoint, notes)].filter(Boolean).join(' ') || undefined,
      ...LIST_STYLE[String(schema['type'])],
      schema: { ...schema, ...defaultOf(name, endpoint, notes) },
    })
  })
}

/** Lists are comma-separated; a repeated key is taken too (§4.5). */
const LIST_STYLE: Readonly<Record<string, JsonObject>> = { array: { style: 'form', explode: false } }

const ORDER_BY_TIME = 'By time of creation.'

const POINT = 'Degrees; `lat` and `lng` go together.'
const BOX = 'Degrees; `north`, `south`, `east` and `west` go together, edges included.'

const PARAMETER_NOTES: Readonly<Record<string, (endpoint: Endpoint, notes: OperationNotes) => string>> = {
  count: (endpoint) =>
    `A larger number is taken as ${pageSizes(endpoint).max}; the answer's \`cursor.count\` tells the size applied.`,
  cursor: () => 'Send it with the same filters and sort.',
  sort: (_endpoint, { sort }) =>
    sort === undefined ? ORDER_BY_TIME : `${ORDER_BY_TIME} Default \`${sort}\`.`,
  uuids: () => 'Only these centres, whatever their status.',
  pathologyProviders: () => 'Ids of the brands on the door.',
  vendors: () => 'Ids of their parent companies.',
  testingTypes: () => 'Every centre is PATHOLOGY, and IMAGING finds none.',
  search: () => 'Part of the name, venue, street address or suburb, in either case.',
  changedSince: () => 'Centres created, changed, missing, back or retired since then.',
  lat: () => POINT,
  lng: () => POINT,
  radiusKm: () => 'Kilometres; needs `lat` and `lng`.',
  north: () => BOX,
  south: () => BOX,
  east: () => BOX,
  west: () => BOX,
}

function defaultOf(name: string, endpoint: Endpoint, { sort }: OperationNotes): JsonObject {
  if (name === 'count') return { default: pageSizes(endpoint).default }
  return name === 'sort' && sort !== undefined ? { default: sort } : {}
}

function pageSizes({ query }: Endpoint): { readonly default: number; readonly max: number } {
  return query === 'CentreQuery'
    ? { default: DEFAULT_CENTRE_PAGE_SIZE, max: MAX_CENTRE_PAGE_SIZE }
    : { default: DEFAULT_PAGE_SIZE, max: MAX_PAGE_SIZE }
}
