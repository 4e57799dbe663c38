import type { ApiVersion } from '../../contract/versions.js'
import { SERVICE_DEFAULT_VERSION } from '../../contract/versions.js'
import type { AccessTokens, TokenCheck } from '../auth/access-tokens.js'
import { ACCEPT_RULE, versionOf } from './accept.js'
import { readBody } from './api-body.js'
import { FakeApiError } from './api-error.js'
import { checkParameters, readQuery } from './api-parameters.js'
import type { FakeCall, FakeContext, Handler, HandlerTable } from './context.js'
import { apiErrorReply, defectReply, unknownPathReply } from './envelope.js'
import { type FakeRequest, jsonReply, type Reply } from './http.js'
import { shapeAnswer } from './response-shape.js'
import type { Route } from './routes.js'

/** What the API door works with. */
export interface ApiParts {
  readonly context: FakeContext
  readonly handlers: HandlerTable
  readonly accessTokens: AccessTokens
  /** Waits on the fake's clock. */
  readonly wait: (ms: number) => Promise<void>
}

/** A request to the API whose route is known. */
export interface ApiRequest {
  readonly request: FakeRequest
  readonly route: Route
  readonly params: FakeCall['params']
  /** Hears the parsed body, for the journal. */
  readonly onBody: (body: unknown) => void
}

const ORDER = 'referrals.create'
const VERSION_CACHE_SIZE = 100

/** Answers requests to the endpoints of §4. */
export class ApiDoor {
  readonly #parts: ApiParts
  readonly #handlers: ReadonlyMap<string, Handler>
  readonly #versions = new Map<string | undefined, ApiVersion | undefined>()

  constructor(parts: ApiParts) {
    this.#parts = parts
    this.#handlers = new Map(Object.entries(parts.handlers))
  }

  async answer(asked: ApiRequest): Promise<Reply> {
    const { context, wait } = this.#parts
    const { request, route } = asked
    try {
      const check = this.#authenticate(request.headers['authorization'])
      const refused = typeof check === 'object' ? await check : check
      if (refused !== undefined) throw new FakeApiError(refused)
      if (route.endpoint?.stagingOnly === true && context.options.environment === 'production') {
        return unknownPathReply(`${route.method} ${route.path} in production (§9)`, [])
      }
      const call = this.#readCall(asked)
      if (route.id === ORDER && context.options.orderLatencyMs > 0) await wait(context.options.orderLatencyMs)
      return this.#handle(call)
    } catch (error) {
      return error instanceof FakeApiError ? apiErrorReply(error, context.options) : defectReply(error)
    }
  }

  /** §5, §7: what is wrong with the Authorization header, if anything. */
  #authenticate(
    header: string | undefined,
  ): TokenCheck | 'MISSING_AUTHORIZATION_HEADER' | Promise<TokenCheck> {
    if (header === undefined || header.trim() === '') return 'MISSING_AUTHORIZATION_HEADER'
    const token = /^bearer +(?<token>\S+)$/i.exec(header.trim())?.groups?.['token']
    return token === undefined ? 'INVALID_JWT' : this.#parts.accessTokens.check(token)
  }

  #readCall({ request, route, params, onBody }: ApiRequest): FakeCall {
    const { options } = this.#parts.context
    const { endpoint } = route
    if (endpoint === undefined) throw new Error(`${route.id} is no endpoint`)
    const version = this.#version(request.headers['accept'])
    const mark = request.target.indexOf('?')
    const query = readQuery(endpoint, mark === -1 ? '' : request.target.slice(mark + 1), options)
    checkParameters({ endpoint, params, query, body: undefined, version })
    const body = readBody(endpoint, request.body, options)
    onBody(body)
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

  #handle(call: FakeCall): Reply {
    const { context } = this.#parts
    const handler = this.#handlers.get(call.endpoint.id)
    if (handler === undefined) throw new Error(`the fake has no handler for ${call.endpoint.id}`)
    return jsonReply(200, shapeAnswer(call.endpoint, handler(context, call), context.options))
  }
}
