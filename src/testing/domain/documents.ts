import { createHmac, timingSafeEqual } from 'node:crypto'
import type { DocumentRef, FakeContext } from '../server/context.js'
import { errorReply, type FakeRequest, type Reply } from '../server/http.js'
import { referralPages, resultPages } from './document-pages.js'
import { type PdfContent, writePdf } from './document-pdf.js'
import { hasReferralDocument } from './referrals-view.js'
import { hasResultDocument } from './results-view.js'

const NAME = /^(?<kind>referral|result)-(?<uuid>[0-9a-f-]{36})\.pdf$/

/** Signs URLs of documents (§2.4, §2.5): whoever has one may read until it expires, without a token. */
export class DocumentDoor {
  readonly #context: FakeContext
  readonly #origin: () => string

  /** @param origin - Where documents are served: it changes when a server starts. */
  constructor(context: FakeContext, origin: () => string) {
    this.#context = context
    this.#origin = origin
  }

  /** A fresh URL of a document. */
  urlOf({ kind, uuid }: DocumentRef): string {
    const { clock, options } = this.#context
    const path = `/documents/${kind}-${uuid}.pdf`
    const expires = String(clock.now() + options.documentUrlLifetimeMs)
    return `${this.#origin()}${path}?expires=${expires}&signature=${this.#sign(path, expires)}`
  }

  /** Answers a request for a document. */
  answer(request: FakeRequest, name: string): Reply {
    if (request.headers['authorization'] !== undefined) {
      return errorReply(400, 'AUTHORIZATION_NOT_ALLOWED', 'a signed URL takes no Authorization header')
    }
    const refusal = this.#checkSignature(request.target)
    if (refusal !== undefined)
      return errorReply(403, refusal, 'the URL has expired or its signature is wrong')
    const content = this.#contentOf(name)
    if (typeof content === 'number')
      return errorReply(content, 'DOCUMENT_NOT_FOUND', 'the document does not exist')
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

  #sign(path: string, expires: string): string {
    const key = `documents/${this.#context.options.environment}/${this.#context.options.seed}`
    return createHmac('sha256', key).update(`${path}\n${expires}`).digest('hex')
  }

  #checkSignature(target: string): 'SIGNATURE_INVALID' | 'URL_EXPIRED' | undefined {
    const [path = '', text = ''] = target.split('?')
    const query = new URLSearchParams(text)
    const expires = query.get('expires') ?? ''
    const given = Buffer.from(query.get('signature') ?? '')
    const wanted = Buffer.from(this.#sign(path, expires))
    if (given.byteLength !== wanted.byteLength || !timingSafeEqual(given, wanted)) return 'SIGNATURE_INVALID'
    return Number(expires) <= this.#context.clock.now() ? 'URL_EXPIRED' : undefined
  }

  /** What a document says, or the status of one that is not there. */
  #contentOf(name: string): PdfContent | number {
    const { orders } = this.#context.state
    const { kind, uuid = '' } = NAME.exec(name)?.groups ?? {}
    const referral = kind === 'referral' ? orders.referrals.get(uuid) : undefined
    const result = kind === 'result' ? orders.results.get(uuid) : undefined
    const deleted = (referral ?? result)?.deletedAt ?? null
    if (deleted !== null) return this.#context.options.deletedDocumentStatus
    if (referral !== undefined && hasReferralDocument(referral)) return referralPages(this.#context, referral)
    if (result !== undefined && hasResultDocument(this.#context, result))
      return resultPages(this.#context, result)
    return 404
  }
}
