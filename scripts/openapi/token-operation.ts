import { TOKEN_PATH } from '../../src/contract/endpoint.js'
import { TOKEN_ERROR_CODES } from '../../src/contract/error-codes.js'
import type { JsonObject } from './json.js'
import { schemaRef } from './schemas.js'
import { AUTH_ORIGIN, AUTH_SERVER } from './servers.js'

/** How calls are authorised. The token service itself takes the client's id and secret, in the header or the form. */
export const SECURITY_SCHEMES: JsonObject = {
  oauth2: {
    type: 'oauth2',
    description: 'An access token in the Authorization header; get a new one before `expires_in` is over.',
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

const ELSEWHERE = 'left out when the Authorization header has it'

const CREDENTIALS = {
  client_id: { description: `The client id; ${ELSEWHERE}.`, type: 'string' },
  client_secret: { description: `The client secret; ${ELSEWHERE}.`, type: 'string' },
}

const FORM: JsonObject = {
  oneOf: [
    {
      type: 'object',
      properties: {
        grant_type: { description: 'A token for the credentials.', const: 'client_credentials' },
        ...CREDENTIALS,
      },
      required: ['grant_type'],
    },
    {
      type: 'object',
      properties: {
        grant_type: { description: 'A token for a refresh token.', const: 'refresh_token' },
        refresh_token: { description: 'The refresh token of the last answer.', type: 'string' },
        ...CREDENTIALS,
      },
      required: ['grant_type', 'refresh_token'],
    },
  ],
}

const ERROR_LINES = Object.entries(TOKEN_ERROR_CODES)
  .map(([code, { type, meaning }]) => `\`${code}\` ${type}: ${meaning}.`)
  .join(' ')

/** The token service's one operation. */
export const TOKEN_OPERATION: JsonObject = {
  servers: [AUTH_SERVER],
  post: {
    operationId: 'tokens.issue',
    summary: 'Get an access token',
    description: 'A refresh gives a new refresh token as well.',
    tags: ['tokens'],
    security: [{ client: [] }, {}],
    requestBody: { required: true, content: { 'application/x-www-form-urlencoded': { schema: FORM } } },
    responses: {
      '200': {
        description: 'Success.',
        content: { 'application/json': { schema: schemaRef('TokenResponse') } },
      },
      '4XX': {
        description: ERROR_LINES,
        content: { 'application/json': { schema: schemaRef('TokenError') } },
      },
    },
  },
}
