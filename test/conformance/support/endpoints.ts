import { ENDPOINTS } from '../../../src/contract/endpoints.js'
import { absentUuid } from './samples.js'
import type { Method } from './service.js'

/** Every row of §4: method, path with unknown ids, and a body if the endpoint reads one. */
export interface Endpoint {
  readonly method: Method
  readonly path: string
  readonly body?: unknown
}

export const endpointRows: [string, Endpoint][] = ENDPOINTS.map(({ method, path, body }) => {
  const filled = path.replace('{providerNumber}', '2426621B').replace(/\{\w+\}/, absentUuid)
  return [`${method} ${filled}`, { method, path: filled, ...(body !== undefined && { body: {} }) }]
})
