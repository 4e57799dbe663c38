import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** A token request and its response. */
export interface TokenRequest {
  readonly grant: string
  readonly status: number
}

/** Error response of the token endpoint: its status, and a code of §5. */
export interface Refusal {
  readonly status: number
  readonly code: string
}

/** Tokens of one response of the token endpoint. */
export interface IssuedPair {
  readonly accessToken: string
  readonly refreshToken: string
}

/** A token service with rotating refresh tokens (§5), and an API that accepts only its access tokens. */
export interface TokenService extends AsyncDisposable {
  readonly options: {
    readonly baseUrl: string
    readonly authUrl: string
    readonly clientId: string
    readonly clientSecret: string
  }
  /** Every token request so far. */
  readonly tokenRequests: readonly TokenRequest[]
  /** The status of every API call so far. */
  readonly apiStatuses: readonly number[]
  /** The access token of every API call so far. */
  readonly apiTokens: readonly string[]
  /** All tokens issued so far, in the order of the requests. */
  readonly issued: readonly IssuedPair[]
  /** Settings that a test can change at any time. */
  readonly settings: {
    expiresIn: number
    /** Whether responses contain a refresh token. */
    refreshTokens: boolean
    /** Duration of a token request in milliseconds. */
    delayMs: number
    /** Whether the API rejects every access token. */
    acceptNothing: boolean
    /** Error responses of the token endpoint, by grant. Any other grant gets tokens. */
    refuse: Map<string, Refusal>
  }
  /** Revokes all access tokens issued so far. */
  revokeAccess(): void
  /** Revokes all refresh tokens issued so far. */
  revokeRefresh(): void
  /** Accepts this access token again. */
  accept(accessToken: string): void
  /** Accepts this refresh token once more. */
  acceptRefresh(refreshToken: string): void
  /** Clears the records of requests and API calls, but not the tokens. */
  clear(): void
}

const CLIENT = { clientId: 'client', clientSecret: 'client-secret-canary' } as const

export async function startTokenService(): Promise<TokenService> {
  const state = new ServiceState()
  const server = createServer((request, response) => {
    state.answer(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const origin = `http://127.0.0.1:${address.port}`
  return {
    options: { baseUrl: origin, authUrl: `${origin}/auth`, ...CLIENT },
    tokenRequests: state.tokenRequests,
    apiStatuses: state.apiStatuses,
    apiTokens: state.apiTokens,
    issued: state.issued,
    settings: state.settings,
    revokeAccess: () => state.access.clear(),
    revokeRefresh: () => state.refresh.clear(),
    accept: (accessToken) => void state.access.add(accessToken),
    acceptRefresh: (refreshToken) => void state.refresh.add(refreshToken),
    clear: () => {
      state.tokenRequests.length = 0
      state.apiStatuses.length = 0
      state.apiTokens.length = 0
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

class ServiceState {
  readonly access = new Set<string>()
  readonly refresh = new Set<string>()
  readonly tokenRequests: TokenRequest[] = []
  readonly apiStatuses: number[] = []
  readonly apiTokens: string[] = []
  readonly issued: IssuedPair[] = []
  readonly settings: TokenService['settings'] = {
    expiresIn: 3_600,
    refreshTokens: true,
    acceptNothing: false,
    delayMs: 0,
    refuse: new Map(),
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [status, body] =
      request.url === '/auth/oauth/token' ? await this.#token(request) : this.#vendors(request)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

  async #token(request: IncomingMessage): Promise<[number, object]> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const form = new URLSearchParams(Buffer.concat(chunks).toString())
    const grant = form.get('grant_type') ?? ''
    const refusal = this.settings.refuse.get(grant) ?? this.#refusalOf(grant, form.get('refresh_token'))
    const status = refusal?.status ?? 200
    this.tokenRequests.push({ grant, status })
    const body =
      refusal === undefined
        ? this.#newTokens()
        : { error: true, code: refusal.code, type: 'Refused', message: 'refused' }
    await sleep(this.settings.delayMs)
    return [status, body]
  }

  /** A refresh token is used as soon as it arrives, even if the response takes long. */
  #refusalOf(grant: string, refreshToken: string | null): Refusal | undefined {
    if (grant === 'client_credentials' || this.refresh.delete(refreshToken ?? '')) return undefined
    return { status: 400, code: '108' }
  }

  #newTokens(): object {
    const accessToken = `access-${randomUUID()}`
    const refreshToken = `refresh-${randomUUID()}`
    this.issued.push({ accessToken, refreshToken })
    this.access.add(accessToken)
    this.refresh.add(refreshToken)
    const { expiresIn, refreshTokens } = this.settings
    return {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: expiresIn,
      ...(refreshTokens ? { refresh_token: refreshToken, refresh_expires_in: 2_592_000 } : {}),
    }
  }

  #vendors(request: IncomingMessage): [number, object] {
    request.resume()
    const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
    const status = this.access.has(token) && !this.settings.acceptNothing ? 200 : 401
    this.apiStatuses.push(status)
    this.apiTokens.push(token)
    return status === 200
      ? [200, { vendors: [] }]
      : [401, { error: true, code: 'INVALID_JWT', message: 'Invalid access token', errorList: [] }]
  }
}
