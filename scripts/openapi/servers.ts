import type { JsonObject } from './json.js'

/** Origins differ by environment and are no part of the interface: placeholders stand for them. */
export const AUTH_ORIGIN = 'https://auth.example.com'

export const API_SERVER: JsonObject = {
  url: 'https://{host}',
  description: 'The API of one environment. Staging and production are apart, with credentials of their own.',
  variables: { host: { default: 'api.example.com', description: 'The host of your environment.' } },
}

export const AUTH_SERVER: JsonObject = {
  url: 'https://{host}',
  description: 'The token service of one environment.',
  variables: { host: { default: new URL(AUTH_ORIGIN).host, description: 'The host of your environment.' } },
}
