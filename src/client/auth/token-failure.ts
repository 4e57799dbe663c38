import type { Outcome } from '../../common/errors.js'
import { ConnectionError, InvalidResponseError, TokenError } from '../errors/errors.js'
import { moreSevere } from '../errors/outcome.js'
import { EFFECT } from '../errors/sentences.js'

/**
 * What a call is told when no token could be got for it: an error of its own, since many calls fail for the same
 * reason, and with the call's outcome: what became of the token request does not matter to it.
 *
 * @param before - What the call's earlier attempts may have done.
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

/** The sentence with another end: what comes after its last semicolon tells of the token request. */
function withEffect(message: string, outcome: Outcome): string {
  return `${message.slice(0, message.lastIndexOf(';'))}; ${EFFECT[outcome]}`
}
