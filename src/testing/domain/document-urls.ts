import { createHmac, timingSafeEqual } from 'node:crypto'

import type { FakeContext } from '../state/context.js'

/** The document of a signed URL: the PDF of a referral or of a result. */
export interface DocumentRef {
  readonly kind: 'referral' | 'result'
  readonly uuid: string
}

/**
 * Creates a signed URL of a document (§2.4, §2.5). The URL expires after `documentUrlLifetimeMs`. A request to the URL
 * must not have an Authorization header.
 */
export function documentUrl(context: FakeContext, { kind, uuid }: DocumentRef): string {
  const path = `/documents/${kind}-${uuid}.pdf`
  const expires = String(context.clock.now() + context.options.documentUrlLifetimeMs)
  return `${context.origins.documents}${path}?expires=${expires}&signature=${sign(context, path, expires)}`
}

/** Returns the reason why a document URL is not valid; `undefined` for a valid URL. */
export function documentUrlProblem(
  context: FakeContext,
  target: string,
): 'SIGNATURE_INVALID' | 'URL_EXPIRED' | undefined {
  const [path = '', text = ''] = target.split('?')
  const query = new URLSearchParams(text)
  const expires = query.get('expires') ?? ''
  const given = Buffer.from(query.get('signature') ?? '')
  const wanted = Buffer.from(sign(context, path, expires))
  if (given.byteLength !== wanted.byteLength || !timingSafeEqual(given, wanted)) return 'SIGNATURE_INVALID'
  return Number(expires) <= context.clock.now() ? 'URL_EXPIRED' : undefined
}

function sign({ options }: FakeContext, path: string, expires: string): string {
  const key = `documents/${options.environment}/${options.seed}`
  return createHmac('sha256', key).update(`${path}\n${expires}`).digest('hex')
}
