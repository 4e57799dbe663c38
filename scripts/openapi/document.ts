import { type Endpoint, TOKEN_PATH } from '../../src/contract/endpoint.js'
import { ENDPOINTS } from '../../src/contract/endpoints.js'
import {
  ACCEPT_HEADERS,
  API_VERSIONS,
  SDK_DEFAULT_VERSION,
  SERVICE_DEFAULT_VERSION,
} from '../../src/contract/versions.js'
import { type ContractTypes, readContractTypes } from './contract-types.js'
import { type Json, type JsonObject, schemaRef } from './json.js'
import { OPERATIONS, type OperationNotes } from './operations.js'
import { pathParameters, queryParameters } from './parameters.js'
import { COMMON_RESPONSES, operationResponses, wrapperSchemas } from './responses.js'
import { type Recorded, recordScenario } from './scenario.js'
import { contractSchemas } from './schemas.js'
import { API_SERVER } from './servers.js'
import { SECURITY_SCHEMES, TOKEN_OPERATION, TOKEN_SCHEMAS } from './token-operation.js'
import { eventSchemas, webhookPaths } from './webhooks.js'

/** Returns the OpenAPI 3.1 document, from the endpoint table and the schemas that the client and the fake use. */
function openApiDocument(recorded: Recorded): JsonObject {
  const types = readContractTypes()
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pathology referral and results service',
      version: SDK_DEFAULT_VERSION,
      summary: 'Pathology orders, results, Medicare routing, collection centres and webhooks.',
      description: ABOUT,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [API_SERVER],
    security: [{ oauth2: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: { ...apiPaths(types, recorded), [TOKEN_PATH]: TOKEN_OPERATION },
    webhooks: webhookPaths(recorded.events),
    components: {
      schemas: inOrder({
        ...contractSchemas(types),
        ...wrapperSchemas(),
        ...eventSchemas(types),
        ...TOKEN_SCHEMAS,
      }),
      examples: Object.fromEntries([...recorded.responses].map(([name, value]) => [name, { value }])),
      responses: COMMON_RESPONSES,
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

const ABOUT = `Generated from the contract of the pathology-sdk package.

The Accept header chooses the version: ${API_VERSIONS.map((version) => `\`${ACCEPT_HEADERS[version]}\``).join(' or ')}. Without one of these the version is ${SERVICE_DEFAULT_VERSION}, which has no \`bundleId\` and no \`medicareTests\`, and returns one referral for an order. The service may add fields and values within v1: ignore unknown fields and values. \`x-known-values\` lists the known values of a field; the service may send others. \`x-retry\` says whether a request may be repeated (\`safe\`: it changes nothing; \`repeatable\`: a repeat has no further effect; \`once\`: a repeat could have a second effect).`

const TAGS = {
  referrals: 'Orders and their referrals.',
  results: 'Results of laboratories.',
  tests: 'Tests that can be ordered.',
  biomarkers: 'The biomarker catalogue.',
  bundles: 'Tests sold together.',
  prices: 'Prices of orders.',
  providers: 'Medicare provider records and the routing of their results.',
  vendors: 'Laboratories.',
  centres: 'Collection centres.',
  webhooks: 'Subscriptions to events.',
  tokens: 'Access tokens.',
  events: 'Events that are delivered to a subscribed URL.',
} as const

function apiPaths(types: ContractTypes, recorded: Recorded): Record<string, JsonObject> {
  const templates = [...new Set(ENDPOINTS.map(({ path }) => path))]
  return Object.fromEntries(
    templates.map((template) => {
      const operations = ENDPOINTS.filter(({ path }) => path === template).map((endpoint) => [
        endpoint.method.toLowerCase(),
        operation(endpoint, types, recorded.requests.get(endpoint.id)),
      ])
      return [template, { ...withParameters(pathParameters(template)), ...Object.fromEntries(operations) }]
    }),
  )
}

function operation(endpoint: Endpoint, types: ContractTypes, example: Json = null): JsonObject {
  const { id, retry, body, stagingOnly } = endpoint
  const notes = notesOf(id)
  return {
    operationId: id,
    summary: notes.summary,
    ...(notes.description && { description: notes.description }),
    tags: id.split('.').slice(0, 1),
    ...withParameters(queryParameters(endpoint, notes, types)),
    ...(body && {
      requestBody: { required: true, content: { 'application/json': { schema: schemaRef(body), example } } },
    }),
    responses: operationResponses(endpoint, notes),
    'x-retry': retry,
    ...(stagingOnly && { 'x-staging-only': true }),
  }
}

function notesOf(id: string): OperationNotes {
  const entry = Object.entries(OPERATIONS).find(([name]) => name === id)
  if (entry === undefined) throw new Error(`${id} has no entry in operations.ts`)
  return entry[1]
}

function withParameters(parameters: Json[]): JsonObject {
  return parameters.length > 0 ? { parameters } : {}
}

function inOrder(fields: Record<string, JsonObject>): Record<string, JsonObject> {
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Returns the document with its examples, as stored in `openapi.json`. */
export async function openApiText(): Promise<string> {
  return `${JSON.stringify(openApiDocument(await recordScenario()), null, 2)}\n`
}
