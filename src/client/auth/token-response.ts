import { isKnownTokenErrorCode, TOKEN_ERROR_CODES } from '../../contract/error-codes.js'
import { TokenError } from '../errors/errors.js'
import type { WireAnswer } from '../transport/transport.js'
import { isSendable, type StoredTokens } from './token.js'

/** Header, payload and signature. Another token is opaque, and jose need not be loaded for it. */
const JWT_PARTS = 3

/** Shortest life believed of a token's own `exp`, in seconds. */
const SHORTEST_LIFE = 1

/** The code of an answer that was cut short, or came from someone else. */
export const NOT_JSON = 'TOKEN_RESPONSE_NOT_JSON'

/**
 * Reads a token answer (§5). The life is the earlier of `expires_in` and the token's own `exp`, counted from its
 * `iat` or the answer's Date header, so that a clock set wrongly on either side does not matter. An `exp` that leaves
 * no life is an error of the token service: `expires_in` holds alone, or each call would request a token.
 */
export async function readTokenAnswer(
  answer: WireAnswer,
  nowMs: number,
  attempts: number,
): Promise<StoredTokens> {
  const body = parseObject(answer.body)
  if (answer.status !== 200 || body?.['error'] === true) throw tokenRefusal(answer, body ?? {}, attempts)
  if (body === undefined) throw malformed('it must be a JSON object', attempts, NOT_JSON)
  const accessToken = body['access_token']
  const expiresIn = body['expires_in']
  if (!isSendable(accessToken)) {
    throw malformed('access_token must be a string of visible ASCII characters', attempts)
  }
  if (typeof expiresIn !== 'number' || !(expiresIn > 0 && expiresIn < Number.POSITIVE_INFINITY)) {
    throw malformed('expires_in must be a positive number of seconds', attempts)
  }
  const refreshToken = body['refresh_token']
  const refreshExpiresIn = body['refresh_expires_in']
  const life = Math.min(expiresIn, await jwtLifeSeconds(accessToken, answer, nowMs)) * 1_000
  return {
    accessToken,
    issuedAt: nowMs,
    expiresAt: nowMs + life,
    refreshToken: typeof refreshToken === 'string' && refreshToken !== '' ? refreshToken : undefined,
    refreshExpiresAt:
      typeof refreshExpiresIn === 'number' && refreshExpiresIn > 0
        ? nowMs + refreshExpiresIn * 1_000
        : undefined,
  }
}

/** Loads what reads a token's own end. Without it `expires_in` serves alone. */
export function loadTokenDecoder(): Promise<typeof import('jose/jwt/decode')> {
  return import('jose/jwt/decode')
}

async function jwtLifeSeconds(token: string, answer: WireAnswer, nowMs: number): Promise<number> {
  if (token.split('.').length !== JWT_PARTS) return Number.POSITIVE_INFINITY
  try {
    const { decodeJwt } = await loadTokenDecoder()
    const { exp, iat } = decodeJwt(token)
    if (typeof exp !== 'number') return Number.POSITIVE_INFINITY
    const serverNow = serverSeconds(answer, nowMs)
    const life = exp - (typeof iat === 'number' ? iat : serverNow)
    const isPast = exp <= serverNow && exp <= nowMs / 1_000
    return isPast || life < SHORTEST_LIFE ? Number.POSITIVE_INFINITY : life
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

function serverSeconds(answer: WireAnswer, nowMs: number): number {
  const header = answer.headers['date']
  const date = typeof header === 'string' ? Date.parse(header) : Number.NaN
  return (Number.isNaN(date) ? nowMs : date) / 1_000
}

function malformed(rule: string, attempts: number, code = 'TOKEN_RESPONSE_INVALID'): TokenError {
  return new TokenError(`the token service's answer is not usable: ${rule}`, {
    outcome: 'failed',
    attempts,
    code,
    status: 200,
  })
}

/** What a wrong credential is refused with, or one of another environment (§5); a gateway may say it in OAuth's words. */
const WRONG_CREDENTIALS: ReadonlySet<string> = new Set(['102', '110', '123', 'invalid_client'])

/** The token service's refusal as an error: its code, its type and what they mean, never what was sent. */
function tokenRefusal(
  answer: WireAnswer,
  body: Readonly<Record<string, unknown>>,
  attempts: number,
): TokenError {
  const { status } = answer
  const rawCode = body['code'] ?? body['error']
  const code = typeof rawCode === 'number' ? String(rawCode) : rawCode
  if (typeof code !== 'string' || !/^[\w.-]{1,40}$/.test(code)) {
    return new TokenError(`the token service answered ${status} without saying why`, {
      outcome: 'failed',
      attempts,
      status,
    })
  }
  const row = isKnownTokenErrorCode(code) ? TOKEN_ERROR_CODES[code] : undefined
  const rawType = body['type']
  const type = row?.type ?? (typeof rawType === 'string' && /^\w{1,60}$/.test(rawType) ? rawType : undefined)
  const advice = WRONG_CREDENTIALS.has(code) ? '; do clientId, clientSecret and authUrl belong together?' : ''
  const meaning = (row === undefined ? '' : `: ${row.meaning}`) + advice
  return new TokenError(`the token service answered ${status} ${code} ${type ?? ''}`.trimEnd() + meaning, {
    outcome: status < 500 ? 'refused' : 'failed',
    attempts,
    code,
    type,
    status,
  })
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}
