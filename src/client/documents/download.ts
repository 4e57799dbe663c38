import { follow } from '../../common/time-limit.js'
import type { CallContext } from '../call/api-client.js'
import { CallEnded, checkedSignal, Deadline } from '../core/deadline.js'
import { AttemptFailure, type Attempts, newAttempts, withRetries } from '../core/retry.js'
import { failureOfStatus, parseRetryAfter } from '../core/retry-policy.js'
import { createApiError } from '../errors/api-errors.js'
import { type FailureContext, responseError } from '../errors/error-texts.js'
import { InvalidResponseError, TimeoutError } from '../errors/errors.js'
import { ALLOW_HOST, unsafeReason } from '../transport/addresses.js'
import { connectionError, type StreamedResponse, TransportFailure } from '../transport/transport.js'
import type { DocumentOptions } from './document-options.js'
import { type Chunks, declaredBytes, type PdfRules, readPdf } from './pdf.js'

/** Source of a document's URL. */
export interface DocumentAddress {
  /** Signed URL of the PDF, from the referral or result. */
  readonly url: string
  /** Reads the referral or result again and returns a new URL. */
  readonly refresh: (signal: AbortSignal | undefined) => Promise<string>
  /** Ends all downloads of this document. The signal of one download ends only that download. */
  readonly signal: AbortSignal | undefined
}

/**
 * Statuses after which the client reads a new URL. The URL has expired, or a reissue has replaced the file. The status
 * for an expired URL differs by host.
 */
const EXPIRED: ReadonlySet<number> = new Set([400, 401, 403, 404, 410])

/** Default time limit of a download, in milliseconds. */
const TIMEOUT_MS = 120_000

/** Next step after a problem that a repeated download does not solve. */
const ADVICE: Readonly<Record<string, string>> = {
  'too-large': 'increase maxDocumentBytes',
  encoding: 'report the document to the service',
}

interface Download extends Attempts {
  readonly options: DocumentOptions
  /** Removes the timer and the listeners, and stops tracking the download. */
  readonly end: () => void
  /** Number of requests so far. */
  sends: number
}

/** Downloads a document: without the access token, and without following redirects. */
export class PdfSource {
  readonly #parts: CallContext
  readonly #address: DocumentAddress
  #url: string

  constructor(parts: CallContext, address: DocumentAddress) {
    this.#parts = parts
    this.#address = address
    this.#url = address.url
  }

