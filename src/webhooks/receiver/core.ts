import { isPathologyError, PathologyError, safeErrorName } from '../../common/errors.js'
import { deliveryTime, type WebhookHeaders } from '../verification/headers.js'
import { checkedBody, type RawBody } from '../verification/raw-body.js'
import { readSignature } from '../verification/signature.js'
import { isVerificationError, VERIFICATION_REASONS } from '../verification/verification-error.js'
import { verifySigned } from '../verification/verify.js'
import { DeliveryDeadline, TIMED_OUT } from './deadline.js'
import { type DeliveryResult, respond, type WebhookResponse } from './outcomes.js'
import { EventProcessor } from './processor.js'
import type { Reporter } from './reporter.js'
import type { ResolvedReceiverOptions } from './resolve-options.js'

export interface BodyBounds {
  readonly maxBytes: number
  /** Aborts when the delivery's timeout expires. */
  readonly signal: AbortSignal
}

export interface IncomingDelivery {
  /** The HTTP method; `undefined` if it is unknown, or if the caller has checked it. */
  readonly method?: string | undefined
  readonly headers: WebhookHeaders
  /**
   * Reads the body. Rejects with the reason `body-too-large` as soon as a stream exceeds the limit. The size of a body
   * that is already in memory is checked later.
   */
  readBody(bounds: BodyBounds): RawBody | Promise<RawBody>
}

/**
 * Handles deliveries, from the request to the response. An adapter converts the request and the response for one kind
 * of server.
 */
export class ReceiverCore {
  readonly options: ResolvedReceiverOptions
  readonly processor: EventProcessor
  readonly #reporter: Reporter

  constructor(options: ResolvedReceiverOptions, reporter: Reporter) {
    this.options = options
    this.processor = new EventProcessor(options, reporter)
    this.#reporter = reporter
  }

  /** Responds to a delivery within the timeout. Never rejects. */
  async receive(delivery: IncomingDelivery): Promise<WebhookResponse> {
    const { clock, timeoutMs, enqueue } = this.options
    const deadline = new DeliveryDeadline(clock, timeoutMs, enqueue === undefined ? 'handler' : 'queue')
    const result = await this.#verifyAndProcess(delivery, deadline)
    deadline.stop()
    this.#reporter.delivery(result)
    return respond(result)
  }

  async #verifyAndProcess(delivery: IncomingDelivery, deadline: DeliveryDeadline): Promise<DeliveryResult> {
    try {
      // Some servers, such as hapi, give the method in lower case.
      if ((delivery.method ?? 'POST').toUpperCase() !== 'POST') return { outcome: 'method-not-allowed' }
      // The signature header is read first, so that the body of an unsigned request is not read.
      const signature = readSignature(delivery.headers)
      const body = await this.#read(delivery, deadline)
      if (body === TIMED_OUT) return { outcome: 'body-timeout', error: deadline.timeoutError('body') }
      const raw = checkedBody(body, this.options.maxBodyBytes)
      const event = await verifySigned(raw, signature, this.options.secrets)
      return await this.processor.process(event, deliveryTime(delivery.headers), deadline)
    } catch (error) {
      return { outcome: outcomeOf(error), error }
    }
  }

  async #read(delivery: IncomingDelivery, deadline: DeliveryDeadline): Promise<RawBody | typeof TIMED_OUT> {
    const bounds = { maxBytes: this.options.maxBodyBytes, signal: deadline.signal }
    try {
      return await deadline.within(delivery.readBody(bounds))
    } catch (error) {
      throw isVerificationError(error) ? error : bodyUnreadable(error)
    }
  }
}

const BODY_UNREADABLE = 'WEBHOOK_BODY_UNREADABLE'

function bodyUnreadable(error: unknown): PathologyError {
  return new PathologyError(
    'The webhook body could not be read completely, so the event was not handled, and the service sends the event again. Check the network and the proxies in front of the receiver.',
    { code: BODY_UNREADABLE, cause: withoutText(error) },
  )
}

const PLATFORM_CODE = /^(?:ABORT_ERR|ECONNRESET|EPIPE|ETIMEDOUT|(?:ERR|HPE|UND_ERR)_[A-Z_]{1,40})$/

/**
 * Copies a stream's error without its message, because the message can contain parts of the request. Returns an error
 * of this package unchanged.
 */
function withoutText(error: unknown): unknown {
  if (isPathologyError(error)) return error
  if (!(error instanceof Error)) return undefined
  const code: unknown = Reflect.get(error, 'code')
  const shown = typeof code === 'string' && PLATFORM_CODE.test(code) ? code : 'no known code'
  const cause = new Error(`The stream failed (${shown}). The error's message is not shown.`)
  cause.name = safeErrorName(error)
  return cause
}

function outcomeOf(error: unknown): DeliveryResult['outcome'] {
  if (isVerificationError(error)) return VERIFICATION_REASONS[error.reason].outcome
  return isPathologyError(error, BODY_UNREADABLE) ? 'body-unreadable' : 'failed'
}
