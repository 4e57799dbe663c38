import { errorResponse, type FakeRequest, type ResponseDraft } from '../server/http.js'
import type { FakeContext } from '../state/context.js'
import { referralPages, resultPages } from './document-pages.js'
import { type PdfContent, writePdf } from './document-pdf.js'
import { documentUrlProblem } from './document-urls.js'
import { hasReferralDocument } from './referrals-view.js'
import { hasResultDocument } from './results.js'

const NAME = /^(?<kind>referral|result)-(?<uuid>[0-9a-f-]{36})\.pdf$/

/** Responds to a request for a document (§2.4, §2.5). */
export function respondWithDocument(context: FakeContext, request: FakeRequest, name: string): ResponseDraft {
  if (request.headers['authorization'] !== undefined) {
    return errorResponse(
      400,
      'AUTHORIZATION_NOT_ALLOWED',
      'a request to a signed URL must not have an Authorization header',
    )
  }
  const problem = documentUrlProblem(context, request.target)
  if (problem !== undefined)
    return errorResponse(
      403,
      problem,
      'the URL has expired or its signature is invalid: get the referral or result again for a new URL',
    )
  const content = contentOf(context, name)
  if (typeof content === 'number')
    return errorResponse(content, 'DOCUMENT_NOT_FOUND', 'the document does not exist')
  return {
    status: 200,
    headers: {
      'content-type': 'application/pdf',
      'content-disposition': `inline; filename="${name}"`,
      'cache-control': 'private, no-store',
    },
    body: writePdf(content),
  }
}

/** Returns the content of a document, or the HTTP status for a missing document. */
function contentOf(context: FakeContext, name: string): PdfContent | number {
  const { orders } = context.state
  const { kind, uuid = '' } = NAME.exec(name)?.groups ?? {}
  const referral = kind === 'referral' ? orders.referrals.get(uuid) : undefined
  const result = kind === 'result' ? orders.results.get(uuid) : undefined
  const deleted = (referral ?? result)?.deletedAt ?? null
  if (deleted !== null) return context.options.deletedDocumentStatus
  if (referral !== undefined && hasReferralDocument(referral)) return referralPages(context, referral)
  if (result !== undefined && hasResultDocument(context, result)) return resultPages(context, result)
  return 404
}
