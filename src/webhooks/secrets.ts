import { WebhookVerificationError } from './verification-error.js'

/**
 * One signing secret, or several while one replaces another: a delivery signed with any of them is accepted.
 * An environment variable can be passed as it is: one that is not set gets an error that says so.
 */
export type WebhookSecrets = string | undefined | readonly (string | undefined)[]

/** Checks the secrets and puts them in a list. `createHmac` would take `''`, which anybody can sign with. */
export function listSecrets(secrets: WebhookSecrets): readonly string[] {
  const list: readonly unknown[] = typeof secrets === 'string' ? [secrets] : entriesIn(secrets)
  if (list.length === 0) throw new WebhookVerificationError('secret-missing')
  return list.map((secret, index) => checkedSecret(secret, index, list.length))
}

/** The holes of a list are missing secrets too. */
function entriesIn(secrets: unknown): readonly unknown[] {
  try {
    return Array.isArray(secrets) ? Array.from<unknown>(secrets) : []
  } catch {
    return []
  }
}

function checkedSecret(secret: unknown, index: number, count: number): string {
  const detail = count > 1 ? `It is secret ${index + 1} of ${count}.` : undefined
  if (typeof secret !== 'string' || secret === '') {
    throw new WebhookVerificationError('secret-missing', detail)
  }
  if (secret.trim() !== secret) throw new WebhookVerificationError('secret-whitespace', detail)
  return secret
}
