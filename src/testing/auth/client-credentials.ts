import type { KnownTokenErrorCode } from '../../contract/error-codes.js'

/** When the fake gives each error of the token service: §5 names them without their conditions. */
export const TOKEN_ERROR_CONDITIONS: Readonly<Record<KnownTokenErrorCode, string>> = {
  '102': 'the credentials are right, and their account was closed (a driver does that)',
  '108': 'the refresh token is missing, unknown, expired, used before, or of another client',
  '109':
    'grant_type is missing, repeated, or neither client_credentials nor refresh_token; or the body is no form',
  '110': 'the client id is not the one of this environment',
  '111': 'neither an Authorization header nor the form names a client id, or it is empty',
  '117': 'the Authorization header is empty, or names the Basic scheme with nothing behind it',
  '118': 'the Authorization header is of another scheme, not base64, or holds no colon',
  '123': 'the client id is right, and the secret is missing or wrong',
}

/** Thrown by the token service; the answer is its error body (§5). */
export class TokenServiceError extends Error {
  readonly code: KnownTokenErrorCode

  constructor(code: KnownTokenErrorCode) {
    super(code)
    this.code = code
  }
}

/** Credentials as a request gave them. */
export interface GivenClient {
  readonly clientId: string
  readonly clientSecret: string | undefined
  /** The same, read as URL-encoded, as OAuth has it for the header. */
  readonly decoded?: { readonly clientId: string; readonly clientSecret: string }
}

/**
 * The client that a token request names: by the Basic header, or else by the form (§5).
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
