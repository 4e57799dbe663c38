import type { Endpoint } from '../../src/contract/endpoint.js'
import { PATH_PARAMETERS, type PathParameter } from '../../src/contract/identifiers.js'
import {
  DEFAULT_CENTRE_PAGE_SIZE,
  DEFAULT_PAGE_SIZE,
  MAX_CENTRE_PAGE_SIZE,
  MAX_PAGE_SIZE,
} from '../../src/contract/limits.js'
import type { ContractTypes } from './contract-types.js'
import { isJsonObject, type Json, type JsonObject, present } from './json.js'
import type { OperationNotes } from './operations.js'
import { querySchema } from './schemas.js'

const PATH_SCHEMAS: Readonly<Record<PathParameter, JsonObject>> = {
  uuid: { type: 'string', format: 'uuid' },
  id: { type: 'string', pattern: PATH_PARAMETERS.id.pattern.source },
  providerNumber: { type: 'string', pattern: PATH_PARAMETERS.providerNumber.pattern.source },
}

const PATH_DESCRIPTIONS: Readonly<Record<PathParameter, string>> = {
  uuid: 'UUID of the record.',
  id: "The webhook's `id`.",
  providerNumber: 'Medicare provider number, eight characters.',
}

/** Returns the parameters of a path template. */
export function pathParameters(path: string): Json[] {
  const names = (['uuid', 'id', 'providerNumber'] as const).filter((name) => path.includes(`{${name}}`))
  return names.map((name) => ({
    name,
    in: 'path',
    required: true,
    description: PATH_DESCRIPTIONS[name],
    schema: PATH_SCHEMAS[name],
  }))
}

/** Returns the query parameters of an endpoint. No query parameter is required. */
export function queryParameters(endpoint: Endpoint, notes: OperationNotes, types: ContractTypes): Json[] {
  if (endpoint.query === undefined) return [...(notes.parameters ?? [])]
  const { properties } = querySchema(endpoint.query, types)
  const fields = isJsonObject(properties) ? Object.entries(properties) : []
  return fields.map(([name, field]) => {
    const { description, ...schema } = isJsonObject(field) ? field : {}
    return present({
      name,
      in: 'query',
      description: [description, PARAMETER_NOTES[name]?.(endpoint)].filter(Boolean).join(' ') || undefined,
      ...LIST_STYLE[String(schema['type'])],
      schema: { ...schema, ...defaultOf(name, endpoint, notes) },
    })
  })
}

/** Style of a list: its entries are separated by commas. The service also accepts a repeated key. */
const LIST_STYLE: Readonly<Record<string, JsonObject>> = { array: { style: 'form', explode: false } }

/** Sentences that are added to the docstring of a query's field. */
const PARAMETER_NOTES: Readonly<Record<string, (endpoint: Endpoint) => string>> = {
  count: (endpoint) =>
    `A larger number counts as ${pageSizes(endpoint).max}. \`cursor.count\` in the response is the applied size.`,
  cursor: () => 'The service rejects the cursor of another list with `INVALID_PARAMETER`.',
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
