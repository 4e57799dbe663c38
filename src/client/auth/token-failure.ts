import type { Outcome } from '../../common/errors.js'
import { ConnectionError, InvalidResponseError, TokenError } from '../errors/errors.js'
import { moreSevere } from '../errors/outcome.js'
import { EFFECT } from '../errors/sentences.js'

/**
 * Converts a failed token request to the error of one call. Many calls share the failure, so each gets its own
 * error, with the outcome of the call and not of the token request.
 *
 * @param before - Outcome of the call's earlier attempts.
 */
export function tokenFailure(error: unknown, before: Outcome): unknown {
  if (error instanceof TokenError) {
    const { message, attempts, cause, code, type, status } = error
    const outcome = moreSevere(before, error.outcome === 'unknown' ? 'not-sent' : error.outcome)
    return new TokenError(message, { outcome, attempts, cause, code, type, status })
  }
  const outcome = moreSevere(before, 'not-sent')
  if (error instanceof ConnectionError) {
    const { message, attempts, cause, reason } = error
    return new ConnectionError(withEffect(message, outcome), { outcome, attempts, cause, reason })
  }
  if (error instanceof InvalidResponseError) {
    const { message, attempts, cause, reason, status } = error
    return new InvalidResponseError(withEffect(message, outcome), {
      outcome,
      attempts,
      cause,
      reason,
      status,
    })
  }
  return error
}

/** Replaces the text after the last semicolon, which describes the token request. */
function withEffect(message: string, outcome: Outcome): string {
  return `${message.slice(0, message.lastIndexOf(';'))}; ${EFFECT[outcome]}`
}
