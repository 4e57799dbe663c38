import { ERROR_CODES, type KnownErrorCode } from '../../contract/error-codes.js'

/** Messages that the service is known to send word for word (§7). */
const SHOWN_MESSAGES: Readonly<Partial<Record<KnownErrorCode, string>>> = {
  MISSING_AUTHORIZATION_HEADER: 'Missing Authorization header',
  INVALID_JWT: 'Invalid access token',
  INVALID_JWT_SIGNATURE: 'Invalid JWT signature',
  REFERRAL_NOT_FOUND: 'Unable to find the specified referral',
  RESULT_NOT_FOUND: 'Unable to find the specified result',
}

/** The message of an error code: the service's own where §7 shows it. */
export function messageOf(code: KnownErrorCode): string {
  return SHOWN_MESSAGES[code] ?? ERROR_CODES[code].meaning
}
