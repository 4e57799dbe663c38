import { isPrivateHost } from '../../common/private-addresses.js'
import { fieldIssue } from '../../contract/issues.js'
import { WEBHOOK_URL_RULE } from '../../contract/rules/webhook.js'
import { InvalidRequestError } from '../errors/errors.js'
import { isLoopback, type ServiceUrl } from '../transport/service-url.js'

/**
 * Rejects a webhook URL that the service would certainly reject. Loopback addresses are left to a service on
 * this machine, which is a fake.
 */
export function checkWebhookUrl(
  operation: string,
  webhook: { readonly url?: unknown },
  base: ServiceUrl,
): void {
  const url: unknown = webhook?.url
  if (typeof url !== 'string' || url.trim() === '') return
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed !== undefined && base.loopback && isLoopback(parsed.hostname)) return
  const plain = parsed?.username === '' && parsed.password === ''
  if (parsed?.protocol === 'https:' && plain && !isPrivateHost(parsed.hostname)) return
  throw new InvalidRequestError(
    operation,
    [fieldIssue(['url'], WEBHOOK_URL_RULE, 'INVALID_WEBHOOK_URL')],
    'INVALID_WEBHOOK_URL',
  )
}
