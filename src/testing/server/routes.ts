import { type Endpoint, TOKEN_PATH } from '../../contract/endpoint.js'
import { ENDPOINTS, type endpoints } from '../../contract/endpoints.js'
import type { Door } from './http.js'

/** Something the fake answers. */
export interface Route {
  /** The endpoint's id, or the name of a route that is no endpoint of §4. */
  readonly id: string
  readonly door: Door
  readonly method: string
  /** With `{name}` for each parameter. */
  readonly path: string
  readonly endpoint?: Endpoint
}

/** Path of a signed document; its URL carries the signature. */
export const DOCUMENT_PATH = '/documents/{name}'

type Groups = typeof endpoints
type RouteOf<Row> = Row extends { readonly method: infer Method; readonly path: infer Path }
  ? `${Method & string} ${Path & string}`
  : never

/** A route that a fault can be put in the way of, with the template of its path; `*` for every one. */
export type KnownFaultRoute =
  | { [Group in keyof Groups]: RouteOf<Groups[Group][keyof Groups[Group]]> }[keyof Groups]
  | `POST ${typeof TOKEN_PATH}`
  | `GET ${typeof DOCUMENT_PATH}`
  | '*'

/** Everything the fake answers, besides the control interface. */
export const ROUTES: readonly Route[] = [
  ...ENDPOINTS.map(
    (endpoint): Route => ({
      id: endpoint.id,
      door: 'api',
      method: endpoint.method,
      path: endpoint.path,
      endpoint,
    }),
  ),
  { id: 'token', door: 'auth', method: 'POST', path: TOKEN_PATH },
  { id: 'document', door: 'documents', method: 'GET', path: DOCUMENT_PATH },
]
