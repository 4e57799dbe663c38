import { TOKEN_PATH } from '../../src/contract/endpoint.js'
import { TOKEN_ERROR_CODES } from '../../src/contract/error-codes.js'
import { type JsonObject, schemaRef } from './json.js'
import { exampleRef } from './responses.js'
import { AUTH_ORIGIN, AUTH_SERVER } from './servers.js'

/**
 * Security schemes. The token service itself accepts the client id and secret in the Authorization header or in the
 * body.
 */
export const SECURITY_SCHEMES: JsonObject = {
  oauth2: {
    type: 'oauth2',
    description:
      'An access token in the Authorization header. Get a new token before the number of seconds in `expires_in` has passed.',
    flows: {
      clientCredentials: {
        tokenUrl: AUTH_ORIGIN + TOKEN_PATH,
        refreshUrl: AUTH_ORIGIN + TOKEN_PATH,
        scopes: {},
      },
    },
  },
  client: { type: 'http', scheme: 'basic', description: 'The client id and the client secret.' },
}

const WHEN = 'required if the request has no Authorization header'

const CREDENTIALS = {
  client_id: { description: `The client id; ${WHEN}.`, type: 'string' },
  client_secret: { description: `The client secret; ${WHEN}.`, type: 'string' },
}

/** Schemas of the two kinds of token request. */
export const TOKEN_SCHEMAS: Record<string, JsonObject> = {
  ClientCredentialsGrant: {
    description: 'A request for a token with the credentials.',
    type: 'object',
    properties: {
      grant_type: {
        description: 'Always `client_credentials`.',
        type: 'string',
        enum: ['client_credentials'],
      },
      ...CREDENTIALS,
    },
    required: ['grant_type'],
  },
  RefreshGrant: {
    description: 'A request for a token with a refresh token.',
    type: 'object',
    properties: {
      grant_type: { description: 'Always `refresh_token`.', type: 'string', enum: ['refresh_token'] },
      refresh_token: { description: 'The refresh token of the last response.', type: 'string' },
      ...CREDENTIALS,
    },
    required: ['grant_type', 'refresh_token'],
  },
}

const FORM: JsonObject = { oneOf: Object.keys(TOKEN_SCHEMAS).map(schemaRef) }

const ERROR_LINES = Object.entries(TOKEN_ERROR_CODES)
  .map(([code, { type, meaning }]) => `\`${code}\` ${type}: ${meaning}.`)
  .join(' ')

/** Response for token errors. The specification does not show their statuses. */
const TOKEN_ERROR: JsonObject = {
  description: ERROR_LINES,
  content: { 'application/json': { schema: schemaRef('TokenError') } },
}

/** The only operation of the token service. */
export const TOKEN_OPERATION: JsonObject = {
  servers: [AUTH_SERVER],
  post: {
    operationId: 'tokens.issue',
    summary: 'Get an access token',
    description: 'A request with a refresh token also returns a new refresh token.',
    tags: ['tokens'],
    security: [{ client: [] }, {}],
    requestBody: { required: true, content: { 'application/x-www-form-urlencoded': { schema: FORM } } },
    responses: {
      '200': {
        description: 'Success.',
        content: {
          'application/json': { schema: schemaRef('TokenResponse'), examples: exampleRef('tokens.issue') },
        },
      },
      '400': TOKEN_ERROR,
      '401': TOKEN_ERROR,
      default: TOKEN_ERROR,
    },
  },
}
