import type { JsonObject } from './json.js'

/** Placeholder of the token service's origin. Origins differ by environment, so the interface does not contain them. */
export const AUTH_ORIGIN = 'https://auth.example.com'

export const API_SERVER: JsonObject = {
  url: 'https://{host}',
  description:
    'The API of your environment; the host is a placeholder. Staging and production have credentials of their own.',
  variables: { host: { default: 'api.example.com' } },
}

export const AUTH_SERVER: JsonObject = {
  url: 'https://{host}',
  description: 'The token service of your environment; the host is a placeholder.',
  variables: { host: { default: new URL(AUTH_ORIGIN).host } },
}
