import type { KnownTokenErrorCode } from '../../contract/error-codes.js'

/**
 * Error of the token service. The token service responds with its error body (§5). The specification lists the codes
 * without their conditions. Conditions in the fake:
 *
 * - 102: the credentials or the refresh token are valid, but a control method has closed the account.
 * - 108: the refresh token is missing, unknown, expired, already used, revoked, or issued to another client.
 * - 109: `grant_type` is missing, repeated or unknown, or the body is not a form.
 * - 110: the client id is not the fake's `clientId`.
 * - 111: the client id is empty, or a request for the client credentials grant has no client id.
 * - 117: the Authorization header is empty, or has the Basic scheme without credentials.
 * - 118: the Authorization header has another scheme, or its credentials are not base64 or have no colon.
 * - 123: the client id is valid, but the secret is missing or invalid.
 */
export class TokenServiceError extends Error {
  readonly code: KnownTokenErrorCode

  constructor(code: KnownTokenErrorCode) {
    super(code)
    this.code = code
  }
}

export interface GivenClient {
  readonly clientId: string
  readonly clientSecret: string | undefined
  /** The credentials of the header after URL-decoding, because OAuth requires clients to URL-encode them. */
  readonly decoded?: { readonly clientId: string; readonly clientSecret: string }
}

/**
 * Reads the client's credentials from the Basic header; without a header, from the form (§5).
 *
 * @throws TokenServiceError - 111, 117 or 118.
 */
export function readClient(authorization: string | undefined, form: URLSearchParams): GivenClient {
  if (authorization !== undefined) return readBasic(authorization)
  const clientId = form.get('client_id') ?? ''
  if (clientId === '') throw new TokenServiceError('111')
  return { clientId, clientSecret: form.get('client_secret') ?? undefined }
}

function readBasic(authorization: string): GivenClient {
  const text = authorization.trim()
  if (text === '' || /^basic$/i.test(text)) throw new TokenServiceError('117')
  const encoded = /^basic +(?<token>[A-Za-z0-9+/]+={0,2})$/i.exec(text)?.groups?.['token']
  const plain = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8')
  const colon = plain.indexOf(':')
  if (colon === -1) throw new TokenServiceError('118')
  const clientId = plain.slice(0, colon)
  if (clientId === '') throw new TokenServiceError('111')
  const clientSecret = plain.slice(colon + 1)
  return { clientId, clientSecret, ...decodedPair(clientId, clientSecret) }
}

function decodedPair(clientId: string, clientSecret: string): Pick<GivenClient, 'decoded'> {
  try {
    const decoded = { clientId: formDecode(clientId), clientSecret: formDecode(clientSecret) }
    return { decoded }
  } catch {
    return {}
  }
}

function formDecode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}
