import type { KnownErrorCode } from '../../contract/error-codes.js'
import { type ApiVersion, SERVICE_DEFAULT_VERSION } from '../../contract/versions.js'
import { apiErrorResponse, FakeApiError, internalErrorResponse, stagingOnlyResponse } from './api-error.js'
import { ACCEPT_RULE, checkParameters, readBody, readQuery, versionOf } from './call-input.js'
import type { FakeCall, Handler, HandlerTable } from './context.js'
import { jsonResponse, type ResponseDraft } from './http.js'
import type { ServerOptions } from './options.js'
import type { RoutedRequest } from './pipeline.js'
import { shapeResponse } from './response-shape.js'

/** Reason why an access token is rejected (§7); `undefined` for a valid token. */
export type TokenProblem = Extract<KnownErrorCode, 'INVALID_JWT' | 'INVALID_JWT_SIGNATURE'> | undefined

export interface ApiParts<Context> {
  readonly context: Context
  readonly handlers: HandlerTable<Context>
  readonly checkToken: (token: string) => TokenProblem
  /** Waits on the fake's clock. Rejects if the fake is reset, restored or closed during the wait. */
  readonly wait: (ms: number) => Promise<void>
  /** Runs `work`. Meanwhile, document URLs can have the host name of this Host header. */
  readonly forHost: <T>(host: string | undefined, work: () => T) => T
}

const ORDER = 'referrals.create'
const VERSION_CACHE_SIZE = 100

/** Responder for the endpoints of §4. */
export class Api<Context extends { readonly options: ServerOptions }> {
  readonly #parts: ApiParts<Context>
  readonly #handlers: ReadonlyMap<string, Handler<Context>>
  readonly #versions = new Map<string | undefined, ApiVersion | undefined>()

  constructor(parts: ApiParts<Context>) {
    this.#parts = parts
    this.#handlers = new Map(Object.entries(parts.handlers))
  }

  /** Checks the token and the input, and runs the endpoint's handler. */
  async respondFromEndpoint(routed: RoutedRequest): Promise<ResponseDraft> {
    const { context, wait, forHost } = this.#parts
    const { request, route } = routed
    try {
      const problem = this.#authorizationProblem(request.headers['authorization'])
      if (problem !== undefined) throw new FakeApiError(problem)
      if (route.endpoint?.stagingOnly === true && context.options.environment === 'production') {
        return stagingOnlyResponse(route.method, route.path)
      }
      const call = this.#readCall(routed)
      if (route.id === ORDER && context.options.orderLatencyMs > 0) await wait(context.options.orderLatencyMs)
      return forHost(request.headers['host'], () => this.#runHandler(call))
    } catch (error) {
      if (error instanceof FakeApiError) return apiErrorResponse(error, context.options)
      return internalErrorResponse(error)
    }
  }

  /** Returns the problem of the Authorization header; `undefined` if it is valid (§5, §7). */
  #authorizationProblem(header: string | undefined): TokenProblem | 'MISSING_AUTHORIZATION_HEADER' {
    if (header === undefined || header.trim() === '') return 'MISSING_AUTHORIZATION_HEADER'
    const token = /^bearer +(?<token>\S+)$/i.exec(header.trim())?.groups?.['token']
    return token === undefined ? 'INVALID_JWT' : this.#parts.checkToken(token)
  }

  #readCall({ request, route, params }: RoutedRequest): FakeCall {
    const { options } = this.#parts.context
    const { endpoint } = route
    if (endpoint === undefined) throw new Error(`${route.id} is not an endpoint`)
    const version = this.#version(request.headers['accept'])
    const queryStart = request.target.indexOf('?')
    const query = readQuery(endpoint, queryStart === -1 ? '' : request.target.slice(queryStart + 1), options)
    checkParameters({ endpoint, params, query, body: undefined, version })
    const body = readBody(endpoint, request.body, options)
    return { endpoint, params, query, body, version }
  }

  #version(accept: string | undefined): ApiVersion {
    if (!this.#versions.has(accept)) {
      if (this.#versions.size >= VERSION_CACHE_SIZE) this.#versions.clear()
      this.#versions.set(accept, versionOf(accept))
    }
    const version = this.#versions.get(accept)
    if (version !== undefined) return version
    if (this.#parts.context.options.unknownVersion === 'ignore') return SERVICE_DEFAULT_VERSION
    throw new FakeApiError('INVALID_PARAMETER', [ACCEPT_RULE])
  }

  #runHandler(call: FakeCall): ResponseDraft {
    const { context } = this.#parts
    const handler = this.#handlers.get(call.endpoint.id)
    if (handler === undefined) throw new Error(`the fake has no handler for ${call.endpoint.id}`)
    return jsonResponse(200, shapeResponse(call.endpoint, handler(context, call), context.options))
  }
}