  /** Reads the chunks of one download. Retries only until a response starts. `abort` also ends the download. */
  async *read(options: DocumentOptions | Promise<DocumentOptions>, abort: AbortController): Chunks {
    const download = this.#begin(await options, abort)
    try {
      const response = await withRetries(this.#parts, download, () => this.#open(download))
      yield* this.#chunks(response, download)
    } catch (error) {
      throw this.#publicError(error, download)
    } finally {
      download.end()
    }
  }

  /** Downloads the document and passes its chunks to `consume`. Repeats both when the download is interrupted. */
  async retrying<T>(options: DocumentOptions, consume: (chunks: Chunks) => Promise<T>): Promise<T> {
    const download = this.#begin(options, new AbortController())
    const attempt = async (): Promise<T> => {
      const response = await this.#open(download)
      try {
        return await consume(this.#chunks(response, download))
      } finally {
        // A response with unread chunks would otherwise keep its connection.
        response.discard()
      }
    }
    try {
      return await withRetries(this.#parts, download, attempt)
    } catch (error) {
      throw this.#publicError(error, download)
    } finally {
      download.end()
    }
  }

  #begin(given: DocumentOptions, abort: AbortController): Download {
    const { inFlight, options } = this.#parts
    const followed = [checkedSignal(this.#address.signal), checkedSignal(given.signal)]
    inFlight.start('GET of a document')
    const stops = followed.map((each) => follow(abort, each))
    const { signal } = abort
    const deadline = new Deadline(options.clock, options.timeoutMs ?? TIMEOUT_MS, signal)
    let isOver = false
    const end = (): void => {
      if (isOver) return
      isOver = true
      deadline.dispose()
      for (const stop of stops) stop()
      inFlight.end()
    }
    // A stream that is not read to its end is released at the deadline.
    deadline.onEnd(end)
    return {
      end,
      options: { ...given, signal },
      sends: 0,
      ...newAttempts('safe', options.maxRetries, deadline),
    }
  }

  async #open(download: Download): Promise<StreamedResponse> {
    const first = await this.#request(download)
    if (!EXPIRED.has(first.status)) return this.#accepted(first, download)
    first.discard()
    const { deadline, options } = download
    this.#url = await deadline.race(this.#address.refresh(options.signal))
    return this.#accepted(await this.#request(download), download)
  }

  async #request(download: Download): Promise<StreamedResponse> {
    const url = this.#checkedUrl(download)
    const { options, transport } = this.#parts
    const { userAgent, maxDocumentBytes } = options
    const { deadline } = download
    deadline.throwIfEnded()
    download.sends += 1
    try {
      return await transport.open({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: 'GET',
        headers: ['accept', 'application/pdf', 'accept-encoding', 'identity', 'user-agent', userAgent],
        body: undefined,
        deadline,
        maxBytes: maxDocumentBytes,
      })
    } catch (error) {
      throw this.#attemptFailure(error, download)
    }
  }

  #accepted(response: StreamedResponse, download: Download): StreamedResponse {
    const { status } = response
    if (status === 200) return response
    response.discard()
    const retryAfterMs = parseRetryAfter(response.headers['retry-after'], this.#parts.serverClock.now())
    const kind = failureOfStatus(status)
    const context = { ...this.#context(download), outcome: 'failed', status } as const
    const request = { method: 'GET', path: '(signed document URL)', retryAfter: retryAfterMs }
    const error =
      kind === 'redirect' ? responseError('redirect', context) : createApiError({ ...context, ...request })
    throw new AttemptFailure(kind, { outcome: 'failed', status, retryAfterMs, toPublic: () => error })
  }

  async *#chunks(response: StreamedResponse, download: Download): Chunks {
    const { deadline, options } = download
    const limit = this.#parts.options.maxDocumentBytes
    const totalBytes = declaredBytes(response.headers)
    const fail: PdfRules['fail'] = (reason) =>
      responseError(reason, {
        ...this.#context(download),
        outcome: 'failed',
        status: 200,
        advice: ADVICE[reason] ?? 'download the document again',
      })
    let bytes = 0
    try {
      for await (const chunk of readPdf(response, { limit, fail })) {
        deadline.throwIfEnded()
        bytes += chunk.byteLength
        this.#parts.progress.report(options.onProgress, { bytes, totalBytes })
        yield chunk
      }
    } catch (error) {
      throw this.#attemptFailure(error, download)
    } finally {
      response.discard()
    }
  }

  #checkedUrl(download: Download): URL {
    const url = URL.canParse(this.#url) ? new URL(this.#url) : undefined
    const detail = unsafeReason(url, this.#parts.options)
    if (url === undefined || detail !== undefined) throw this.#unsafeUrl(download, detail)
    return url
  }

  #unsafeUrl(download: Download, detail: string | undefined): InvalidResponseError {
    return responseError('unsafe-url', { ...this.#context(download), outcome: 'not-sent', detail })
  }

  #attemptFailure(error: unknown, download: Download): unknown {
    if (error instanceof InvalidResponseError && error.reason === 'truncated') {
      return new AttemptFailure('ambiguous', { outcome: 'failed', toPublic: () => error })
    }
    if (!(error instanceof TransportFailure)) return error
    if (error.cause instanceof CallEnded) return error.cause
    if (error.reason === 'unsafe-url') {
      return this.#unsafeUrl(download, `its host name resolves to a private address; ${ALLOW_HOST}`)
    }
    const outcome = error.sent ? 'failed' : 'not-sent'
    const context = { ...this.#context(download), outcome } as const
    const toPublic = (): Error => connectionError(error, context)
    return new AttemptFailure(error.kind, { outcome, reason: error.reason, toPublic })
  }

  #publicError(error: unknown, { deadline, sends }: Download): unknown {
    if (error instanceof AttemptFailure) return error.toPublic()
    if (!(error instanceof CallEnded)) return error
    if (error.end.kind === 'aborted') return error.end.reason
    const timeout = deadline.timeoutMs
    const outcome = sends > 0 ? 'failed' : 'not-sent'
    const message = `the document was not received within ${timeout} ms; download it again, or set a longer timeout on the client`
    return new TimeoutError(message, { outcome, attempts: sends, timeout })
  }

  /** Returns the context of an error without the signed URL. Only the client's own host is shown. */
  #context({ sends }: Download): FailureContext {
    const { base } = this.#parts.options
    const own = URL.canParse(this.#url) && new URL(this.#url).origin === base.origin
    return { what: 'GET of a document', origin: own ? base.origin : "the document's host", attempts: sends }
  }
}
