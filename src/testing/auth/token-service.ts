import { type KnownTokenErrorCode, TOKEN_ERROR_CODES } from '../../contract/error-codes.js'
import type { Clock } from '../server/clock.js'
import { type FakeRequest, jsonResponse, type ResponseDraft } from '../server/http.js'
import type { Random } from '../server/random.js'
import type { AccessTokens, TokenOptions, TokenState } from './access-tokens.js'
import { readClient, TokenServiceError } from './client-credentials.js'

/** A successful response of the token service. */
export interface IssuedTokens {
  /** The access token, a JWT, for the Authorization header. */
  readonly access_token: string
  /** Token for the refresh grant. Every response contains a new refresh token. */
  readonly refresh_token: string
  /** Scheme of the Authorization header. */
  readonly token_type: 'Bearer'
  /** Seconds until the access token expires. */
  readonly expires_in: number
  /** Seconds until the refresh token expires. */
  readonly refresh_expires_in: number
}

/** The token service (§5): both grants, every error, rotation of refresh tokens. */
export class TokenService {
  readonly #options: TokenOptions
  readonly #state: () => TokenState
  readonly #clock: Clock
  readonly #random: Random
  readonly #accessTokens: AccessTokens

  constructor(
    options: TokenOptions,
    state: () => TokenState,
    clock: Clock,
    random: Random,
    accessTokens: AccessTokens,
  ) {
    this.#options = options
    this.#state = state
    this.#clock = clock
    this.#random = random
    this.#accessTokens = accessTokens
  }

  respondWithTokens(request: FakeRequest): ResponseDraft {
    try {
      const clientId = this.#grant(request)
      return jsonResponse(200, this.issue(clientId), {
        'cache-control': 'no-store',
        pragma: 'no-cache',
      })
    } catch (error) {
      if (error instanceof TokenServiceError) return this.#errorResponse(error.code)
      throw error
    }
  }

  issue(clientId: string): IssuedTokens {
    const state = this.#state()
    // A reset repeats the UUIDs. The number of the access token keeps the refresh token different from earlier tokens.
    const refreshToken = `fake-refresh-${state.sequence + 1}-${this.#random.uuid()}`
    const expiresAt = this.#clock.now() + this.#options.refreshTokenSeconds * 1_000
    for (const [token, record] of state.refreshTokens) {
      if (record.expiresAt <= this.#clock.now()) state.refreshTokens.delete(token)
    }
    state.refreshTokens.set(refreshToken, { clientId, expiresAt })
    return {
      access_token: this.#accessTokens.issue(clientId),
      refresh_token: refreshToken,
      token_type: 'Bearer',
      expires_in: this.#options.accessTokenSeconds,
      refresh_expires_in: this.#options.refreshTokenSeconds,
    }
  }

  #grant(request: FakeRequest): string {
    const form = readForm(request)
    const grants = form.getAll('grant_type')
    if (grants.length !== 1) throw new TokenServiceError('109')
    if (grants[0] === 'client_credentials') return this.#authenticate(request, form)
    if (grants[0] === 'refresh_token') return this.#refresh(request, form)
    throw new TokenServiceError('109')
  }

  #authenticate(request: FakeRequest, form: URLSearchParams): string {
    const { clientId, clientSecret } = this.#options
    const given = readClient(request.headers['authorization'], form)
    if (given.clientId !== clientId && given.decoded?.clientId !== clientId)
      throw new TokenServiceError('110')
    if (given.clientSecret !== clientSecret && given.decoded?.clientSecret !== clientSecret) {
      throw new TokenServiceError('123')
    }
    if (this.#state().accountClosed) throw new TokenServiceError('102')
    return clientId
  }

  /**
   * Checks the refresh grant. §5 does not require client credentials here. If a request has credentials, they must be
   * valid.
   */
  #refresh(request: FakeRequest, form: URLSearchParams): string {
    const state = this.#state()
    const named = request.headers['authorization'] !== undefined || form.has('client_id')
    const clientId = named ? this.#authenticate(request, form) : this.#options.clientId
    const token = form.get('refresh_token') ?? ''
    const record = state.refreshTokens.get(token)
    const valid = record !== undefined && record.clientId === clientId && record.expiresAt > this.#clock.now()
    if (!valid) throw new TokenServiceError('108')
    if (state.accountClosed) throw new TokenServiceError('102')
    state.refreshTokens.delete(token)
    return clientId
  }

  #errorResponse(code: KnownTokenErrorCode): ResponseDraft {
    const { type, meaning } = TOKEN_ERROR_CODES[code]
    const status = this.#options.tokenErrorStatuses[code]
    const headers: Record<string, string> =
      status === 401 ? { 'www-authenticate': 'Basic realm="pathology-fake"' } : {}
    return { ...jsonResponse(status, { error: true, code, type, message: meaning }, headers), code }
  }
}

function readForm({ headers, body }: FakeRequest): URLSearchParams {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') return new URLSearchParams()
  return new URLSearchParams(Buffer.from(body).toString('utf8'))
}
