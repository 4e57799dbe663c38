import { isPathologyError, PathologyError, safeErrorName } from '../../common/errors.js'
import { deliveryTime } from '../delivery-time.js'
import type { WebhookHeaders } from '../headers.js'
import { checkedBody, type RawBody } from '../raw-body.js'
import { findSignature } from '../signature-header.js'
import { WebhookVerificationError } from '../verification-error.js'
import { VERIFICATION_REASONS } from '../verification-reasons.js'
import { verifySigned } from '../verify.js'
import { DeliveryDeadline, PASSED } from './deadline.js'
import type { Verdict, WebhookResponse } from './outcomes.js'
import { EventProcessor } from './processor.js'
import type { Reporter } from './reporter.js'
import { respond } from './respond.js'
import type { ReceiverSettings } from './settings.js'

/** Bounds of reading a body. */
export interface BodyBounds {
  readonly maxBytes: number
  /** Aborts when the delivery's time is up. */
  readonly signal: AbortSignal
}

/** A request that may be a delivery, before its body is read. */
export interface IncomingDelivery {
  /** `undefined` when the caller has seen to it. */
  readonly method?: string | undefined
  readonly headers: WebhookHeaders
  /** Rejects with the reason `body-too-large` as soon as the bound is passed. */
  readBody(bounds: BodyBounds): RawBody | Promise<RawBody>
}

/** Everything between a request and its answer; the adapters translate to and from their servers. */
export class ReceiverCore {
  readonly settings: ReceiverSettings
  readonly processor: EventProcessor
  readonly #reporter: Reporter

  constructor(settings: ReceiverSettings, reporter: Reporter) {
    this.settings = settings
    this.processor = new EventProcessor(settings, reporter)
    this.#reporter = reporter
  }

  /** Never rejects, and answers by the deadline. */
  async receive(delivery: IncomingDelivery): Promise<WebhookResponse> {
    const deadline = new DeliveryDeadline(this.settings.clock, this.settings.deadlineMs)
    const verdict = await this.#judge(delivery, deadline)
    deadline.settle()
    this.#reporter.failure(verdict)
    return respond(verdict)
  }

  async #judge(delivery: IncomingDelivery, deadline: DeliveryDeadline): Promise<Verdict> {
    if (delivery.method !== undefined && delivery.method !== 'POST') return { outcome: 'method-not-allowed' }
    try {
      // Before the body: what is not signed is not worth reading.
      const signature = findSignature(delivery.headers)
      const body = await this.#read(delivery, deadline)
      if (body === PASSED) return { outcome: 'body-timeout', error: deadline.signal.reason }
      const raw = checkedBody(body, this.settings.maxBodyBytes)
      const event = await verifySigned(raw, signature, this.settings.secrets)
      return await this.processor.process(event, deliveryTime(delivery.headers), deadline)
    } catch (error) {
      return { outcome: outcomeOf(error), error }
    }
  }

  async #read(delivery: IncomingDelivery, deadline: DeliveryDeadline): Promise<RawBody | typeof PASSED> {
    const bounds = { maxBytes: this.settings.maxBodyBytes, signal: deadline.signal }
    try {
      return await deadline.within(delivery.readBody(bounds))
    } catch (error) {
      throw error instanceof WebhookVerificationError ? error : bodyUnreadable(error)
    }
  }
}

const BODY_UNREADABLE = 'WEBHOOK_BODY_UNREADABLE'

function bodyUnreadable(error: unknown): PathologyError {
  return new PathologyError('The webhook body could not be read to its end.', {
    code: BODY_UNREADABLE,
    cause: withoutText(error),
  })
}

const PLATFORM_CODE = /^(?:ABORT_ERR|ECONNRESET|EPIPE|ETIMEDOUT|(?:ERR|HPE|UND_ERR)_[A-Z_]{1,40})$/

/** The name and code of a stream's error. Its text and its other properties can hold pieces of the request. */
function withoutText(error: unknown): unknown {
  if (isPathologyError(error)) return error
  if (!(error instanceof Error)) return undefined
  const code: unknown = Reflect.get(error, 'code')
  const shown = typeof code === 'string' && PLATFORM_CODE.test(code) ? code : 'no known code'
  const cause = new Error(`the stream failed (${shown}); its own text is not kept`)
  cause.name = safeErrorName(error)
  return cause
}

function outcomeOf(error: unknown): Verdict['outcome'] {
  if (error instanceof WebhookVerificationError) return VERIFICATION_REASONS[error.reason].blame
  return isPathologyError(error, BODY_UNREADABLE) ? 'body-unreadable' : 'failed'
}
