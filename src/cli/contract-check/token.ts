import { isFields } from '../../contract/check.js'
import { TOKEN_PATH } from '../../contract/endpoint.js'
import { TOKEN_ERROR_CODES } from '../../contract/error-codes.js'
import { schemaDifferences, typeName } from '../../contract/field-differences.js'
import { tokenErrorSchema, tokenResponseSchema } from '../../contract/schemas/token.js'
import { OperationError } from '../shared/terminal.js'
import { checkSuccess } from './check-response.js'
import type { DifferenceReport } from './report.js'
import { type CheckResponse, exchange } from './requester.js'

const ENDPOINT = 'oauth.token'

export interface Credentials {
  readonly authUrl: string
  readonly clientId: string
  readonly clientSecret: string
}

interface TokenContext extends Credentials {
  readonly report: DifferenceReport
  readonly signal: AbortSignal
}

/**
 * Checks the token service and returns an access token for the other checks; `undefined` if the token in the response
 * cannot be read.
 */
export async function checkTokens(context: TokenContext): Promise<string | undefined> {
  const { clientId, clientSecret } = context
  const basic = {
    authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
  }
  const grant = { grant_type: 'client_credentials' }
  const first = await requestToken(context, grant, basic)
  const token = tokenOf(context, 'Basic header', first)
  if (token === undefined && first.status === 200) return undefined
  if (token === undefined)
    throw new OperationError(
      'the token service did not issue a token: run npx pathology doctor to find the cause',
    )
  const form = { ...grant, client_id: clientId, client_secret: clientSecret }
  tokenOf(context, 'form fields', await requestToken(context, form))
  const refreshToken = isFields(first.json) ? first.json['refresh_token'] : undefined
  if (typeof refreshToken === 'string') {
    const refresh = { grant_type: 'refresh_token', refresh_token: refreshToken }
    tokenOf(context, 'refresh grant', await requestToken(context, refresh, basic))
  }
  for (const [situation, fields, code] of REFUSED)
    checkTokenError(context, situation, await requestToken(context, fields, basic), code)
  return token
}

/** Grants that the service must refuse, and the code of each. */
const REFUSED = [
  ['unsupported grant type', { grant_type: 'no-such-grant' }, '109'],
  ['invalid refresh token', { grant_type: 'refresh_token', refresh_token: 'no-such-token' }, '108'],
] as const

function requestToken(
  { authUrl, report, signal }: TokenContext,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<CheckResponse> {
  report.countRequest(ENDPOINT)
  const body = new URLSearchParams(fields)
  return exchange(`${authUrl.replace(/\/+$/, '')}${TOKEN_PATH}`, { method: 'POST', headers, body, signal })
}

function tokenOf({ report }: TokenContext, situation: string, response: CheckResponse): string | undefined {
  const place = report.at(ENDPOINT, situation)
  if (!checkSuccess(place, response)) return undefined
  place.add(schemaDifferences(tokenResponseSchema, response.json))
  if (!isFields(response.json)) return undefined
  const { access_token: token, token_type: type, expires_in: seconds } = response.json
  const isBearer = typeof type !== 'string' || type.toLowerCase() === 'bearer'
  place.expect(isBearer, 'token_type', 'Bearer', 'another string')
  const isJwt = typeof token !== 'string' || token.split('.').length === 3
  place.expect(isJwt, 'access_token', 'JWT', 'another string')
  const isPositive = typeof seconds !== 'number' || (Number.isInteger(seconds) && seconds > 0)
  place.expect(isPositive, 'expires_in', 'positive integer', typeName(seconds))
  return typeof token === 'string' && token !== '' ? token : undefined
}

/** Assumed status: the interface documents codes and types of token errors, but no statuses. */
const STATUS = 400

function checkTokenError(
  { report }: TokenContext,
  situation: string,
  { status, json }: CheckResponse,
  code: '108' | '109',
): void {
  const place = report.at(ENDPOINT, situation)
  const isError = status >= 400 && status < 500
  const level = isError ? 'reading' : 'contract'
  place.expect(status === STATUS, 'status', String(STATUS), String(status), level)
  if (!isError) return
  place.add(schemaDifferences(tokenErrorSchema, json))
  if (!isFields(json)) return
  const { code: seenCode, type } = json
  const seen = Object.hasOwn(TOKEN_ERROR_CODES, String(seenCode)) ? String(seenCode) : 'another code'
  place.expect(typeof seenCode !== 'string' || seenCode === code, 'code', code, seen)
  const expected = TOKEN_ERROR_CODES[code].type
  place.expect(typeof type !== 'string' || type === expected, 'type', expected, 'another string')
}
