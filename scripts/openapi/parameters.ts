import type { Endpoint, PageSizes } from '../../src/contract/endpoint.js'
import { PATH_PARAMETERS, type PathParameter } from '../../src/contract/identifiers.js'
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

/** None of them is required. */
export function queryParameters(endpoint: Endpoint, notes: OperationNotes, types: ContractTypes): Json[] {
  if (endpoint.query === undefined) return [...(notes.parameters ?? [])]
  const { properties } = querySchema(endpoint.query, types)
  const fields = isJsonObject(properties) ? Object.entries(properties) : []
  return fields.map(([name, field]) => {
    const { description, ...schema } = isJsonObject(field) ? field : {}
    return present({
      name,
      in: 'query',
      description: DESCRIPTIONS[name]?.(endpoint, String(description)) ?? description,
      ...LIST_STYLE[String(schema['type'])],
      schema: { ...schema, ...defaultOf(name, endpoint) },
    })
  })
}

/** Style of a list: its entries are separated by commas. The service also accepts a repeated key. */
const LIST_STYLE: Readonly<Record<string, JsonObject>> = { array: { style: 'form', explode: false } }

/** Descriptions that say more of one endpoint than the docstring of the field, which all lists share. */
const DESCRIPTIONS: Readonly<Record<string, (endpoint: Endpoint, docstring: string) => string>> = {
  count: (endpoint) =>
    `Number of records per page, 1 to ${pagesOf(endpoint)?.atMost}; a larger number counts as ${pagesOf(endpoint)?.atMost}. \`cursor.count\` in the response is the applied size.`,
  cursor: (_endpoint, docstring) =>
    `${docstring} The service rejects the cursor of another list with \`INVALID_PARAMETER\`.`,
}

function defaultOf(name: string, endpoint: Endpoint): JsonObject {
  const { response } = endpoint
  const sort = response.kind === 'list' && response.sort?.documented ? response.sort.byDefault : undefined
  if (name === 'count') return present({ default: pagesOf(endpoint)?.byDefault })
  return name === 'sort' ? present({ default: sort }) : {}
}

function pagesOf({ response }: Endpoint): PageSizes | undefined {
  return response.kind === 'list' && response.paged !== false ? response.paged : undefined
}
