import { isJsonObject, type Json, type JsonObject, mapValues } from './json.js'
import { type Recorded, SINGLE_ORDER } from './scenario.js'
import { eventSchemaName } from './webhooks.js'

const REF = '#/components/schemas/'
const SINGLE_REFERRAL = '#/components/schemas/Referral'

/** Examples of the schemas for which the fake's scenario records no body. */
const OTHERS: Readonly<Record<string, Json>> = {
  ErrorEnvelope: {
    error: true,
    code: 'INVALID_PAYLOAD',
    message: 'Invalid payload',
    errorList: ['must be an email address [field: email]'],
  },
  TokenError: {
    error: true,
    code: '110',
    type: 'InvalidClientId',
    message: 'Client id invalid or not found',
  },
  ClientCredentialsGrant: {
    grant_type: 'client_credentials',
    client_id: 'your-client-id',
    client_secret: 'your-client-secret',
  },
  RefreshGrant: { grant_type: 'refresh_token', refresh_token: 'the-refresh-token' },
}

/** Adds an example to every schema and every operation, so that a mock server returns realistic data. */
export function withExamples(document: JsonObject, recorded: Recorded): JsonObject {
  const examples = new Map<string, Json>(Object.entries(OTHERS))
  const collect = (schema: Json | undefined, value: Json): void =>
    collectExamples(document, examples, schema, value)
  for (const [name, body] of recorded.events) collect({ $ref: REF + eventSchemaName(name) }, body)
  const paths = mapOperations(document['paths'], (operation) => exemplified(operation, recorded, collect))
  const { components } = document
  const bodies = Object.fromEntries([...recorded.responses].map(([name, value]) => [name, { value }]))
  const { schemas, ...others } = isJsonObject(components) ? components : {}
  return {
    ...document,
    paths,
    components: {
      schemas: isJsonObject(schemas) ? mapValues(schemas, shown) : {},
      examples: bodies,
      ...others,
    },
  }

  function shown(schema: Json, name: string): Json {
    const example = examples.get(name)
    if (example === undefined || !isJsonObject(schema))
      throw new Error(`the scenario has no example of ${name}`)
    return { ...schema, examples: [example] }
  }
}

type Collect = (schema: Json | undefined, value: Json) => void

function exemplified(operation: JsonObject, recorded: Recorded, collect: Collect): JsonObject {
  const id = String(operation['operationId'])
  const request = recorded.requests.get(id)
  const { requestBody, responses } = operation
  const success = isJsonObject(responses) ? responses['200'] : undefined
  if (!isJsonObject(responses) || !isJsonObject(success)) throw new Error(`${id} has no success`)
  return {
    ...operation,
    ...(request !== undefined &&
      isJsonObject(requestBody) && {
        requestBody: withContent(requestBody, (schema) => {
          collect(schema, request)
          return { example: request }
        }),
      }),
    responses: {
      ...responses,
      '200': withContent(success, (schema) => {
        const isSingle =
          id === 'referrals.create' && isJsonObject(schema) && schema['$ref'] === SINGLE_REFERRAL
        const name = isSingle ? SINGLE_ORDER : id
        const example = recorded.responses.get(name)
        if (example === undefined) throw new Error(`the scenario does not call ${name}`)
        collect(schema, example)
        return { examples: { [name]: { $ref: `#/components/examples/${name}` } } }
      }),
    },
  }
}

/** Adds an example to each media type of a body. */
function withContent(body: JsonObject, exampleOf: (schema: Json | undefined) => JsonObject): JsonObject {
  const { content } = body
  if (!isJsonObject(content)) return body
  const types = mapValues(content, (type) =>
    isJsonObject(type) ? { ...type, ...exampleOf(type['schema']) } : type,
  )
  return { ...body, content: types }
}

/** Stores the first value of each named schema as its example, and does the same for the schemas within it. */
function collectExamples(
  document: JsonObject,
  examples: Map<string, Json>,
  schema: Json | undefined,
  value: Json,
): void {
  if (!isJsonObject(schema) || value === null) return
  const { $ref, properties, items, anyOf } = schema
  if (typeof $ref === 'string') {
    const name = $ref.replace(REF, '')
    if (!examples.has(name)) examples.set(name, value)
    collectExamples(document, examples, schemaNamed(document, name), value)
  }
  if (Array.isArray(anyOf)) {
    const option = anyOf.find((each) => suits(document, each, value))
    collectExamples(document, examples, option, value)
  }
  if (Array.isArray(value)) {
    for (const entry of value) collectExamples(document, examples, items, entry)
  } else if (isJsonObject(value) && isJsonObject(properties)) {
    for (const [name, field] of Object.entries(value)) {
      collectExamples(document, examples, properties[name], field)
    }
  }
}

function suits(document: JsonObject, schema: Json, value: Json): boolean {
  if (!isJsonObject(schema)) return false
  const { $ref, type, required } =
    typeof schema['$ref'] === 'string' ? schemaNamed(document, schema['$ref'].replace(REF, '')) : schema
  if (typeof $ref === 'string') return false
  if (Array.isArray(value)) return type === 'array'
  if (!isJsonObject(value)) return type === typeof value
  return type === 'object' && [required ?? []].flat().every((name) => String(name) in value)
}

function schemaNamed({ components }: JsonObject, name: string): JsonObject {
  const schemas = isJsonObject(components) ? components['schemas'] : undefined
  const schema = isJsonObject(schemas) ? schemas[name] : undefined
  if (!isJsonObject(schema)) throw new Error(`the document has no schema ${name}`)
  return schema
}

function mapOperations(paths: Json | undefined, change: (operation: JsonObject) => JsonObject): JsonObject {
  if (!isJsonObject(paths)) return {}
  return mapValues(paths, (item) =>
    isJsonObject(item)
      ? mapValues(item, (part) => (isJsonObject(part) && 'operationId' in part ? change(part) : part))
      : item,
  )
}
