import { type KnownTokenErrorCode, TOKEN_ERROR_CODES } from '../../contract/error-codes.js'
import type { FakeOptions } from '../options/fake-options.js'
import type { DomainClock, DomainRandom } from '../server/context.js'
import { type FakeRequest, jsonReply, type Reply } from '../server/http.js'
import type { AccessTokens } from './access-tokens.js'
import { readClient, TokenServiceError } from './client-credentials.js'
import type { TokenState } from './token-state.js'

/** A successful answer of the token service (§5). */
export interface IssuedTokens {
  /** The access token, a JWT, for the Authorization header. */
  readonly access_token: string
  /** Gets further access tokens by the refresh grant; each answer brings a new one. */
  readonly refresh_token: string
  /** How to send the access token. */
  readonly token_type: 'Bearer'
  /** Seconds until the access token expires. */
  readonly expires_in: number
  /** Seconds until the refresh token expires. */
  readonly refresh_expires_in: number
}

/** The token service of §5: both grants, every error, rotation of refresh tokens. */
export class TokenService {
  readonly #options: FakeOptions
  readonly #state: () => TokenState
  readonly #clock: DomainClock
  readonly #random: DomainRandom
  readonly #accessTokens: AccessTokens

  constructor(
    options: FakeOptions,
    state: () => TokenState,
    clock: DomainClock,
    random: DomainRandom,
    accessTokens: AccessTokens,
  ) {
    this.#options = options
    this.#state = state
    this.#clock = clock
    this.#random = random
    this.#accessTokens = accessTokens
  }

  /** Answers `POST /oauth/token`. */
  async answer(request: FakeRequest): Promise<Reply> {
    try {
      const clientId = this.#grant(request)
      return jsonReply(200, await this.issue(clientId), { 'cache-control': 'no-store', pragma: 'no-cache' })
    } catch (error) {
      if (error instanceof TokenServiceError) return this.#errorReply(error.code)
      throw error
    }
  }

  /** A pair of tokens for a client, as a grant would give it. */
  async issue(clientId: string): Promise<IssuedTokens> {
    const state = this.#state()
    const refreshToken = `fake-refresh-${this.#random.uuid()}`
    const expiresAt = this.#clock.now() + this.#options.refreshTokenSeconds * 1_000
    for (const [token, record] of state.refreshTokens) {
      if (record.expiresAt <= this.#clock.now()) state.refreshTokens.delete(token)
    }
    state.refreshTokens.set(refreshToken, { clientId, expiresAt })
    return {
      access_token: await this.#accessTokens.issue(clientId),
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

  /** §5 shows the grant without client credentials; where they are given, they must be right. */
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

  #errorReply(code: KnownTokenErrorCode): Reply {
    const { type, meaning } = TOKEN_ERROR_CODES[code]
    const status = this.#options.tokenErrorStatuses[code]
    const headers: Record<string, string> =
      status === 401 ? { 'www-authenticate': 'Basic realm="pathology-fake"' } : {}
    return { ...jsonReply(status, { error: true, code, type, message: meaning }, headers), code }
  }
}

function readForm({ headers, body }: FakeRequest): URLSearchParams {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') return new URLSearchParams()
  return new URLSearchParams(Buffer.from(body).toString('utf8'))
}
