import { type Endpoint, TOKEN_PATH } from '../../contract/endpoint.js'
import { ENDPOINTS, type endpoints } from '../../contract/endpoints.js'
import type { ServicePart } from './http.js'

export interface Route {
  /** The endpoint's id, or the name of a route that is not an endpoint of §4. */
  readonly id: string
  readonly part: ServicePart
  readonly method: string
  /** Path template, with `{name}` for each parameter. */
  readonly path: string
  readonly endpoint?: Endpoint
}

/** Path of a signed document. The query of the document's URL contains the signature. */
export const DOCUMENT_PATH = '/documents/{name}'

type Groups = typeof endpoints
type RouteOf<Row> = Row extends { readonly method: infer Method; readonly path: infer Path }
  ? `${Method & string} ${Path & string}`
  : never

/** A route for `faults.next()`: the method and the path template, or `*` for every route. */
export type KnownFaultRoute =
  | { [Group in keyof Groups]: RouteOf<Groups[Group][keyof Groups[Group]]> }[keyof Groups]
  | `POST ${typeof TOKEN_PATH}`
  | `GET ${typeof DOCUMENT_PATH}`
  | '*'

/** Every route of the fake, without the control API. */
export const ROUTES: readonly Route[] = [
  ...ENDPOINTS.map(
    (endpoint): Route => ({
      id: endpoint.id,
      part: 'api',
      method: endpoint.method,
      path: endpoint.path,
      endpoint,
    }),
  ),
  { id: 'token', part: 'auth', method: 'POST', path: TOKEN_PATH },
  { id: 'document', part: 'documents', method: 'GET', path: DOCUMENT_PATH },
]
