import {
  CREDENTIAL_ERROR_CODES,
  isKnownTokenErrorCode,
  TOKEN_ERROR_CODES,
} from '../../contract/error-codes.js'
import { jsonOf } from '../../contract/read.js'
import { timeOf } from '../core/caller-input.js'
import { parseRetryAfter } from '../core/retry-policy.js'
import { isTemporaryStatus, TokenError } from '../errors/errors.js'
import type { TransportResponse } from '../transport/transport.js'
import type { StoredTokens } from './token-manager.js'

/** Number of parts of a JWT. A token with another number is opaque, and jose is not loaded for it. */
const JWT_PARTS = 3

/** Minimum plausible life from a token's `exp`, in seconds. */
const SHORTEST_LIFE = 1

/** Code of a success response that is not a JSON object: it is truncated, or comes from another server. */
export const NOT_JSON = 'TOKEN_RESPONSE_NOT_JSON'

/**
 * Reads a token response. The token's life is the shorter of `expires_in` and the time from `iat` to `exp` of a JWT.
 * Without `iat`, the Date header is used, so that an incorrect local clock has no effect. An `exp` in the past, or less
 * than a second after `iat`, is ignored, because each call would otherwise request a token.
 *
 * @param url - Address of the request, for errors.
 */
export async function readTokenResponse(
  response: TransportResponse,
  nowMs: number,
  attempts: number,
  url: string,
): Promise<StoredTokens> {
  const body = parseObject(response.body)
  if (response.status !== 200 || body?.['error'] === true)
    throw tokenRefusal(response, body ?? {}, nowMs, attempts, url)
  if (body === undefined) throw malformed('it must be a JSON object', url, attempts, NOT_JSON)
  const accessToken = body['access_token']
  const expiresIn = secondsOf(body['expires_in'])
  if (!isSendable(accessToken)) {
    throw malformed('access_token must be a string of visible ASCII characters', url, attempts)
  }
  if (expiresIn === undefined) {
    throw malformed('expires_in must be a positive number of seconds', url, attempts)
  }
  const refreshToken = body['refresh_token']
  const refreshExpiresIn = secondsOf(body['refresh_expires_in'])
  const life = Math.min(expiresIn, await jwtLifeSeconds(accessToken, response, nowMs)) * 1_000
  return {
    accessToken,
    issuedAt: nowMs,
    expiresAt: nowMs + life,
    refreshToken: typeof refreshToken === 'string' && refreshToken !== '' ? refreshToken : undefined,
    refreshExpiresAt: refreshExpiresIn === undefined ? undefined : nowMs + refreshExpiresIn * 1_000,
  }
}

/** Reads a positive number of seconds. Some OAuth servers write it as a string of digits. */
function secondsOf(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  const isUsable = typeof seconds === 'number' && seconds > 0 && seconds < Number.POSITIVE_INFINITY
  return isUsable ? seconds : undefined
}

/** Returns `true` when a token can be a header value; other text could inject a header. */
export function isSendable(token: unknown): token is string {
  return typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)
}

/** Loads the decoder of a token's `exp`. A token response is read without `exp` if the decoder cannot be loaded. */
export function loadTokenDecoder(): Promise<typeof import('jose/jwt/decode')> {
  return import('jose/jwt/decode')
}

async function jwtLifeSeconds(token: string, response: TransportResponse, nowMs: number): Promise<number> {
  if (token.split('.').length !== JWT_PARTS) return Number.POSITIVE_INFINITY
  try {
    const { decodeJwt } = await loadTokenDecoder()
    const { exp, iat } = decodeJwt(token)
    if (typeof exp !== 'number') return Number.POSITIVE_INFINITY
    const serverNow = serverSeconds(response, nowMs)
    const life = exp - (typeof iat === 'number' ? iat : serverNow)
    const isPast = exp <= serverNow && exp <= nowMs / 1_000
    return isPast || life < SHORTEST_LIFE ? Number.POSITIVE_INFINITY : life
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

function serverSeconds({ headers }: TransportResponse, nowMs: number): number {
  const date = timeOf(headers['date'])
  return (Number.isNaN(date) ? nowMs : date) / 1_000
}

function malformed(rule: string, url: string, attempts: number, code = 'TOKEN_RESPONSE_INVALID'): TokenError {
  const message = `the token response of ${url} is not usable: ${rule}; check authUrl`
  return new TokenError(message, { outcome: 'failed', attempts, code, status: 200 })
}

/** Shape of a code: that of the token service, or that of OAuth, which a gateway in front of it may use. */
const CODE = /^(?:\d{3}|(?=.{3,64}$)[a-z]+(?:_[a-z]+)+)$/

/** Shape of the name of an error type. */
const TYPE = /^[A-Z][A-Za-z\d]{2,59}$/

/** Converts an error response to an error with its code, its type and their meaning. Other text is not shown. */
function tokenRefusal(
  { status, headers }: TransportResponse,
  body: Readonly<Record<string, unknown>>,
  nowMs: number,
  attempts: number,
  url: string,
): TokenError {
  const retryAfter = isTemporaryStatus(status) ? parseRetryAfter(headers['retry-after'], nowMs) : undefined
  const facts = { attempts, status, retryAfter }
  const code = String(body['code'] ?? body['error'])
  if (!CODE.test(code)) {
    const message = `the token service at ${url} returned ${status} without a known error code; if this persists, check authUrl`
    return new TokenError(message, { ...facts, outcome: 'failed' })
  }
  const row = isKnownTokenErrorCode(code) ? TOKEN_ERROR_CODES[code] : undefined
  const type = row?.type ?? typeOf(body['type'])
  const meaning = row === undefined ? '' : `: ${row.meaning}`
  const advice = CREDENTIAL_ERROR_CODES.has(code)
    ? '; check that clientId, clientSecret and authUrl belong together'
    : ''
  const message = `the token service returned ${status} ${code} ${type ?? ''}`.trimEnd() + meaning + advice
  // The HTTP status of a documented code is not defined. Any other code with a 5xx can be a temporary failure.
  const isRefused = status < 500 || row !== undefined || CREDENTIAL_ERROR_CODES.has(code)
  return new TokenError(message, { ...facts, outcome: isRefused ? 'refused' : 'failed', code, type })
}

function typeOf(type: unknown): string | undefined {
  return typeof type === 'string' && TYPE.test(type) ? type : undefined
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = jsonOf(text)
  return typeof value === 'object' && value !== null ? { ...value } : undefined
}
