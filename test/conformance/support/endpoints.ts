import { absentUuid } from './samples.js'
import type { Method } from './service.js'

/** Every row of §4: method, path with unknown ids, and a body if the endpoint reads one. */
export interface Endpoint {
  readonly method: Method
  readonly path: string
  readonly body?: unknown
}

export const endpoints: readonly Endpoint[] = [
  { method: 'POST', path: '/v1/referrals', body: {} },
  { method: 'GET', path: '/v1/referrals' },
  { method: 'GET', path: `/v1/referrals/${absentUuid}` },
  { method: 'PATCH', path: `/v1/referrals/${absentUuid}`, body: {} },
  { method: 'DELETE', path: `/v1/referrals/${absentUuid}` },
  { method: 'PUT', path: `/v1/referrals/${absentUuid}` },
  { method: 'GET', path: '/v1/results' },
  { method: 'GET', path: `/v1/results/${absentUuid}` },
  { method: 'GET', path: '/v1/tests' },
  { method: 'GET', path: '/v1/biomarkers' },
  { method: 'GET', path: '/v1/bundles' },
  { method: 'POST', path: '/v1/calculate', body: {} },
  { method: 'POST', path: '/v1/providers', body: {} },
  { method: 'GET', path: '/v1/providers' },
  { method: 'GET', path: '/v1/providers/2426621B' },
  { method: 'PUT', path: '/v1/providers/2426621B', body: {} },
  { method: 'DELETE', path: '/v1/providers/2426621B' },
  { method: 'POST', path: '/v1/providers/2426621B/routing', body: {} },
  { method: 'GET', path: '/v1/vendors' },
  { method: 'GET', path: '/v1/collection-centres' },
  { method: 'GET', path: `/v1/collection-centres/${absentUuid}` },
  { method: 'POST', path: '/v1/webhooks', body: {} },
  { method: 'GET', path: '/v1/webhook-events' },
  { method: 'GET', path: '/v1/webhooks' },
  { method: 'GET', path: `/v1/webhooks/${absentUuid}` },
  { method: 'PATCH', path: `/v1/webhooks/${absentUuid}`, body: {} },
  { method: 'DELETE', path: `/v1/webhooks/${absentUuid}` },
]

export const endpointRows: [string, Endpoint][] = endpoints.map((row) => [`${row.method} ${row.path}`, row])
